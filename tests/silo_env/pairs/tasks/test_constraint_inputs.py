"""What comes to the constraint tasks from outside: parameters, instances, prose."""

import pytest
from cases import cases

from coordgym.errors import ConfigError, InstanceError
from coordgym.silo_env import pairs
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.task import find_task

TINY = {case["task"]: case["instance"] for case in cases("pair_cases", size="tiny", seed=0)}


BUSY = {**TINY["schedule"]["people"], "Fay": {"tz": 0, "windows": [[3, 3]], "owner": 2}}


@pytest.mark.parametrize(
    ("name", "config", "message"),
    [
        ("attrcombo", {"n": 3}, "n must be 4..20"),
        ("attrcombo", {"attributes": 4}, "attributes must be 2..3"),
        ("binpack", {"slack": -1}, "slack must be 0..5"),
        ("binpack", {"n": 3, "k": 4}, "k must be at most n = 3"),
        ("cipherdecode", {"length": 1}, "length must be 2..12"),
        ("crossword", {"k": 5}, "k must be 2..4"),
        ("eventlog", {"offsets": []}, "offsets must be a list"),
        ("eventlog", {"offsets": [5, 0]}, "must not hold 0"),
        ("eventlog", {"offsets": [500]}, "offsets must be -180..180"),
        ("logic", {"n": 5}, "n must be 3..4"),
        ("logic", {"weak_percent": 1.5}, "weak_percent must be 0..200"),
        ("meetingmatrix", {"m": 4, "conflicts": 7}, "conflicts must be 1..6"),
        ("order", {"gap_rate": 2}, "gap_rate must be a probability"),
        ("schedule", {"people": 5}, "people must be even"),
        ("seating", {"clues_each": 0}, "clues_each must be 1..20"),
    ],
)
def test_bad_configurations(name, config, message) -> None:
    with pytest.raises(ConfigError, match=message):
        make_config(find_task(name), config)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("attrcombo", {"items": {"T1": {"colour": "red"}}}, "item T1 must have 4..4 entries"),
        ("attrcombo", {"queries": [{"ask": "who", "where": {}}]}, "ask must be one of"),
        ("attrcombo", {"queries": [{"ask": "list", "where": {"size": "red"}}]}, "size of where"),
        ("binpack", {"bins": {"b1": 1, "b2": 5}}, "items must fit"),
        ("binpack", {"item_owner": {"i1": 1}}, "item_owner must have 4..4 entries"),
        ("binpack", {"bin_owner": {"b1": 1, "b3": 2}}, "bin_owner must have the keys b1, b2"),
        ("cipherdecode", {"plain": "gitivi"}, "plain must be words"),
        ("cipherdecode", {"cipher": "RZNZOX"}, "plain, coded by map"),
        ("cipherdecode", {"map": {"G": "R", "I": "R", "T": "N", "V": "O"}}, "of its own"),
        ("cipherdecode", {"map": {"G": "R", "I": "Z", "T": "N", "X": "O"}}, "letters of plain"),
        ("crossword", {"down_words": ["BUS", "KA"]}, "words of 3 letters"),
        ("crossword", {"down_words": ["BUS", "BAS"]}, "exactly one filling"),
        ("eventlog", {"queries": [["nth", 6]]}, "place 1..5"),
        ("eventlog", {"queries": [["gap", "mail sent", "tea"]]}, "two different known"),
        ("eventlog", {"queries": [["nth", 1, 2]]}, "a query must be"),
        ("eventlog", {"events": [["a", 1, 1], ["b", 2, 1], ["c", 3, 2]]}, "first event must be 0"),
        ("eventlog", {"events": [["a", 1, 0], ["b or c", 2, 1], ["c", 3, 2]]}, "names of one to"),
        ("eventlog", {"offset": -700}, "within one day"),
        ("logic", {"clues": [["at", "red", 1]], "owner": [1]}, "leave one solution, they leave 72"),
        ("logic", {"clues": [["at", "pink", 1]], "owner": [1]}, "speak of known names"),
        (
            "logic",
            {"clues": [["at", "red", True]]},
            "must be a whole number, got True",
        ),
        ("meetingmatrix", {"slots": 5}, "slots must hold integers 2..4"),
        ("meetingmatrix", {"constraints": [["not", "M1", 1]], "owner": [1]}, "every meeting"),
        ("meetingmatrix", {"constraints": [["not", "M1", 3]], "owner": [1]}, "must be \\[conflict"),
        (
            "meetingmatrix",
            {"constraints": [["conflict", "M1", "M2"], ["conflict", "M2", "M1"]], "owner": [1, 2]},
            "twice",
        ),
        ("meetingmatrix", {"constraints": [[]], "owner": [1]}, "must be \\[conflict"),
        ("order", {"clues": [[]], "owner": [1]}, "speak of known names"),
        ("order", {"names": ["Bo", "Gus", "Gus", "Nia"]}, "must not hold a name twice"),
        ("order", {"owner": [1, 2, 3, 2]}, "owner.2. must be one of 1, 2, got 3"),
        ("schedule", {"events": {"E1": ["Zed"]}}, "events must need known people"),
        ("schedule", {"people": BUSY}, "must have a slot"),
        (
            "schedule",
            {"people": {"Gus": {"tz": 1, "windows": []}}},
            "people.Gus: 'owner' is missing",
        ),
        ("seating", {"names": ["Hal", "Ivy", "Nia"]}, "names must have 4..8 entries"),
    ],
)
def test_malformed_instances_are_refused(name, change, message) -> None:
    with pytest.raises(InstanceError, match=message):
        pairs.solve(name, {**TINY[name], **change})


@pytest.mark.parametrize(
    ("name", "message", "answer"),
    [
        ("attrcombo", "1. T1 and T2\n2) 3.\n3. none?\n", {"answers": [["T1", "T2"], 3]}),
        ("attrcombo", "3. T4", {"answers": [None, None, ["T4"]]}),
        ("binpack", "i1 -> b1, i2: b2, `i1` = b2, i9 -> b1", {"assign": {"i1": "b2", "i2": "b2"}}),
        ("cipherdecode", "My part: I?I. So the text is GITIVI, right?", {"text": "GITIVI"}),
        ("cipherdecode", "Decoded: **ZA MU**", {"text": "ZA MU"}),
        ("crossword", "So:\n```\nK A B\nA . U\nS O S\n```\nyes", {"grid": ["KAB", "A.U", "SOS"]}),
        ("eventlog", "1. it was mail sent.\n3. 12", {"answers": ["mail sent", None, 12]}),
        (
            "logic",
            "House 1: blue, Spanish, milk; house 2 = green, tea\n3 -> JUICE",
            {
                "assignment": {
                    "1": {"colour": "blue", "nation": "Spanish", "drink": "milk"},
                    "2": {"colour": "green", "drink": "tea"},
                    "3": {"drink": "juice"},
                }
            },
        ),
        ("meetingmatrix", "M1 -> 2, M2: slot 1, M3 = 7", {"slots": {"M1": 2, "M2": 1}}),
        ("order", "Bo is out. Gus, Bo -> Jo then Nia", {"order": ["Gus", "Bo", "Jo", "Nia"]}),
        ("schedule", "E1: 3\nE1: 4, E2 => slot 5", {"slots": {"E1": 4, "E2": 5}}),
        ("seating", "Hal, Oz, Ivy", {"circle": ["Hal", "Oz", "Ivy"]}),
    ],
)  # fmt: skip
def test_answers_in_prose(name, message, answer) -> None:
    task = find_task(name)
    instance = task.read_instance(TINY[name])
    assert task.free_text_answer(instance, ["nothing", message, "I agree!"]) == answer
    assert task.free_text_answer(instance, ["nothing", "I agree!"]) is None

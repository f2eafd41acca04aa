"""What a view says in its own words is read back as its facts, and a false fact as a false one."""

import copy
import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coordgym
from coordgym.episodes.rollout import rollout
from coordgym.errors import InstanceError
from coordgym.policies.named import make_policy
from coordgym.silo_env.pairs.analysis.conversations.conversation import (
    Conversation,
    conversation_of,
    make_conversation,
)
from coordgym.silo_env.pairs.analysis.failures.cascade import label
from coordgym.silo_env.pairs.dialogue.outcome import Message
from coordgym.silo_env.pairs.dialogue.readers import frames
from coordgym.silo_env.pairs.dialogue.readers.atoms import make_reader
from coordgym.silo_env.pairs.facts.sentences import Relation, Sentence
from coordgym.silo_env.pairs.options import PairOptions, make_config
from coordgym.silo_env.pairs.shapes.clues import ClueTask, named
from coordgym.silo_env.pairs.shapes.dealt_facts import DealtFactsTask
from coordgym.silo_env.pairs.table import ENVS, TASK_CLASSES
from coordgym.silo_env.pairs.task import FRICTIONS, SEATS, Facts, Seat, find_task

IDS = {str(entry.kwargs["task"]): entry.id for entry in ENVS}
SEEDS = (0, 1, 2)
DEALT = {
    "blueprintmaze": ("grid",), "conflictpath": ("walls",), "cube": ("layers",),
    "floodfill": ("grid",), "geomaze": ("walls",), "maze": ("grid",), "numberlink": ("blocked",),
    "rulemaze": ("grid", "forbidden"), "streetmap": ("grid",), "terrain": ("grid",),
    "timedpath": ("blocks",), "aliasedtaxonomy": ("trait",), "graphattr": ("edges", "colors"),
    "treesum": ("edges", "values"), "attrcombo": ("items",), "binpack": ("items", "bins"),
    "cipherdecode": ("map",), "crossword": ("words",), "eventlog": ("events",),
    "meetingmatrix": ("constraints",), "schedule": ("people",),
    **dict.fromkeys(("order", "seating", "logic"), ("clues",)),
}  # fmt: skip
"""The fields of a view that its own agent alone knows; elsewhere "edges", or all there are."""
DRAWN = ("grid", "layers")
CELLS = ("walls", "blocked")


@cache
def instance(task: str, seed: int) -> Any:
    rules = find_task(task)
    config = make_config(rules, None)
    draws = (rules.draw(config, np.random.default_rng([seed, k])) for k in range(1000))
    return next(drawn for drawn in draws if drawn is not None)


def views_of(task: str, seed: int) -> tuple[Facts, Facts]:
    rules = find_task(task)
    return rules.facts(instance(task, seed), 1), rules.facts(instance(task, seed), 2)


def talk(task: str, *texts: str, seed: int = 0, friction: int = 2, first: int = 0) -> Conversation:
    messages = [Message((first + k) % 2, text) for k, text in enumerate(texts)]
    given = find_task(task).to_json(instance(task, seed))
    return make_conversation(PairOptions(task=task, friction=friction), given, messages)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The names and numbers of facts, and each cell of a drawing."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    elif isinstance(value, str | int):
        yield path, value


def changed(facts: Facts, path: tuple[Any, ...], value: Any) -> Facts:
    other: Any = copy.deepcopy(facts)
    inside = other
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    return other


def falsified(task: str, facts: Facts) -> Iterator[Facts]:
    """The facts of a view, each time with one name, number or cell changed."""
    rules = find_task(task)
    if isinstance(rules, ClueTask):
        yield from other_clues(rules, facts)
        return
    elsewhere = ("edges",) if "edges" in facts else tuple(facts)
    for field in DEALT.get(task, elsewhere):
        found = list(leaves(facts[field], (field,)))
        if field in CELLS:
            yield from other_cells(facts, field)
            continue
        for path, value in found:
            if field in DRAWN:
                yield from (changed(facts, path, row) for row in other_words(value, "?@*"))
            elif field == "words":
                yield from (changed(facts, path, word) for word in other_words(value, ""))
            elif isinstance(value, int):
                column = [v for p, v in found if p[-1] == path[-1] and isinstance(v, int)]
                yield changed(facts, path, value - 1 if value == max(column) else value + 1)
            elif field != "constraints" or path[-1] != 0:
                # Rows have names of one kind in a column, tables under all of their keys.
                others = [
                    v
                    for p, v in found
                    if isinstance(v, str)
                    and v != value
                    and (p[-1] == path[-1] or len(path) == 2)
                    and v not in [w for q, w in found if q[:-1] == path[:-1] and len(q) > 2]
                ]
                yield from (changed(facts, path, other) for other in others[:1])


def other_words(word: str, kept: str) -> Iterator[str]:
    """A row or word with its first letter or cell that may change exchanged for another in it."""
    for place, mark in enumerate(word):
        others = sorted(set(word) - set(kept) - {mark})
        if mark not in kept and others:
            yield word[:place] + others[0] + word[place + 1 :]
            return


def other_cells(facts: Any, field: str) -> Iterator[Facts]:
    """The facts with a listed cell moved to one of which they say nothing."""
    every = itertools.product(range(facts["n"]), repeat=2)
    ends = itertools.chain(facts.get("route", []), *facts.get("ends", {}).values())
    known = [*facts[field], *ends]
    free = next([*cell] for cell in every if [*cell] not in known)
    yield from (changed(facts, (field, index), free) for index in range(len(facts[field])))


def is_true_from_the_front(false: Any, own: Any) -> bool:
    """Whether a place that view 2 of ``order`` counts from the back is true if it is not so
    read."""
    size = len(own["names"])
    places = [clue for clue in false["clues"] if clue[0] in ("at", "notat")]
    return any([kind, name, size - place] in own["clues"] for kind, name, place in places)


def other_clues(rules: ClueTask[Any, Any, Any], facts: Any) -> Iterator[Facts]:
    """The facts with a clue of the same kind about other names, or with another number."""
    names = rules.names(facts)
    every = [[*named(clue, names)] for clue in rules.table(names).clues]
    for index, clue in enumerate(facts["clues"]):
        for place in range(1, len(clue)):
            rest = [clue[:place], clue[place + 1 :]]
            for other in every:
                if [other[:place], other[place + 1 :]] == rest and other[place] != clue[place]:
                    yield changed(facts, ("clues", index), other)
                    break


@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("task", TASK_CLASSES)
def test_the_text_of_a_view_states_its_facts(task, friction) -> None:
    rules = find_task(task)
    for seed in SEEDS:
        views = views_of(task, seed)
        reader = make_reader(find_task(task), views, friction)
        for facts, seat in zip(views, SEATS, strict=True):
            text = rules.view_text(facts, seat, friction)
            known = reader.of_view(facts, seat)
            claims = reader.claims(text, seat)
            scheme = frames.choose(
                reader.schemes,
                [text],
                lambda each, r=reader, c=claims, k=known: len(r.heard(c, each, k) & k),
            )
            assert reader.heard(claims, scheme, known) == known


@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("task", TASK_CLASSES)
def test_agents_who_quote_their_views_are_grounded(task, friction) -> None:
    rules = find_task(task)
    for seed in SEEDS:
        texts = [
            rules.view_text(facts, seat, friction)
            for facts, seat in zip(views_of(task, seed), SEATS, strict=True)
        ]
        labels = label(talk(task, *texts, seed=seed, friction=friction))
        assert labels.ungrounded == ()
        assert labels.claims > 0
        assert labels.coverage == (1.0, 1.0)


@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("task", TASK_CLASSES)
def test_what_the_partner_told_may_be_repeated(task, friction) -> None:
    rules = find_task(task)
    for seed in SEEDS:
        views = views_of(task, seed)
        first, second = (rules.view_text(views[k], SEATS[k], friction) for k in (0, 1))
        whole = rules.view_text(rules.facts(instance(task, seed), None), 1, 0)
        for texts in ((first, second, second, first), (first, second, f"Combined map:\n{whole}")):
            assert label(talk(task, *texts, seed=seed, friction=friction)).ungrounded == ()


@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("task", TASK_CLASSES)
def test_a_changed_name_or_number_is_not_grounded(task, friction) -> None:
    tried = sum(
        _is_caught(task, seat, false, friction)
        for seat in SEATS
        for false in falsified(task, views_of(task, 0)[seat - 1])
    )
    assert tried > 0


def _is_caught(task: str, seat: Seat, false: Facts, friction: Any) -> bool:
    """Say false facts in the words of a seat; False if they may be true or have another key."""
    rules, views = find_task(task), views_of(task, 0)
    own = views[seat - 1]
    reader = make_reader(find_task(task), views, friction)
    known = reader.closure(reader.of_view(own, seat))
    if reader.of_view(false, seat) <= known:
        return False
    if isinstance(rules, DealtFactsTask) and rules.numbers(false) != rules.numbers(own):
        return False
    if task == "order" and friction == 2 and seat == 2 and is_true_from_the_front(false, own):
        return False
    try:
        text = rules.view_text(false, seat, friction)
    except InstanceError:  # no view has such facts
        return False
    labels = label(talk(task, text, friction=friction, first=seat - 1))
    assert labels.ungrounded != (), text
    return True


@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("task", TASK_CLASSES)
def test_share_and_solve_is_grounded_until_one_fact_is_changed(task, friction) -> None:
    rules = find_task(task)
    env = coordgym.make(IDS[task], friction=friction)
    episode = rollout(env, make_policy("pairs:share-and-solve"), 3)
    dialogue = conversation_of(episode)
    assert dialogue is not None
    assert dialogue.options.friction == friction
    labels = label(dialogue)
    assert labels.grounded
    assert labels.claims > 0
    own = dialogue.views[0]
    reader = make_reader(find_task(task), dialogue.views, friction)
    known = reader.closure(reader.of_view(own, 1))
    told, spoken = rules.view_text(own, 1, 0), dialogue.texts[0]
    assert told in spoken
    for false in falsified(task, own):
        if reader.of_view(false, 1) <= known:
            continue
        texts = [spoken.replace(told, rules.view_text(false, 1, 0)), *dialogue.texts[1:]]
        messages = [
            Message(message.agent, text)
            for message, text in zip(dialogue.messages, texts, strict=True)
        ]
        assert not label(make_conversation(dialogue.options, episode.instance, messages)).grounded
        break
    else:
        pytest.fail("no fact of the view could be changed")


@given(text=st.text(alphabet=st.sampled_from("ABT123456789 ,.:-=>()O'kgis\n"), max_size=200))
@settings(max_examples=25, deadline=None)
def test_any_text_can_be_read_in_the_words_of_friction_2(text) -> None:
    for task in ("treesum", "graph", "attrcombo", "binpack", "schedule", "order"):
        labels = label(talk(task, text, f"i1 {text} is free {text} at {text}"))
        assert labels.claims >= len(labels.ungrounded) >= 0


class TestTwoReadings:
    """Texts that say one thing in the words of one view and another in those of the other."""

    @staticmethod
    def claimed(task: str, text: str, friction: int = 2, first: int = 1) -> tuple[int, int]:
        labels = label(talk(task, text, friction=friction, first=first))
        return labels.claims, len(labels.ungrounded)

    @pytest.mark.parametrize("task", ["ancestorpath", "dagorder", "eulerpath", "relaquery"])
    def test_numbers_are_names_only_where_a_view_has_them(self, task) -> None:
        text = find_task(task).view_text(views_of(task, 0)[1], 2, 2)
        assert self.claimed(task, text) > (0, 0)
        assert self.claimed(task, text, friction=1) == (0, 0)

    @pytest.mark.parametrize(
        ("task", "text"),
        [
            ("eulerpath", "Your queries 1-2 and steps 3 to 4 are done: 1-3."),
            ("eulerpath", "My key is 1=A, 2=B, 3=C."),
            ("dagorder", "1 -> A, 2 -> B, and then 4 -> 1."),
            ("treesum", "A=1, B=2, C=3"),
            ("treesum", "9 + 2 = 11, so 11 + 3 = 14; 1: 77."),
            ("noderanking", "Rounds 1-2: 77"),
            ("graphattr", "green: 2, red: 3, blue 1.5"),
            ("cipherdecode", "14 = N and 20 = T."),
            ("schedule", "E1 in slot 3, E2 in slot 4."),
        ],
    )
    def test_numbers_that_may_be_something_else(self, task, text) -> None:
        assert self.claimed(task, text)[1] == 0

    def test_numbers_and_names_do_not_mix(self) -> None:
        assert self.claimed("eulerpath", "1 is joined to B.") == (0, 0)

    @pytest.mark.parametrize(
        ("task", "seat"),
        [("graph", 2), ("binpack", 2), ("meetingmatrix", 2), ("order", 2), ("logic", 2),
         ("seating", 2), ("crossword", 2), ("eventlog", 2), ("schedule", 2), ("attrcombo", 2)],
    )  # fmt: skip
    def test_a_view_may_be_told_in_the_words_of_the_other(self, task, seat) -> None:
        text = find_task(task).view_text(views_of(task, 0)[seat - 1], 1, 0)
        claims, wrong = self.claimed(task, text)
        assert claims > 0
        assert wrong == 0

    def test_the_scale_and_the_crates(self) -> None:
        views = views_of("binpack", 0)
        item, weight = next((i, w) for i, w in views[1]["items"].items() if w is not None)
        crate, limit = next((c, w) for c, w in views[1]["bins"].items() if w is not None)
        for text in (f"{item} {1000 * weight + 500} g", f"{item}: {weight}.5 kg", f"{item}: "
                     f"{weight} kg", f"{crate} holds {limit}.0 kg"):  # fmt: skip
            assert self.claimed("binpack", text) == (1, 0)
        for text in (f"{item} {1000 * weight + 400} g", f"{crate} {1000 * limit + 500} g"):
            assert self.claimed("binpack", text) == (1, 1)
        assert self.claimed("binpack", f"{item} {1000 * weight + 500} g", friction=1) == (1, 1)

    def test_free_times_as_slots_and_on_two_clocks(self) -> None:
        name, person = next(iter(views_of("schedule", 0)[0]["people"].items()))
        first, last = person["windows"][0]
        begin, zone = 8 + first, person["tz"]
        told = f"{begin}:00-{begin + last - first + 1}:00"
        local = f"{(begin + zone) % 24}:00-{(begin + zone + last - first + 1) % 24}:00"
        for text in (f"{name} is free in slots {first}-{last}.", f"{name} is free in slot {last}",
                     f"{name} is free {told} UTC", f"{name} (UTC{zone:+d}): free {local}",
                     f"{name} is free {local} local time"):  # fmt: skip
            claims, wrong = self.claimed("schedule", text, first=0)
            assert claims > 0
            assert wrong == 0
        assert self.claimed("schedule", f"{name} is free {begin}:30-{begin + 1}:00 UTC") == (1, 1)
        assert self.claimed("schedule", f"{name} is not free in slot 99") == (0, 0)
        assert self.claimed("schedule", f"{name} is free in slot 99") == (1, 1)

    def test_start_times_are_first_those_of_the_clock_that_a_view_has(self) -> None:
        given = find_task("meetingmatrix").to_json(instance("meetingmatrix", 0))
        clues = [["conflict", "M1", "M2"], ["not", "M3", 1], ["not", "M3", 3]]
        given |= {
            "meetings": ["M1", "M2", "M3"], "slots": 3, "constraints": clues, "owner": [1, 2, 2],
        }  # fmt: skip
        rules = find_task("meetingmatrix")
        facts = rules.facts(rules.read_instance(given), 2)
        said = [Message(1, rules.view_text(facts, 2, 2))]
        labels = label(
            make_conversation(PairOptions(task="meetingmatrix", friction=2), given, said)
        )
        assert labels.claims == 2
        assert labels.coverage[1] == 1.0

    def test_a_time_is_of_either_clock_but_not_shifted_the_wrong_way(self) -> None:
        first, second = (dict(view["events"]) for view in views_of("eventlog", 0))
        sync = views_of("eventlog", 0)[0]["sync"]
        offset = second[sync] - first[sync]
        name, minute = next((n, m) for n, m in second.items() if n != sync)
        for late, wrong in ((0, 0), (-offset, 0), (offset, 1)):
            hour, rest = divmod(minute + late, 60)
            assert self.claimed("eventlog", f"{name} at {hour}:{rest:02d}") == (1, wrong)


def test_claims_are_read_in_the_words_that_a_task_has(monkeypatch) -> None:
    """Whoever rewords a task rewords its reader."""
    rules, views = find_task("treesum"), views_of("treesum", 0)
    own = views[0]["edges"][0]
    reworded = Sentence("{1} grows out of {0}")

    def claimed() -> set[tuple[str, ...]]:
        reader = make_reader(rules, views, 0)
        return {claim.atom for claim in reader.claims(reworded.say(own), 1)}

    assert claimed() == set()
    relations = {**rules.relations, "edges": Relation("parent", (reworded,))}
    monkeypatch.setattr(type(rules), "relations", relations)
    assert claimed() == {("parent", *own)}

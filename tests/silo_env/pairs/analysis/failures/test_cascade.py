"""The four stages of a dialogue: what is claimed, asked, put together and worked out again."""

from dataclasses import replace

import pytest
from cases import cases, first_case
from hypothesis import given, settings
from hypothesis import strategies as st

import coordgym
from coordgym.episodes.rollout import rollout
from coordgym.errors import EpisodeError
from coordgym.policies.named import make_policy
from coordgym.silo_env.pairs.analysis.conversations.conversation import (
    Conversation,
    conversation_of,
    conversations_of,
    make_conversation,
)
from coordgym.silo_env.pairs.analysis.failures.cascade import checks_needed, label
from coordgym.silo_env.pairs.analysis.failures.stages import is_labelled, label_all
from coordgym.silo_env.pairs.dialogue.outcome import Message
from coordgym.silo_env.pairs.dialogue.readers import frames
from coordgym.silo_env.pairs.dialogue.readers.atoms import make_reader
from coordgym.silo_env.pairs.dialogue.readers.generic import GenericReader
from coordgym.silo_env.pairs.dialogue.utterances import (
    assertions,
    has_integration_header,
    is_specific_request,
    shown_work,
    without_answers,
)
from coordgym.silo_env.pairs.grids.schemes import SCHEMES, encode
from coordgym.silo_env.pairs.options import PairOptions
from coordgym.silo_env.pairs.table import ENVS, TASK_CLASSES
from coordgym.silo_env.pairs.task import PairTask, find_task

IDS = {str(entry.kwargs["task"]): entry.id for entry in ENVS}
MAZE_ROUTE = [[0, 0], [1, 0], [2, 0], [3, 0], [3, 1], [3, 2], [3, 3]]
MAZE_ANSWER = f'FINAL ANSWER: {{"path": {MAZE_ROUTE}}}'
FRAME = "I write (row, column), counted from 0 at the top left. "


def case(task: str, seed: int | None = None) -> dict:
    """The first tiny reference instance of a task, or that of a seed."""
    wanted = {"task": task, "size": "tiny"} | ({} if seed is None else {"seed": seed})
    return first_case("pair_cases", **wanted)["instance"]


def talk(*texts: str, task: str = "maze", first: int = 0) -> Conversation:
    """A dialogue about the first reference instance; the agents take turns."""
    messages = [Message((first + index) % 2, text) for index, text in enumerate(texts)]
    return make_conversation(PairOptions(task=task), case(task), messages)


def views_of(task: str):
    rules = find_task(task)
    parsed = rules.read_instance(case(task))
    return rules, (rules.facts(parsed, 1), rules.facts(parsed, 2))


@pytest.mark.parametrize("transcript", cases("pair_transcripts"), ids=lambda item: item["id"])
def test_reference_transcripts(transcript) -> None:
    messages = [Message(item["agent"] - 1, item["text"]) for item in transcript["messages"]]
    instance = case(transcript["task"], transcript["instance_seed"])
    dialogue = make_conversation(PairOptions(task=transcript["task"]), instance, messages)
    assert dialogue.decisive == transcript["decisive_message"]
    assert dialogue.outcome.capped == transcript["capped"]
    assert dialogue.outcome.answer == transcript["candidate"]
    labels = {stage: int(value) for stage, value in label(dialogue).labels.items()}
    assert labels == transcript["labels"]


READ_BY_THEIR_OWN = [
    name for name in TASK_CLASSES if type(find_task(name)).reader is not PairTask.reader
]


def test_the_tasks_of_the_paper_have_readers_of_their_own() -> None:
    assert len(READ_BY_THEIR_OWN) >= 32


@pytest.mark.parametrize("task", READ_BY_THEIR_OWN)
def test_a_reader_of_a_task_tells_its_views_apart(task) -> None:
    rules, views = views_of(task)
    reader = make_reader(rules, views, 1)
    assert not isinstance(reader, GenericReader)
    assert reader.of_view(views[0], 1) != reader.of_view(views[1], 2)


@pytest.mark.parametrize("task", TASK_CLASSES)
def test_a_task_without_a_reader_is_read_by_its_own_facts(task, monkeypatch) -> None:
    monkeypatch.setattr(type(find_task(task)), "reader", PairTask.reader)
    episode = rollout(
        coordgym.make(IDS[task]),
        make_policy("pairs:share-and-solve"),
        0,
        options={"instance": case(task)},
    )
    dialogue = conversation_of(episode)
    labels = label(dialogue)
    assert labels.claims > 0
    assert min(labels.coverage) > 0
    rules, views = views_of(task)
    stolen = label(talk(rules.view_text(views[1], 1, 0), task=task))
    assert stolen.ungrounded != ()


@pytest.mark.parametrize("task", TASK_CLASSES)
def test_share_and_solve_is_grounded_and_integrated(task) -> None:
    env = coordgym.make(IDS[task])
    policy = make_policy("pairs:share-and-solve")
    episode = rollout(env, policy, 0, options={"instance": case(task)})
    dialogue = conversation_of(episode)
    assert dialogue is not None
    assert dialogue.success
    labels = label(dialogue)
    assert labels.ungrounded == ()
    assert labels.claims > 0
    assert labels.integrated
    assert labels.rederived
    assert labels.coverage == (1.0, 1.0)


@pytest.mark.parametrize("task", TASK_CLASSES)
def test_nobody_may_claim_what_only_the_partner_sees(task) -> None:
    rules, views = views_of(task)
    labels = label(talk(rules.view_text(views[1], 1, 0), task=task))
    assert labels.ungrounded != ()
    assert not labels.grounded


class TestFrames:
    @pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: str(scheme.number))
    def test_one_scheme_for_the_dialogue_is_found(self, scheme) -> None:
        instance = case("maze")
        grid, owner = instance["grid"], instance["owner"]
        said = {"1": [], "2": []}
        for row, line in enumerate(grid):
            for column, symbol in enumerate(line):
                if owner[row][column] in "12":
                    a, b = encode((row, column), scheme, 4, 4)
                    what = "a wall" if symbol == "#" else "open"
                    said[owner[row][column]].append(f"({a}, {b}) is {what}")
        labels = label(talk("; ".join(said["1"]) + ".", "; ".join(said["2"]) + "."))
        assert labels.grounded
        assert labels.coverage == (1.0, 1.0)

    def test_declared_parts_hold(self) -> None:
        parts = frames.declared(["I use (x, y), 1-based, counted from the bottom-left corner."])
        assert parts == {"axes": "col_row", "origin": 1, "corner": "bottom_left"}
        parts = frames.declared(["The goal is at the bottom-right."])
        assert parts == {}

    def test_rows_in_words_and_labelled_rows(self) -> None:
        labels = label(talk(f"{FRAME}Row 1, column 0 is open. A wall is at row 0, column 2."))
        assert labels.grounded
        assert labels.claims == 2
        assert label(talk("Row 0: @ . # ?\nRow 3: . . ? *")).claims == 6
        assert label(talk("Row 0: @ . # ?\nRow 3: . . ? *")).grounded
        assert not label(talk("Row 0: @ # # ?\nRow 3: . . ? *")).grounded


class TestGrounded:
    def test_questions_hedges_and_proposals_claim_nothing(self) -> None:
        text = (
            "Maybe (1,1) is open. If (1,1) is open, we go there. Is (1,2) a wall? "
            "(2,0) is open (assumed). I propose (1,1), (2,1). Route: (0,0), (1,1).\n" + MAZE_ANSWER
        )
        assert label(talk(text)).claims == 0

    def test_what_the_partner_said_may_be_repeated(self) -> None:
        assert not label(talk(f"{FRAME}(2,0) is open.")).grounded
        assert label(talk(FRAME, "(2,0) is open.", "So (2,0) is open.")).grounded

    def test_a_fact_may_not_be_repeated_before_it_was_told(self) -> None:
        labels = label(talk(f"{FRAME}(2,0) is open.", "(2,0) is open."))
        assert labels.ungrounded == (("cell", 2, 0, "."),)

    def test_denials_and_lists(self) -> None:
        assert label(talk(f"{FRAME}(0,1) is not a wall. Walls: (0,2), (2,3).")).grounded
        denied = label(talk(f"{FRAME}(0,2) is not a wall."))
        assert denied.ungrounded == (("not", "cell", 0, 2, "#"),)
        assert label(talk("(0,1), (1,0) and (2,2) are open; (0,2) is blocked.")).claims == 4

    @pytest.mark.parametrize(
        ("text", "claims"),
        [
            ("**Open:** (0,1), (1,0)\n**Walls:** (0, 2), (2, 3)", 4),
            ("- (0,1): open\n- (0,2) -> wall\n- `(2,2)` - path", 3),
            ("Row 0: `@ . # ?`\nRow 1: . ? ? ?", 4),
            ("Row 0: [@, ., #, ?]\nRow 1: ['.', '?', '?', '?']", 4),
            ("| @ | . | # | ? |\n| . | ? | ? | ? |\n| ? | ? | . | # |\n| . | . | ? | * |", 9),
            ("@.#?\n.???\n??.#\n..?*", 9),
            ("There is no wall at (0,1), but there's a wall at (0,2).", 2),
        ],
    )
    def test_habits_of_language_models(self, text, claims) -> None:
        labels = label(talk(f"{FRAME}\n{text}"))
        assert labels.claims == claims
        assert labels.ungrounded == ()

    @pytest.mark.parametrize(
        ("task", "true", "false"),
        [
            ("binpack", "i1 weighs 3 kg.", "i1 weighs 4 kg."),
            ("binpack", "i3: 5000 g", "i3: 6000 g"),
            ("cipherdecode", "I -> Z and V -> O", "I -> R"),
            ("ancestorpath", "Cy is a child of Lou.", "Cy is a child of Ada."),
            ("treesum", "A = 14", "A = 15"),
            ("graph", "A-C: 8 min", "A-C: 9 min"),
            ("graph", "(3,0) to (3,2) takes 8 minutes", "(3,0) to (1,0) takes 8 minutes"),
            ("eulerpath", "C-A and island C is joined to island D", "A-B"),
            ("graphattr", "emerald A, and C touches D", "A is red"),
            ("dagorder", "B requires C", "C requires B"),
            ("graphpath", "C is reached from A by e46", "e46: C -> A"),
            ("attrcombo", "T1: red and small", "T1: blue"),
            ("eventlog", "crate moved at 9:23 am", "crate moved at 9:32 am"),
            ("meetingmatrix", "M4 cannot be in slot 2", "M3 cannot be in slot 1"),
            ("schedule", "Max (UTC+3): free 13:00-15:00", "Max (UTC+3): free 12:00-15:00"),
            ("schedule", "Gus is free 9-11 UTC", "Gus is free 10-11 UTC"),
            ("crossword", "My words across: KAB, SOS", "My words across: KAB, BUS"),
            ("order", "Bo stands before Nia", "Nia stands before Bo"),
            ("order", "Nia stands behind Bo", "Gus stands behind Bo"),
            ("seating", "Oz and Nia are not neighbours", "Oz and Nia are neighbours"),
            ("logic", "Irish and tea belong to the same house", "Irish is not in house 2 "
             "(counting from the left)"),
            ("aliasedtaxonomy", "lepa contains tilu", "lepa contains koru"),
            ("numberlink", "Terminal 2 at (0, 1), blocked: (1, 1), (1, 2)", "(0,0) is blocked"),
            ("geomaze", "a wall on the north side of row 1, column 0", "wall between (0,1) and "
             "(1,1)"),
            ("timedpath", "(1,1) is closed at ticks 2-3", "(1,1) is closed at ticks 2-4"),
            ("rulemaze", "You may not step from azure to emerald", "No step from red to blue"),
        ],
    )  # fmt: skip
    def test_facts_in_other_words(self, task, true, false) -> None:
        good, bad = label(talk(true, task=task)), label(talk(false, task=task))
        assert good.claims > 0
        assert good.ungrounded == ()
        assert bad.claims > 0
        assert bad.ungrounded != ()

    def test_a_denied_link_is_no_claim(self) -> None:
        assert label(talk("There is no bridge A-B.", task="eulerpath")).claims == 0


class TestQueried:
    ENTITY = make_reader(find_task("maze"), views_of("maze")[1], 1).entity

    @pytest.mark.parametrize(
        "sentence",
        [
            "Which cells of row 1 are open on your map?",
            "Where is the goal?",
            "What does the right half look like?",
            "Is there something at (2, 1)?",
            "Please state the capacity of b2.",
            "Tell me your walls",
        ],
    )
    def test_specific_requests(self, sentence) -> None:
        assert is_specific_request(sentence, self.ENTITY)

    @pytest.mark.parametrize(
        "sentence",
        [
            "What do you see on your map?",
            "What do you see after moving?",
            "Do you agree with the route via (1,0)?",
            "Does that look right?",
            "Ready?",
            "Is that correct, is (1,0) the goal?",
            "The goal is at (3, 3).",
            "What now?",
            "Please state everything that your view shows.",
        ],
    )
    def test_other_sentences(self, sentence) -> None:
        assert not is_specific_request(sentence, self.ENTITY)

    def test_questions_of_the_task_are_no_requests(self) -> None:
        rules, views = views_of("graphattr")
        told = talk(rules.view_text(views[0], 1, 0), task="graphattr")
        assert not label(told).queried
        assert label(talk("Which colour does C have?", task="graphattr")).queried


class TestIntegrated:
    TELL = "(2,0) is open, (1,2) is open, (1,3) is open, (3,2) is open."

    def test_a_headed_block_needs_facts_of_both(self) -> None:
        headed = "Combined map: (1,0) is open, (3,0) is open, (2,0) is open, (1,2) is open."
        assert label(talk("Hi.", self.TELL, f"{headed}\n{MAZE_ANSWER}")).integrated
        own = "Combined map: (1,0) is open, (3,0) is open."
        assert not label(talk("Hi.", self.TELL, f"{own}\n{MAZE_ANSWER}")).integrated

    def test_a_block_invented_before_the_partner_spoke(self) -> None:
        headed = "Combined map: (1,0) is open, (3,0) is open. (1,1) is open, (0,3) is open."
        assert not label(talk(f"{headed}\n{MAZE_ANSWER}")).integrated

    def test_half_of_both_views_needs_no_heading(self) -> None:
        half = "(0,1), (1,0), (2,2), (3,0) are open; (2,0), (1,2), (1,3), (3,2) are open."
        assert label(talk("Hi.", self.TELL, f"{half}\n{MAZE_ANSWER}")).integrated

    def test_what_follows_the_answer_does_not_count(self) -> None:
        late = "Combined map: (1,0) is open, (3,0) is open, (2,0) is open, (1,2) is open."
        assert not label(talk("Hi.", self.TELL, f"{MAZE_ANSWER}\n{late}")).integrated
        assert not label(talk("Hi.", self.TELL, MAZE_ANSWER, late)).integrated

    def test_headings(self) -> None:
        assert has_integration_header("Putting what we know together:")
        assert not has_integration_header("My view:")


class TestRederived:
    WORK = "(1,0) is open; (2,0) is open; (3,0) is free."

    def test_the_receiver_has_to_work(self) -> None:
        assert label(talk(MAZE_ANSWER, f"{self.WORK} ACTI!")).rederived
        assert not label(talk(MAZE_ANSWER, "I agree, confirmed. ACTI!")).rederived
        assert not label(talk(MAZE_ANSWER, "(1,0) is open; (2,0) is open. ACTI!")).rederived

    def test_not_the_proposer_and_not_after_the_end(self) -> None:
        assert not label(talk(MAZE_ANSWER, "ok", f"{self.WORK} ACTI!")).rederived
        assert not label(talk(MAZE_ANSWER, f"ACTI! {self.WORK}")).rederived
        assert not label(talk(f"{self.WORK} {MAZE_ANSWER} ACTI!")).rederived

    def test_another_answer_turns_the_roles(self) -> None:
        other = 'FINAL ANSWER: {"path": [[0, 0], [0, 1]]}'
        assert label(talk(MAZE_ANSWER, f"No. {other}", self.WORK, MAZE_ANSWER, "ACTI!")).rederived

    def test_a_sum_written_out_suffices(self) -> None:
        answer = 'FINAL ANSWER: {"sum": 27}'
        assert label(talk(answer, "14 + 6 + 1 + 6 = 27 ACTI!", task="treesum")).rederived
        assert not label(talk(answer, "27 it is. ACTI!", task="treesum")).rederived

    def test_work_grows_with_the_answer(self) -> None:
        assert checks_needed(find_task("maze"), {"path": MAZE_ROUTE[:3]}) == 1
        assert checks_needed(find_task("maze"), {"path": MAZE_ROUTE}) == 3
        assert checks_needed(find_task("maze"), {"path": MAZE_ROUTE * 3}) == 4
        assert checks_needed(find_task("maze"), {"moves": ["D", "D", "R"]}) == 2
        assert checks_needed(find_task("treesum"), {"sum": 27}) == 1
        assert (
            checks_needed(find_task("binpack"), {"assign": {"i1": "b1", "i2": "b1", "i3": "b2"}})
            == 2
        )

    def test_a_check_that_names_nothing_belongs_to_the_part_before(self) -> None:
        entity = make_reader(find_task("maze"), views_of("maze")[1], 1).entity
        assert shown_work("(1,0), holds; (2,0), fits", entity).segments == 2
        assert shown_work("holds, fits, valid", entity).segments == 0


class TestDialogues:
    def test_refused_messages_and_the_cap(self) -> None:
        messages = [Message(0, None), Message(1, MAZE_ANSWER), Message(0, None)]
        dialogue = make_conversation(PairOptions(), case("maze"), messages)
        assert dialogue.outcome.capped
        assert (dialogue.decisive, dialogue.ended) == (1, 2)
        assert label(dialogue).grounded

    def test_no_answer(self) -> None:
        dialogue = talk("Hello.", "Hello.")
        assert dialogue.outcome.answer is None
        assert (dialogue.decisive, dialogue.ended) == (1, 1)
        assert label(dialogue).fired == ("L2", "L3", "L4")

    def test_an_answer_in_prose_is_found_where_it_was_said(self) -> None:
        route = " -> ".join(f"({r}, {c})" for r, c in MAZE_ROUTE)
        dialogue = talk("Hi.", f"Let us take {route}.", "Yes. ACTI!")
        assert dialogue.success
        assert dialogue.decisive == 1

    def test_solo_episodes_and_those_with_clauses_are_not_labelled(self) -> None:
        for kwargs in ({"mode": "solo_full"}, {"clauses": "all"}):
            env = coordgym.make("PairMaze-v0", config={"n": 4}, **kwargs)
            episode = rollout(env, make_policy("pairs:share-and-solve"), 0)
            assert conversation_of(episode, keep=is_labelled) is None
            conversations = conversations_of([episode])
            assert len(conversations) == 1
            assert label_all(conversations) == []

    def test_other_families_and_failures_have_none(self) -> None:
        other = rollout(coordgym.make("GraphColoring-v0"), make_policy("random"), 0)
        env = coordgym.make("PairMaze-v0", config={"n": 4})
        pair = rollout(env, make_policy("pairs:one-view"), 0)
        assert conversations_of([other, replace(pair, failure="broken")]) == []
        assert len(conversations_of([pair])) == 1

    def test_nobody_said_anything(self) -> None:
        with pytest.raises(EpisodeError, match="no messages"):
            make_conversation(PairOptions(), case("maze"), [])


@given(text=st.text(max_size=300))
@settings(max_examples=40, deadline=None)
def test_any_text_can_be_labelled(text) -> None:
    for task in ("maze", "cube", "logic", "schedule"):
        labels = label(talk(text, f"{text} is open", task=task))
        assert labels.claims >= len(labels.ungrounded) >= 0
    assert all(isinstance(part, str) for part in assertions(text))


def test_answers_are_cut_out() -> None:
    text = 'Before. FINAL ANSWER: {"path": [[0, 0],\n[0, 1]]} after'
    assert without_answers(text).split() == ["Before.", "after"]
    assert without_answers("final answer: none\nNext") == "\nNext"

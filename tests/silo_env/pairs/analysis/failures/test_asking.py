"""Questions to a model: what is kept on the disk, what is asked again, what failures leave."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from coordgym.errors import EpisodeError, ModelError
from coordgym.policies.protocol import Completion
from coordgym.silo_env.pairs.analysis.failures.asking import (
    CHECK,
    FAILURES_BEFORE_CHECK,
    GROUP,
    MAX_REPLY_CHARS,
    CachedAsk,
    Chat,
    Question,
)


class FakeAsk:
    """Answers by shouting the last message; fails at chats that hold "bad", or when down."""

    model = "fake"

    def __init__(self, settings: str = "", *, down: bool = False) -> None:
        self.settings = settings
        self.down = down
        self.calls: list[list[Chat]] = []
        self.drawn: list[tuple[float, int]] = []

    def __call__(
        self, chats: Sequence[Chat], *, temperature: float, seeds: Sequence[int]
    ) -> Sequence[Completion | ModelError]:
        self.calls.append(list(chats))
        self.drawn += [(temperature, seed) for seed in seeds]
        if self.down or any("bad" in chat[-1] for chat in chats):
            raise ModelError("no luck \ud800")
        return [Completion(chat[-1].upper(), finish_reason="stop", model="f1") for chat in chats]

    @property
    def asked(self) -> list[str]:
        return [chat[-1] for chats in self.calls for chat in chats]


def questions(*texts: str, seed: int = 0) -> list[Question]:
    return [Question((text,), seed) for text in texts]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "replies.jsonl"


class TestKeeping:
    def test_replies_come_in_order_and_are_asked_once(self, path) -> None:
        ask = FakeAsk()
        replies = CachedAsk(ask, path).replies("test", questions("b", "a", "b"), 0.5)
        assert [reply.text for reply in replies] == ["B", "A", "B"]
        assert ask.calls == [[("b",), ("a",)]]
        again = FakeAsk()
        more = CachedAsk(again, path).replies("test", questions("a", "c", "b"), 0.5)
        assert [reply.text for reply in more] == ["A", "C", "B"]
        assert again.asked == ["c"]

    def test_what_a_reply_depends_on_makes_it_another(self, path) -> None:
        CachedAsk(FakeAsk(), path).replies("test", questions("a"), 0.5)
        other_model = FakeAsk()
        other_model.model = "other"  # type: ignore[misc]
        for ask, asked, temperature in (
            (FakeAsk(), questions("a"), 0.2),
            (FakeAsk(), questions("a", seed=1), 0.5),
            (FakeAsk(), [Question(("a", "x", "a"))], 0.5),
            (FakeAsk("max_new_tokens 9"), questions("a"), 0.5),
            (other_model, questions("a"), 0.5),
        ):
            CachedAsk(ask, path).replies("test", asked, temperature)
            assert len(ask.asked) == 1
        assert len(path.read_text().splitlines()) == 6

    def test_a_line_tells_what_was_asked_and_answered(self, path) -> None:
        CachedAsk(FakeAsk(), path).replies("test", questions("a", seed=7), 0.5)
        line = json.loads(path.read_text())
        assert len(line.pop("key")) == 64
        assert line == {
            "purpose": "test", "model": "fake", "temperature": 0.5, "seed": 7, "text": "A",
            "finish_reason": "stop", "answered_by": "f1",
        }  # fmt: skip

    def test_a_torn_last_line_is_asked_again(self, path) -> None:
        CachedAsk(FakeAsk(), path).replies("test", questions("a", "b"), 0.5)
        path.write_bytes(path.read_bytes()[:-10])
        ask = FakeAsk()
        replies = CachedAsk(ask, path).replies("test", questions("a", "b"), 0.5)
        assert [reply.text for reply in replies] == ["A", "B"]
        assert ask.asked == ["b"]
        assert len(path.read_text().splitlines()) == 2

    @pytest.mark.parametrize(
        "line", [b"{", b'{"key": "x"}', b"[]", b'{"key": 1}', b"", b"\xff\x00", b'{"key": "x"' * 9]
    )
    def test_a_damaged_line_costs_its_own_reply_only(self, path, line) -> None:
        CachedAsk(FakeAsk(), path).replies("test", questions("a", "b", "c"), 0.5)
        first, _, last = path.read_bytes().splitlines()
        path.write_bytes(b"\n".join([first, line, last, b""]))
        ask = FakeAsk()
        with pytest.warns(UserWarning, match=r"1 damaged lines .*replies\.jsonl line 2"):
            replies = CachedAsk(ask, path).replies("test", questions("a", "b", "c"), 0.5)
        assert [reply.text for reply in replies] == ["A", "B", "C"]
        assert ask.asked == ["b"]

    def test_two_runs_at_once_are_kept_apart(self, path) -> None:
        pytest.importorskip("fcntl")

        class Nested(FakeAsk):
            def __call__(self, chats, *, temperature, seeds):
                CachedAsk(FakeAsk(), path).replies("test", questions("b"), 0.5)
                raise AssertionError("the file was not locked")

        with pytest.raises(EpisodeError, match="another run"):
            CachedAsk(Nested(), path).replies("test", questions("a"), 0.5)

    def test_seeds_stay_in_range_and_progress_is_told(self, path) -> None:
        told: list[tuple[int, int]] = []
        ask = FakeAsk()
        cached = CachedAsk(ask, path, lambda done, total: told.append((done, total)))
        cached.replies("test", questions(*map(str, range(GROUP + 1)), seed=2**40 + 3), 0.5)
        assert told == [(0, GROUP + 1), (GROUP, GROUP + 1), (GROUP + 1, GROUP + 1)]
        assert set(ask.drawn) == {(0.5, 3)}
        told.clear()
        cached.replies("test", questions("0", seed=2**40 + 3), 0.5)
        assert told == []


class TestFailures:
    def test_one_failure_loses_no_other_reply(self, path) -> None:
        texts = [str(k) for k in range(GROUP)]
        texts[10] = "bad"
        replies = CachedAsk(FakeAsk(), path).replies("test", questions(*texts), 0.5)
        assert [k for k, reply in enumerate(replies) if reply.text is None] == [10]
        assert replies[10].problem == "no luck ?"
        assert len(path.read_text().splitlines()) == GROUP - 1

    def test_replies_are_on_the_disk_before_the_next_group(self, path) -> None:
        class Killed(FakeAsk):
            def __call__(self, chats, *, temperature, seeds):
                if self.calls:
                    raise KeyboardInterrupt
                return super().__call__(chats, temperature=temperature, seeds=seeds)

        asked = questions(*map(str, range(GROUP + 5)))
        with pytest.raises(KeyboardInterrupt):
            CachedAsk(Killed(), path).replies("test", asked, 0.5)
        ask = FakeAsk()
        CachedAsk(ask, path).replies("test", asked, 0.5)
        assert len(ask.asked) == 5

    def test_many_bad_questions_do_not_stop_the_good_ones(self, path) -> None:
        texts = [f"bad {k}" for k in range(5 * FAILURES_BEFORE_CHECK)] + ["good"]
        ask = FakeAsk()
        replies = CachedAsk(ask, path).replies("test", questions(*texts), 0.5)
        assert [reply.text for reply in replies if reply.text] == ["GOOD"]
        assert CHECK in [chat for chats in ask.calls for chat in chats]

    def test_a_model_that_is_down_is_given_up_and_asked_by_the_next_run(self, path) -> None:
        ask = FakeAsk(down=True)
        cached = CachedAsk(ask, path)
        asked = questions(*map(str, range(10 * GROUP)))
        replies = cached.replies("test", asked, 0.5)
        assert all(reply.text is None for reply in replies)
        assert "no longer asked: no luck" in replies[-1].problem
        assert len(ask.calls) < 20
        ask.down = False
        assert cached.replies("test", questions("x"), 0.5)[0].text is None
        assert all(r.text for r in CachedAsk(FakeAsk(), path).replies("test", asked, 0.5))

    def test_replies_beside_a_failure_are_kept_and_not_asked_again(self, path) -> None:
        ask = Each()
        texts = [f"bad {k}" if k % 4 == 1 else str(k) for k in range(GROUP)]
        replies = CachedAsk(ask, path).replies("test", questions(*texts), 0.5)
        assert [reply.text is None for reply in replies] == ["bad" in text for text in texts]
        assert replies[1].problem == "no luck ?"
        assert ask.asked == texts
        again = Each()
        CachedAsk(again, path).replies("test", questions(*texts), 0.5)
        assert again.calls[0] == [(text,) for text in texts if "bad" in text]
        assert {chat for chats in again.calls[1:] for chat in chats} == {CHECK}

    def test_failures_in_place_give_a_dead_model_up_after_one_check(self, path) -> None:
        ask = Each(down=True)
        asked = questions(*map(str, range(3 * GROUP)))
        replies = CachedAsk(ask, path).replies("test", asked, 0.5)
        assert "no longer asked: no luck" in replies[-1].problem
        assert [len(chats) for chats in ask.calls] == [GROUP, 1]


class Each(FakeAsk):
    """Fails at single chats."""

    def __call__(
        self, chats: Sequence[Chat], *, temperature: float, seeds: Sequence[int]
    ) -> Sequence[Completion | ModelError]:
        self.calls.append(list(chats))
        return [
            ModelError("no luck \ud800")
            if self.down or "bad" in chat[-1]
            else Completion(chat[-1].upper())
            for chat in chats
        ]


class Says:
    """Always gives the same completion."""

    model, settings = "says", ""

    def __init__(self, text: str, finish_reason: str | None = "stop") -> None:
        self.completion = Completion(text, finish_reason=finish_reason)
        self.calls = 0

    def __call__(self, chats, *, temperature, seeds) -> list[Completion]:
        self.calls += 1
        return [self.completion] * len(chats)


class TestTexts:
    @pytest.mark.parametrize(
        ("given", "text"),
        [
            ("  word \n", "word"),
            ("<think>hm</think>\nword", "word"),
            ("hm</think>word", "word"),
            ("I think <b>", "I think <b>"),
        ],
    )
    def test_thoughts_are_left_out(self, path, given, text) -> None:
        (reply,) = CachedAsk(Says(given), path).replies("test", questions("a"), 0.5)
        assert (reply.text, reply.problem) == (text, "")

    @pytest.mark.parametrize(
        ("given", "problem"),
        [
            ("", "no text"),
            ("<think>and so on", "no text"),
            ("half \ud800 pair", "not valid Unicode"),
            ("x" * (MAX_REPLY_CHARS + 1), "characters"),
        ],
    )
    def test_what_no_reader_can_use(self, path, given, problem) -> None:
        (reply,) = CachedAsk(Says(given), path).replies("test", questions("a"), 0.5)
        assert reply.text is None
        assert problem in reply.problem
        reply.problem.encode("utf-8")

    def test_replies_without_text_are_asked_again(self, path) -> None:
        ask = Says("", "content_filter")
        for _ in range(2):
            (reply,) = CachedAsk(ask, path).replies("test", questions("a"), 0.5)
        assert "content_filter" in reply.problem
        assert ask.calls == 2

    def test_a_reply_that_was_cut_says_so(self, path) -> None:
        (reply,) = CachedAsk(Says("word", "length"), path).replies("test", questions("a"), 0.5)
        assert reply.cut

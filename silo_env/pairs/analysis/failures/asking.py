"""Questions to a language model about recorded conversations; every reply is kept on the disk.

The analysis knows no models: it is given something that takes chats and returns completions
(``Ask``; ``coordgym.agents.asking`` makes one of every backend). ``CachedAsk`` asks in groups and
writes each group's replies to a file at once, so that the same questions, after whatever went
wrong, are asked again only as far as they have no reply yet.
"""

import hashlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, TypeAlias

from coordgym.data import jsonl
from coordgym.data.plain import encodable
from coordgym.data.strict import build
from coordgym.errors import EpisodeError, ModelError
from coordgym.parsing import valid_text
from coordgym.parsing.reasoning import split_reasoning
from coordgym.policies.protocol import Completion

REPLIES_FILE = "replies.jsonl"
GROUP = 32
"""Questions asked at a time; a run that is killed loses the replies of one group."""
MAX_REPLY_CHARS = 100_000
FAILURES_BEFORE_CHECK = 3
"""So many failures in a row, and a trivial question tells whether the model works at all."""
CHECK: "Chat" = ("Reply with the word yes.",)
LARGEST_SEED = 2**31 - 1

Chat: TypeAlias = tuple[str, ...]
"""Messages of user and model in turn; the first and the last are the user's."""
Tell: TypeAlias = Callable[[int, int], None]
"""Called before the first group and after each with the number of questions done and of all that
were missing."""
Waiting: TypeAlias = Callable[[int], AbstractContextManager[object]]
"""Entered while the model answers a number of questions."""


class Ask(Protocol):
    """A language model that answers chats.

    Attributes:
        model: Its name, as tables and files show it.
        settings: What replies depend on besides model, chat, temperature and seed, such as their
            greatest length; only its hash is kept.
    """

    model: str
    settings: str

    def __call__(
        self, chats: Sequence[Chat], *, temperature: float, seeds: Sequence[int]
    ) -> Sequence[Completion | ModelError]:
        """Return one completion per chat, in order, or in its place why there is none.

        Raises:
            ModelError: One of the chats can't be answered, and it isn't known which; they are
                asked again in smaller groups.
        """
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """A chat to be continued.

    Attributes:
        chat: The chat.
        seed: Seed of the reply's sampling; questions that differ in it have replies of their own.
    """

    chat: Chat
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question.

    Attributes:
        text: The reply without the model's thoughts; None if there is none that can be used.
        problem: Why there is none.
        cut: Whether it ended at its greatest length.
    """

    text: str | None
    problem: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class KeptReply:
    """One line of the file of replies.

    Attributes:
        key: Hash of all that the reply depends on.
        purpose: What was asked for.
        model: The model that was asked.
        temperature: Of the sampling.
        seed: Of the sampling.
        text: The reply as it came.
        finish_reason: Why it ended, in the backend's words.
        answered_by: What the endpoint calls the model that answered.
    """

    key: str
    purpose: str
    model: str
    temperature: float
    seed: int
    text: str
    finish_reason: str | None = None
    answered_by: str | None = None


class CachedAsk:
    """Asks a model and keeps its replies in a file.

    Args:
        ask: The model.
        path: The file, JSON lines; made if needed.
        tell: Called before the first group of questions and after each.
        waiting: Entered while the model answers.
    """

    def __init__(
        self,
        ask: Ask,
        path: str | Path,
        tell: Tell | None = None,
        waiting: Waiting = nullcontext,
    ) -> None:
        self.model = ask.model
        self.path = Path(path)
        self._ask = ask
        self._tell = tell
        self._waiting = waiting
        self._failures = 0
        self._given_up = ""

    def replies(
        self, purpose: str, questions: Sequence[Question], temperature: float
    ) -> list[Reply]:
        """Return the replies to questions, in order; what the file lacks is asked.

        A question that fails has a reply without text. If the model fails at a trivial question
        too, no more is asked, now and later.

        Args:
            purpose: What is asked for, for whoever reads the file.
            questions: The questions; equal ones are asked once.
            temperature: Of the sampling.

        Raises:
            EpisodeError: Another run is writing to the file.

        Warns:
            UserWarning: Lines of the file are damaged; what they held is asked again.
        """
        keys = [self._key(question, temperature) for question in questions]
        with _opened(self.path) as file:
            kept = _read(self.path)
            missing = {
                key: question
                for key, question in zip(keys, questions, strict=True)
                if key not in kept
            }
            problems: dict[str, str] = {}
            for key, found in self._asked(missing, temperature):
                if isinstance(found, str):
                    problems[key] = found
                    continue
                line = KeptReply(
                    key, purpose, self.model, temperature, missing[key].seed,
                    found.text, found.finish_reason, found.model,
                )  # fmt: skip
                kept[key] = line
                if found.text.strip():  # there is nothing to keep of an empty one
                    jsonl.append_line(file, jsonl.dumps(asdict(line)))
        return [
            Reply(None, problems[key]) if key in problems else _usable(kept[key]) for key in keys
        ]

    def _key(self, question: Question, temperature: float) -> str:
        parts = [
            self.model, self._ask.settings, float(temperature), question.seed, list(question.chat),
        ]  # fmt: skip
        return hashlib.sha256(jsonl.dumps(parts).encode()).hexdigest()

    def _asked(
        self, missing: dict[str, Question], temperature: float
    ) -> Iterator[tuple[str, Completion | str]]:
        """Yield completions, or why there are none, as soon as they are known."""
        items = list(missing.items())
        if items and self._tell is not None:
            self._tell(0, len(items))
        for start in range(0, len(items), GROUP):
            yield from self._group(items[start : start + GROUP], temperature)
            if self._tell is not None:
                self._tell(min(start + GROUP, len(items)), len(items))

    def _group(
        self, items: Sequence[tuple[str, Question]], temperature: float
    ) -> Iterator[tuple[str, Completion | str]]:
        if self._given_up:
            yield from ((key, self._given_up) for key, _ in items)
            return
        try:
            with self._waiting(len(items)):
                completions = self._ask(
                    [question.chat for _, question in items],
                    temperature=temperature,
                    seeds=[question.seed & LARGEST_SEED for _, question in items],
                )
        except ModelError as error:
            if len(items) > 1:
                middle = len(items) // 2
                yield from self._group(items[:middle], temperature)
                yield from self._group(items[middle:], temperature)
                return
            completions = [error]
        for (key, _), found in zip(items, completions, strict=True):
            if isinstance(found, ModelError):
                yield key, encodable(str(found))
                self._count_failure()
            else:
                yield key, found
                self._failures = 0

    def _count_failure(self) -> None:
        """Give up if the model fails not only at these questions."""
        self._failures += 1
        if self._failures < FAILURES_BEFORE_CHECK or self._given_up:
            return
        self._failures = 0
        try:
            with self._waiting(1):
                (found,) = self._ask([CHECK], temperature=0.0, seeds=[0])
        except ModelError as error:
            found = error
        if isinstance(found, ModelError):
            self._given_up = f"no longer asked: {encodable(str(found))}"


def _usable(kept: KeptReply) -> Reply:
    """Return what can be used of a reply."""
    cut = kept.finish_reason == "length"
    text = split_reasoning(kept.text).answer.strip()
    problem = valid_text(text, MAX_REPLY_CHARS)
    if not text:
        ended = kept.finish_reason or "an unknown reason"
        problem = f"the reply has no text (it ended for: {encodable(ended)})"
    return Reply(None, problem, cut) if problem else Reply(text, cut=cut)


def _read(path: Path) -> dict[str, KeptReply]:
    """Return the replies in a file, by key; damaged lines are passed over with a warning."""
    kept = {}
    damaged = []
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            where = f"{path.name} line {number}"
            try:
                reply = build(KeptReply, jsonl.loads_bytes(raw, where), where, EpisodeError)
            except EpisodeError as error:
                damaged.append(str(error))
                continue
            kept[reply.key] = reply
    if damaged:
        warnings.warn(
            f"{len(damaged)} damaged lines of {path} are passed over, and their questions asked "
            f"again; the first: {damaged[0]}",
            stacklevel=2,
        )
    return kept


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for appending, whole lines only, and keep other runs out of it."""
    with path.open("ab") as file:
        try:
            import fcntl
        except ImportError:  # Windows has no flock; there, runs are not kept apart
            pass
        else:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise EpisodeError(f"another run is writing to {path}") from None
        jsonl.drop_torn_end(path)
        yield file

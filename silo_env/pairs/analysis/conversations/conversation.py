"""Recorded dialogues of pairs: who said what, about which instance, and what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coordgym.errors import EpisodeError
from coordgym.silo_env.pairs.analysis.scores.results import AGENTS, task_of
from coordgym.silo_env.pairs.dialogue.extraction import find_candidate
from coordgym.silo_env.pairs.dialogue.outcome import Message, end_of, judge
from coordgym.silo_env.pairs.instance import get_task, read_instance
from coordgym.silo_env.pairs.options import PAIR, PairOptions
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade

if TYPE_CHECKING:
    from coordgym.episodes.episode import Episode


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue and its outcome.

    Attributes:
        task: Name of the task.
        models: Models of ``agent_0`` and ``agent_1``; may be empty.
        seed: The environment's seed.
        instance: The instance in JSON.
        messages: What was said, by index of the speaker; refused messages have no text.
        answer: The graded answer, or None.
        grade: Its verdict.
        decisive: Index of the first message that states the graded answer; of the last message
            if none does or there is no answer.
        ended: Index of the message that ended the dialogue, or of the last one.
        capped: Whether it ended at the limit instead.
        options: Those of the environment.
    """

    task: str
    models: tuple[str, ...]
    seed: int
    instance: Mapping[str, Any]
    messages: tuple[Message, ...]
    answer: Answer | None
    grade: Grade
    decisive: int
    ended: int
    capped: bool
    options: PairOptions

    @property
    def max_exchanges(self) -> int:
        """The limit on exchanges."""
        return self.options.max_exchanges

    @property
    def friction(self) -> Friction:
        """How differently the two views were written."""
        return self.options.friction

    @property
    def views(self) -> tuple[Facts, Facts]:
        """The facts of both views."""
        task = get_task(self.task)
        parsed = read_instance(self.task, self.instance)
        return task.facts(parsed, 1), task.facts(parsed, 2)

    @property
    def texts(self) -> list[str]:
        """The messages; a refused one is empty."""
        return [message.text or "" for message in self.messages]

    @property
    def success(self) -> bool:
        """Whether the answer is optimal."""
        return self.grade.exact


def make_dialogue(
    options: PairOptions,
    instance: Mapping[str, Any],
    messages: Sequence[Message],
    *,
    models: Sequence[str] = (),
    seed: int = 0,
) -> Dialogue:
    """A dialogue from its messages, judged as the environment judges it.

    Raises:
        EpisodeError: There are no messages.
        InstanceError: The instance is malformed.
    """
    task = options.task
    if not messages:
        raise EpisodeError(f"a dialogue of {task} has no messages")
    parsed = read_instance(task, instance)
    end = end_of(options, messages)
    outcome = judge(options, parsed, messages, capped=end is None)
    last = len(messages) - 1
    stating = (
        k
        for k, message in enumerate(messages)
        if outcome.answer is not None
        and stated_answer(task, parsed, message.text or "", prose=outcome.source == "free_text")
        == outcome.answer
    )
    return Dialogue(
        task=task,
        models=tuple(models),
        seed=seed,
        instance=instance,
        messages=tuple(messages),
        answer=outcome.answer,
        grade=outcome.grade,
        decisive=next(stating, last),
        ended=last if end is None else end,
        capped=outcome.capped,
        options=options,
    )


def stated_answer(task: str, parsed: Any, text: str, *, prose: bool) -> Answer | None:
    """The answer that one message states: its last final answer, or one in prose."""
    candidate = find_candidate(get_task(task), parsed, [text], free_text=prose)
    return None if candidate is None else candidate.answer


def from_episode(episode: "Episode") -> Dialogue | None:
    """The dialogue of an episode; None for solo modes, other families and failures."""
    task = task_of(episode.env_id, episode.kwargs)
    if task is None or episode.failure is not None or episode.instance is None:
        return None
    options = PairOptions.from_kwargs({**episode.kwargs, "task": task})
    if options.mode != PAIR or not episode.turns:
        return None
    return make_dialogue(
        options,
        episode.instance,
        messages_of(episode),
        models=[episode.policies.get(agent, episode.policy) for agent in AGENTS],
        seed=episode.seed,
    )


def messages_of(episode: "Episode") -> list[Message]:
    """What was said in an episode of any mode."""
    return [
        Message(AGENTS.index(turn.agent), turn.action if turn.valid else None)
        for turn in episode.turns
    ]

"""Recorded conversations: who said what about which instance, and what came of it.

Each finished episode becomes one ``Conversation``. Its instance is read and solved here and nowhere
else; labels, descriptions, features and questions to a model are functions of conversations.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coordgym.errors import EpisodeError
from coordgym.silo_env.pairs.analysis.scores.results import (
    AGENTS,
    CATEGORY_OF,
    clauses_of,
    names_of_models,
    options_of,
    players,
    setting_of,
)
from coordgym.silo_env.pairs.dialogue.extraction import find_candidate
from coordgym.silo_env.pairs.dialogue.outcome import Message, Outcome, end_of, judge
from coordgym.silo_env.pairs.instance import read_instance
from coordgym.silo_env.pairs.options import PairOptions
from coordgym.silo_env.pairs.task import Answer, AnyTask, Views

if TYPE_CHECKING:
    from coordgym.episodes.episode import Episode
    from coordgym.runs.results import Results

Keep = Callable[[PairOptions], bool]
"""Which episodes to read, by the options of their environment."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One finished dialogue, or what an agent alone wrote, judged as its environment judged it.

    Attributes:
        options: Those of the environment.
        models: One model alone, or those of ``agent_0`` and ``agent_1``; may be empty.
        seed: The environment's seed.
        repeat: Index among episodes that differ in nothing else.
        setting: Arguments of the environment besides task, mode and clauses, as JSON.
        instance: The instance in the task's own form.
        best: An optimal answer.
        views: The facts of both views.
        messages: What was said, by index of the speaker; refused messages have no text.
        outcome: The graded answer and its verdict.
        decisive: Index of the first message that states the graded answer; of the last message
            if none does or there is no answer.
        ended: Index of the message that ended the dialogue, or of the last one.
    """

    options: PairOptions
    models: tuple[str, ...]
    seed: int
    repeat: int
    setting: str
    instance: Any
    best: Answer
    views: Views
    messages: tuple[Message, ...]
    outcome: Outcome
    decisive: int
    ended: int

    @property
    def rules(self) -> AnyTask:
        """The task itself."""
        return self.options.rules

    @property
    def task(self) -> str:
        """The task's name."""
        return self.options.task

    @property
    def category(self) -> str:
        """The category of the task."""
        return CATEGORY_OF[self.task]

    @property
    def clauses(self) -> str:
        """The intervention clauses of the instructions."""
        return clauses_of(self.options)

    @property
    def texts(self) -> list[str]:
        """The messages; a refused one is empty."""
        return [message.text or "" for message in self.messages]

    @property
    def success(self) -> bool:
        """Whether the answer is optimal."""
        return self.outcome.grade.exact


def read_conversations(
    folders: Sequence["Results"], keep: Keep = lambda options: True
) -> list[Conversation]:
    """Read the finished pair episodes in folders of results, each file once.

    Models are called as the plans call them.

    Args:
        folders: The folders.
        keep: Episodes of other options are passed over.
    """
    names = names_of_models(folders)
    found = []
    for results in folders:
        planned = {policy.name: policy for policy in results.plan.policies}
        for episode in results.episodes():
            models = players(planned[episode.policy], names)
            conversation = conversation_of(episode, models=models, keep=keep)
            if conversation is not None:
                found.append(conversation)
    return found


def conversations_of(
    episodes: Iterable["Episode"], keep: Keep = lambda options: True
) -> list[Conversation]:
    """Make the conversations of episodes; models are called as their policies call themselves."""
    found = (conversation_of(episode, keep=keep) for episode in episodes)
    return [conversation for conversation in found if conversation is not None]


def conversation_of(
    episode: "Episode",
    *,
    models: Sequence[str] | None = None,
    keep: Keep = lambda options: True,
) -> Conversation | None:
    """Make the conversation of an episode; None for other families, failures and empty records.

    Args:
        episode: The episode.
        models: Who plays the seats; None: whom the episode names.
        keep: An episode of other options has none either.
    """
    options = options_of(episode.env_id, episode.kwargs)
    if options is None or episode.failure is not None or not keep(options):
        return None
    if episode.instance is None or not episode.turns:
        return None
    agents = AGENTS[:1] if options.alone else AGENTS
    if models is None:
        models = [episode.policies.get(agent, episode.policy) for agent in agents]
    return make_conversation(
        options,
        episode.instance,
        [
            Message(AGENTS.index(turn.agent), turn.action if turn.valid else None)
            for turn in episode.turns
        ],
        models=models[: len(agents)],
        seed=episode.seed,
        repeat=episode.repeat,
        setting=setting_of(episode.kwargs),
    )


def make_conversation(
    options: PairOptions,
    instance: Mapping[str, Any],
    messages: Sequence[Message],
    *,
    models: Sequence[str] = (),
    seed: int = 0,
    repeat: int = 0,
    setting: str = "{}",
) -> Conversation:
    """Make a conversation from its messages, judged as the environment judges it.

    Args:
        options: Those of the environment.
        instance: The instance in JSON; its ``answer``, if it has one, is checked.
        messages: What was said.
        models: As in ``Conversation``.
        seed: As in ``Conversation``.
        repeat: As in ``Conversation``.
        setting: As in ``Conversation``.

    Raises:
        EpisodeError: There are no messages.
        InstanceError: The instance is malformed.
    """
    if not messages:
        raise EpisodeError(f"a dialogue of {options.task} has no messages")
    rules, parsed = options.rules, read_instance(options.task, instance)
    end = end_of(options, messages)
    outcome = judge(options, parsed, messages, capped=end is None)
    last = len(messages) - 1
    prose = outcome.source == "free_text"
    stating = (
        index
        for index, message in enumerate(messages)
        if outcome.answer is not None
        and _stated(rules, parsed, message.text or "", prose=prose) == outcome.answer
    )
    return Conversation(
        options=options,
        models=tuple(models),
        seed=seed,
        repeat=repeat,
        setting=setting,
        instance=parsed,
        best=instance["answer"] if "answer" in instance else rules.solve(parsed),
        views=(rules.facts(parsed, 1), rules.facts(parsed, 2)),
        messages=tuple(messages),
        outcome=outcome,
        decisive=next(stating, last),
        ended=last if end is None else end,
    )


def stated_answer(conversation: Conversation, text: str) -> Answer | None:
    """Return the last final answer that a message states."""
    return _stated(conversation.rules, conversation.instance, text, prose=False)


def _stated(rules: AnyTask, parsed: Any, text: str, *, prose: bool) -> Answer | None:
    candidate = find_candidate(rules, parsed, [text], free_text=prose)
    return None if candidate is None else candidate.answer

"""One episode of a computation task, without seeds, spaces or texts: turns, rounds, verdicts."""

from collections.abc import Mapping, Sequence
from typing import Any

from coordgym.parsing import Call, ParsedCalls, parse_calls
from coordgym.silo_env.compute.answers.grading import agrees_as_published
from coordgym.silo_env.compute.channels.channel import Channel, run_call
from coordgym.silo_env.compute.channels.faults import Streams
from coordgym.silo_env.compute.channels.files import SharedFiles
from coordgym.silo_env.compute.channels.messaging import Broadcast, PeerToPeer
from coordgym.silo_env.compute.channels.news import NO_NEWS, News
from coordgym.silo_env.compute.channels.solo import Solo
from coordgym.silo_env.compute.channels.store import Store
from coordgym.silo_env.compute.channels.turns import Turn, parameter_defaults, parameter_names
from coordgym.silo_env.compute.instance import expected_answers
from coordgym.silo_env.compute.metrics import Record, Submission
from coordgym.silo_env.compute.options import Options
from coordgym.silo_env.compute.task import Instance, Task

NO_CALL = "no call was found; write calls such as wait() alone on their lines"

CHANNELS: Mapping[str, type[Channel]] = {
    channel.name: channel for channel in (PeerToPeer, Broadcast, SharedFiles)
}


def channel_class(options: Options) -> type[Channel]:
    """Return the channel that the options ask for."""
    return Solo if options.oracle else CHANNELS[options.protocol]


class Game:
    """The state of an episode; agents are indices from 0.

    Args:
        task: The task.
        data: Its instance.
        options: Those of the environment.
        reach: By agent, whom it reaches.
        max_action_chars: Longest action text that is read.
        streams: Make the generators of faults.

    Attributes:
        channel: What passes between the agents.
        submissions: By agent, None until it has submitted.
        parameters: Names of parameters by the name of a function that agents may call.
        just_submitted: Who submitted in the round just finished.
        last_turns: Turns of that round by agent.
    """

    def __init__(
        self,
        task: Task[Any, Any],
        data: Instance[Any, Any],
        options: Options,
        reach: Sequence[Sequence[int]],
        *,
        max_action_chars: int,
        streams: Streams,
    ) -> None:
        self._task = task
        self._data = data
        self._oracle = options.oracle
        self._limits = options.limits
        self._max_action_chars = max_action_chars
        self._expected = expected_answers(task, data, oracle=options.oracle)
        kind = channel_class(options)
        self.parameters = parameter_names(kind.functions)
        self._defaults = parameter_defaults(kind.functions)
        self.channel = kind(
            Store(options.db_path),
            reach,
            self._limits,
            pull=options.delivery == "pull",
            rates=options.rates,
            streams=streams,
        )
        self.submissions: list[Submission | None] = [None] * options.players
        self.just_submitted: list[int] = []
        self.last_turns: dict[int, Turn] = {}
        self._news: dict[int, News] = {}

    # --- turns -------------------------------------------------------------------------------

    def call(self, turn: Turn, text: str) -> str | None:
        """Make the one call that ``text`` holds within a turn; return its result.

        None if the text holds no call or several, and nothing was done.
        """
        calls = self._parse(text).calls
        if len(calls) != 1:
            return None
        return self._run(turn, calls[0])

    def trial(self, agent: int, text: str) -> str | None:
        """Say what would be wrong with an action text now; change nothing."""
        return self._turn_of(agent, text).error_summary()

    def finish_round(
        self, texts: Mapping[int, str | None], round_number: int
    ) -> dict[int, str | None]:
        """End a round with the action texts of all agents that play; return their errors.

        Args:
            texts: By agent in ascending order; None = the text was unusable.
            round_number: The round that ends, from 1.
        """
        turns = [self._turn_of(agent, text) for agent, text in texts.items()]
        self.channel.commit(turns, round_number)
        for turn in turns:
            if turn.submitted:
                self.submissions[turn.agent] = self._judge(turn, round_number)
        self.just_submitted = [turn.agent for turn in turns if turn.submitted]
        most = self._limits.max_inbox_chars
        budgets = {turn.agent: most - turn.handed_chars for turn in turns if not turn.submitted}
        self._news = self.channel.deliver(budgets)
        self.last_turns = {turn.agent: turn for turn in turns}
        return {turn.agent: turn.error_summary() for turn in turns}

    def news(self, agent: int) -> News:
        """Return what the agent is handed at the start of the present round."""
        return self._news.get(agent, NO_NEWS)

    def new_turn(self, agent: int) -> Turn:
        """Begin a turn of the present round, which takes effect only if the round ends with it."""
        return Turn(agent, self.channel.known[agent])

    def _turn_of(self, agent: int, text: str | None) -> Turn:
        """Carry out the calls of an action text; None does nothing."""
        turn = self.new_turn(agent)
        if text is None:
            return turn
        most = self._limits.max_calls
        parsed = self._parse(text, max_calls=most)
        for call in parsed.calls:
            self._run(turn, call)
        turn.errors += parsed.errors
        if not turn.calls and not parsed.errors:
            turn.errors.append(NO_CALL)
        return turn

    def _run(self, turn: Turn, call: Call) -> str:
        most = self._limits.max_calls
        return run_call(self.channel, turn, call, max_calls=most, read=self._read_answer)

    def _read_answer(self, answer: object) -> Any:
        return self._task.read_answer(answer, self._data.extra)

    def _parse(self, text: str, *, max_calls: int = 100) -> ParsedCalls:
        return parse_calls(
            text,
            self.parameters,
            defaults=self._defaults,
            max_calls=max_calls,
            max_chars=self._max_action_chars,
        )

    # --- verdicts ----------------------------------------------------------------------------

    def _judge(self, turn: Turn, round_number: int) -> Submission:
        expected = self._expected[turn.agent]
        return Submission(
            answer=turn.answer,
            round=round_number,
            sufficient=self._oracle or self._knows_enough(turn.agent),
            grade=self._task.grade(turn.answer, expected),
            as_published=agrees_as_published(turn.written, expected),
        )

    def _knows_enough(self, agent: int) -> bool:
        known = self.channel.known[agent]
        wanted = self._task.sufficient(agent, self._data.shards, self._data.extra)
        masks = (sum(1 << shard for shard in group) for group in wanted)
        return any(mask & known == mask for mask in masks)

    @property
    def success_rate(self) -> float:
        """Share of all agents that have submitted the right answer (S)."""
        made = (submission for submission in self.submissions if submission is not None)
        return sum(submission.grade.correct for submission in made) / len(self.submissions)

    def record(self) -> Record:
        """Return what the figures of the episode depend on."""
        n_agents = len(self.submissions)
        return Record(
            submissions=self.submissions,
            segmented=self._task.is_segmented(self._data.extra) and not self._oracle,
            traffic=self.channel.traffic,
            sends=self.channel.sends,
            minimum=self._task.minimum_messages(n_agents) if n_agents > 1 else 0,
            broadcast=self.channel.name == Broadcast.name,
            spoken=self.channel.spoken(),
        )

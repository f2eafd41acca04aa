"""The environment of all computation tasks.

Rules: the input of a task is split over N agents; in synchronous rounds they send messages,
broadcast or share files, until each has submitted the exact answer of the whole.
Observation: instructions with the own data first, then what each round brings.
Actions: free text with calls, one a line, such as ``send_message(3, "my maximum is 17")``.
Reward: 1 for a correct answer at its submission, or what ``reward`` and ``credit`` say.
End: an agent leaves when it has submitted; after ``max_cycles`` rounds the rest has failed.
Source: Silo-Bench (arXiv 2603.01045).
"""

import copy
import json
import pickle
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Unpack

import numpy as np

from coordgym.contract.arguments import require_agent, require_seed
from coordgym.contract.base import Observed, TextParallelEnv
from coordgym.contract.options import BaseOptions
from coordgym.contract.seeding import stream_rng
from coordgym.contract.telling import MAX_ERROR_CHARS
from coordgym.errors import ActionError, InstanceError, ResetNeededError
from coordgym.silo_env.compute import texts
from coordgym.silo_env.compute.channels.channel import MAX_PATH_CHARS
from coordgym.silo_env.compute.channels.news import LINE_MARK
from coordgym.silo_env.compute.channels.store import Fault
from coordgym.silo_env.compute.channels.turns import MAX_ERROR_LINES
from coordgym.silo_env.compute.drawing import draw_traffic
from coordgym.silo_env.compute.game import Game, channel_class
from coordgym.silo_env.compute.handles import ToolHandles
from coordgym.silo_env.compute.instance import MAX_DATA_CHARS, as_instance
from coordgym.silo_env.compute.metrics import episode_metrics
from coordgym.silo_env.compute.options import Options, everybody
from coordgym.silo_env.compute.rewards import Payment
from coordgym.silo_env.compute.sampling import TurnSampler
from coordgym.silo_env.compute.task import Task, configure
from coordgym.silo_env.compute.tasks import find_task

FAULT_STREAM = 2
SMALL_TEXT = 10_000
"""More than all fixed sentences of instructions and rounds together."""
DEFAULT_ROUNDS = 100  # R_max of the paper


class SiloEnv(TextParallelEnv):
    """One computation task over one protocol; see the module's description and the base class.

    Args:
        task: Paper id or slug of the task.
        n_agents: Number of agents that the input is split over, 2..1000.
        protocol: "p2p", "broadcast" or "shared_files".
        params: Parameters of the task's generator, such as ``{"items": 5}``.
        reward: "success", "partial" or "shaped", see ``coordgym.contract.rewards``; "correct"
            is "success" for the seat, "team" is "partial" for the team; "gameable_partial" (the
            published partial credit) and "gameable_team" (the share of right answers) can be
            had without the work and are for comparison only.
        credit: "seat" (default) pays each agent at its submission; "team" pays everybody at the
            end, and agents that have submitted stay, inactive.
        prompt_style: "guided" adds the task's structural hint, "minimal" does not.
        topology: Who can reach whom by message: "complete", "ring", "star", "chain", "tree", a
            networkx graph, or a list of edges; links go both ways.
        overlap: How many items each agent shares with the next one (all, if it has fewer);
            refused for tasks whose answer that would change.
        message_loss, corruption: Probabilities per delivered message (per written version with
            shared files) that it is lost, or that one of its characters is changed.
        oracle: One agent gets all the data that ``n_agents`` would hold and may only wait and
            submit; in segmented tasks it answers with all pieces joined.
        delivery: "push" shows messages at the start of a round, "pull" only to agents that call
            ``receive_messages()``; files are read in either case.
        max_calls: Calls per agent and round; None = max(32, n_agents + 8).
        max_message_chars: Longest message or file; longer ones are refused.
        max_inbox_chars: What one agent is handed in one round; the rest waits.
        db_path: File to keep the episode's SQLite database in; overwritten at each reset, and
            locked (by a file with ``.lock`` after its name) until ``close``.
        **base: Options that all environments share, see ``TextParallelEnv``.

    Raises:
        ConfigError: If a value is not allowed.
    """

    family: ClassVar[str] = "silo"
    metadata: dict[str, Any] = {  # PettingZoo's own declaration
        "name": "coordgym_silo_v0",
        "render_modes": ["ansi", "human", "rgb_array"],
        "render_fps": 1,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        *,
        task: str = "I-01",
        n_agents: int = 10,
        protocol: str = "p2p",
        params: Mapping[str, Any] | None = None,
        reward: str = "correct",
        credit: str | None = None,
        prompt_style: str = "guided",
        topology: Any = "complete",
        overlap: int = 0,
        message_loss: float = 0.0,
        corruption: float = 0.0,
        oracle: bool = False,
        delivery: str = "push",
        max_calls: int | None = None,
        max_message_chars: int = 8_000,
        max_inbox_chars: int = 400_000,
        db_path: str | Path | None = None,
        **base: Unpack[BaseOptions],
    ) -> None:
        self.options = Options(
            n_agents=n_agents,
            protocol=protocol,
            delivery=delivery,
            reward=reward,
            credit=credit,
            prompt_style=prompt_style,
            topology=topology,
            overlap=overlap,
            message_loss=message_loss,
            corruption=corruption,
            oracle=oracle,
            max_calls=max_calls,
            max_message_chars=max_message_chars,
            max_inbox_chars=max_inbox_chars,
            db_path=db_path,
            params=params,
        )
        super().__init__(n_agents=self.options.players, **base)
        self.task: Task[Any, Any] = find_task(task)
        self._links = self.options.links()
        self._reach = self._links or everybody(self.options.players)
        self._limits = self.options.limits
        self._functions = channel_class(self.options).functions
        self._game: Game | None = None
        self._handles: ToolHandles | None = None
        configure(self.task.config, dict(params or {}))  # wrong parameters raise now
        self.task.require_copyable(overlap)

    # --- more than the base class offers -----------------------------------------------------

    def call(self, agent: str, name: str, arguments: Mapping[str, Any]) -> str:
        """Make one call inside the present round and return its result at once.

        Reads see the files and messages as they stand in this round, with the agent's own
        changes; messages and writes take effect when ``step`` ends the round. The calls and the
        following action text form one action: a call for which ``max_action_chars`` leaves no
        room is not made, and if the text that follows leaves none, nothing of the turn is
        carried out, as with any action that is too long (``check_action`` tells it beforehand).

        Args:
            agent: An agent that acts now.
            name: One of the functions in ``tools(agent)``.
            arguments: JSON-able values by parameter name.

        Returns:
            The result, or a line that begins with "Error:".

        Raises:
            ActionError: If it is not this agent's turn or the arguments have no JSON form.
        """
        self._require_reset()
        if agent not in self.agents or agent not in self._active_now:
            raise ActionError(f"it is not {agent}'s turn; active now: {sorted(self._active_now)}")
        return self._open_handles.call(agent_index(agent), name, arguments)

    def called_text(self, agent: str) -> str:
        """Return the calls that an agent has made by ``call`` in this round, as action text.

        Raises:
            ActionError: If there is no such agent.
        """
        require_agent(agent, self.possible_agents)
        return self._open_handles.called(agent_index(agent))

    def tools(self, agent: str) -> list[dict[str, Any]]:
        """Return JSON schemas of the functions that an agent may call, as chat models take them."""
        require_agent(agent, self.possible_agents)
        return [function.schema() for function in self._functions]

    def whole_action(self, agent: str, text: str) -> str:
        """Return the calls that an agent has made in this round, and ``text`` behind them."""
        require_agent(agent, self.possible_agents)
        return self._open_handles.before(agent_index(agent), text)

    def usage_metrics(self, completion_tokens: int) -> dict[str, Any]:
        """Return Silo-Bench's communication cost C: tokens written over the limit on rounds.

        Without it, as where no agent is a language model, C is NaN.
        """
        return {"C": completion_tokens / self.limit}

    def traffic(self) -> list[list[int]]:
        """Return the transfers so far, by sender and recipient (author and reader for files)."""
        return [list(row) for row in self._running.channel.traffic]

    def faults(self) -> list[Fault]:
        """Return the ground truth of all losses and corruptions of the episode."""
        return self._running.channel.store.faults()

    def close(self) -> None:
        """Close the database; the figures of the episode are gone after that."""
        if self._game is not None:
            self._game.channel.store.close()
            self._game = self._handles = None
            self.agents = []

    # --- the episode -------------------------------------------------------------------------

    def _seed_name(self) -> str:
        return f"silo/{self.task.id}"

    def _generate(self, rng: np.random.Generator) -> Any:
        options = self.options
        instance = self.task.generate(rng, options.n_agents, **dict(options.params or {}))
        return self.task.overlapping(instance, options.overlap)

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        options = self.options
        instance = (
            self._generate(self.instance_rng()) if given is None else as_instance(self.task, given)
        )
        if len(instance.shards) != options.n_agents:
            raise InstanceError(
                f"the instance has {len(instance.shards)} shards, but the environment was made "
                f"with n_agents={options.n_agents}"
            )
        self._data = instance
        self._payment = Payment(self.task, instance, options)
        if self._game is not None:
            self._game.channel.store.close()
            self._game = self._handles = None  # the new one may be refused
        self._game = Game(
            self.task,
            instance,
            options,
            self._reach,
            max_action_chars=self.max_action_chars,
            streams=partial(
                stream_rng, require_seed(self.seed_value), self._seed_name(), FAULT_STREAM
            ),
        )
        self._handles = ToolHandles(self._game, self.max_action_chars)
        # A copy: whoever changes what is told about the episode must not change the episode.
        told = {
            "task": self.task.id,
            "n_agents": options.n_agents,
            "oracle": options.oracle,
            **instance.as_dict(),
        }
        copied: dict[str, Any] = pickle.loads(pickle.dumps(told))  # faster than deepcopy
        return copied

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        texts_by_index = {agent_index(agent): text for agent, text in actions.items()}
        errors = self._running.finish_round(texts_by_index, self.round + 1)
        self._handles = ToolHandles(self._running, self.max_action_chars)
        return {f"agent_{index}": error for index, error in errors.items()}

    def _active(self) -> Collection[str]:
        submissions = self._running.submissions
        return [agent for agent in self.agents if submissions[agent_index(agent)] is None]

    def _finished(self) -> Collection[str]:
        if self.options.pays.credit == "team":
            return [] if None in self._running.submissions else self.agents
        return [f"agent_{index}" for index in self._running.just_submitted]

    def _rewards(self) -> Mapping[str, float]:
        over = None not in self._running.submissions or self.steps >= self.limit
        alive = [agent_index(agent) for agent in self.agents]
        paid = self._payment.pay(self._running, alive, over=over)
        return {f"agent_{index}": amount for index, amount in paid.items()}

    # --- what agents are told ----------------------------------------------------------------

    def _instructions(self, agent: str) -> str:
        index, options = agent_index(agent), self.options
        scene = texts.Scene(
            task=self.task,
            extra=self._data.extra,
            n_agents=self.n_agents,
            protocol="oracle" if options.oracle else options.protocol,
            delivery=options.delivery,
            functions=self._functions,
            guided=options.prompt_style == "guided",
            neighbours=self._links,
            max_calls=self._limits.max_calls,
            max_message_chars=self._limits.max_message_chars,
            max_rounds=self.limit,
        )
        compact = self.text == "compact"
        return texts.instructions(scene, index, self._shard_text(index), compact=compact)

    def _shard_text(self, index: int) -> str:
        if self.options.oracle:
            return texts.all_shards_text(self._data.shards)
        return texts.shard_text(self._data.shards[index])

    def _static_view(self, agent: str) -> dict[str, Any]:
        index, shards = agent_index(agent), self._data.shards
        view: dict[str, Any] = {
            "task": self.task.id,
            "agent_id": index,
            "n_agents": self.n_agents,
            "protocol": "oracle" if self.options.oracle else self.options.protocol,
            "delivery": self.options.delivery,
            "shard": shards if self.options.oracle else shards[index],
            "extra": self._data.extra,
            "neighbours": None if self._links is None else list(self._links[index]),
            "functions": [function.name for function in self._functions],
            "max_calls": self._limits.max_calls,
            "max_message_chars": self._limits.max_message_chars,
            "max_inbox_chars": self._limits.max_inbox_chars,
            "max_action_chars": self.max_action_chars,
        }
        fresh: dict[str, Any] = json.loads(json.dumps(view))
        return fresh

    def _observe(self, agent: str) -> Observed:
        index, game = agent_index(agent), self._running
        turn = game.last_turns.get(index)
        if game.submissions[index] is not None:
            if turn is None:  # submitted in an earlier round: there is nothing more to tell
                return Observed("", {})
            return Observed(
                texts.render_farewell(turn), {"submitted": True, **texts.turn_view(turn)}
            )
        news = game.news(index)
        compact = self.text == "compact"
        text = texts.render_round(self.round + 1, self.limit, news, turn, compact=compact)
        return Observed(text, texts.round_view(news, turn))

    def _check(self, agent: str, text: str) -> str | None:
        return self._running.trial(agent_index(agent), text)

    # --- figures, state, bounds --------------------------------------------------------------

    def _metrics(self) -> dict[str, Any]:
        return episode_metrics(self._running.record())

    def outcome(self) -> dict[str, Any]:
        """Return the answers submitted so far, by agent; None for agents without one."""
        answers = (None if s is None else s.answer for s in self._running.submissions)
        return copy.deepcopy(dict(zip(self.possible_agents, answers, strict=True)))

    def _state(self) -> dict[str, Any]:
        return {
            "task": self.task.id,
            "round": self.round,
            "shards": self._data.shards,
            "extra": self._data.extra,
            "submitted": [s is not None for s in self._running.submissions],
            "contents": self._running.channel.contents(),
        }

    def _default_max_cycles(self) -> int:
        return DEFAULT_ROUNDS

    def _max_observation_chars(self) -> int:
        # Twice the data: the oracle's text puts headings between the parts.
        errors = (MAX_ERROR_LINES + 2) * MAX_ERROR_CHARS
        links = 8 * self.n_agents
        results = self._limits.max_calls * (MAX_PATH_CHARS + links + MAX_ERROR_CHARS)
        # A line break in what is handed over is shown as one followed by the mark of a line, and a
        # character of a file's name at worst with a backslash before it.
        handed = (1 + len(LINE_MARK)) * self.options.max_inbox_chars + results
        return 2 * MAX_DATA_CHARS + handed + errors + links + SMALL_TEXT

    def _max_state_chars(self) -> int:
        # In JSON a control character takes six; handles and texts make max_calls calls a round.
        message = 6 * (self._limits.max_message_chars + MAX_PATH_CHARS) + SMALL_TEXT
        most = self.limit * self.n_agents * self._limits.max_calls
        return 2 * MAX_DATA_CHARS + most * message + 10 * self.n_agents + SMALL_TEXT

    def _sampler(self, agent: str, *, may_submit: bool = False) -> TurnSampler:
        index = agent_index(agent)
        protocol = "oracle" if self.options.oracle else self.options.protocol
        targets = tuple(self._reach[index])
        answers = self.task.answer_type if may_submit else None
        return TurnSampler(protocol, targets, self._limits, self.max_action_chars, answers)

    def random_action(self, agent: str, rng: np.random.Generator) -> str:
        """Draw a legal action; now and then it submits a random answer."""
        return self._sampler(agent, may_submit=True)(rng)

    def _render_text(self) -> str:
        made = sum(submission is not None for submission in self._running.submissions)
        return (
            f"{self.task.title}: round {self.round} of {self.limit}, "
            f"{made} of {self.n_agents} agents have submitted, "
            f"{sum(map(sum, self._running.channel.traffic))} transfers"
        )

    def _render_rgb(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        return draw_traffic(self._running.channel.traffic)

    @property
    def _running(self) -> Game:
        if self._game is None:
            raise ResetNeededError("call reset() first")
        return self._game

    @property
    def _open_handles(self) -> ToolHandles:
        if self._handles is None:
            raise ResetNeededError("call reset() first")
        return self._handles


def agent_index(agent: str) -> int:
    """Return the number in an agent's name."""
    return int(agent.rpartition("_")[2])

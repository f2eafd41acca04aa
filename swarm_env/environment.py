"""The environment of all swarm tasks: rounds of answers, physics and the task's rules.

Everything that only one task knows is in its own module; see ``coordgym.swarm_env.task``.
"""

import inspect
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Final, Unpack, cast

import numpy as np

from coordgym.contract.arguments import require_seed
from coordgym.contract.base import Observed, TextParallelEnv
from coordgym.contract.options import CommonOptions
from coordgym.contract.seeding import stream_rng
from coordgym.contract.spaces import Sampler
from coordgym.swarm_env.drawing import draw, terminal_text
from coordgym.swarm_env.grid.cells import STAY
from coordgym.swarm_env.grid.state import MAX_OBJECTS, MAX_SHAPE_CELLS, MAX_SIDE
from coordgym.swarm_env.instance import (
    SEED_BOUND,
    episode_target,
    read_limits,
    read_world,
    require_settings,
    split_instance,
)
from coordgym.swarm_env.messages import COMMANDER, Mailbox
from coordgym.swarm_env.metrics import RoundLog, episode_metrics
from coordgym.swarm_env.observer import Observer
from coordgym.swarm_env.options import SwarmArguments, SwarmOptions
from coordgym.swarm_env.parsing import CUT_MARK, MAX_MESSAGE_CHARS, Parsed, parse_answer
from coordgym.swarm_env.rewards import Payment, chosen_reward, require_target
from coordgym.swarm_env.sampling import AnswerSampler
from coordgym.swarm_env.task import Outcome, load_task, task_options
from coordgym.swarm_env.texts import Writer

DEFAULT_ROUNDS: Final = 100

_TASK_STREAM, _MESSAGE_STREAM = 2, 3
_WORDS_BOUND = 8_000  # true bound on the instructions and the fixed words of an observation
_MESSAGE_BOUND = MAX_MESSAGE_CHARS + len(CUT_MARK)


class SwarmEnv(TextParallelEnv):
    """A team of agents on a grid, each of which sees only the cells around it.

    Args:
        task: Name of the task, see ``coordgym.swarm_env.table``.
        n_agents: Agents, 1..999.
        height: Rows of the map, up to 1000; each task has its minimum.
        width: Columns of the map.
        view_size: Odd side of the square that an agent sees, 1..51 cells.
        memory: How many of its last views and actions each observation repeats; counts only
            with ``repeat_instructions``.
        compat: None for the corrected rules, ``"swarmbench"`` for the published implementation.
        reward: ``"score"``: the team's gain of each round to everyone, not bounded. In [0, 1] per
            episode: ``"success"``, ``"partial"`` and ``"shaped"``, with ``"individual"`` for
            ``"shaped"`` with ``credit="seat"``; where there is no target they are refused.
            ``"gameable_individual"``: the published shaped reward, for comparison only.
        credit: ``"team"`` (None means the same): the common rewards pay all for what all did;
            ``"seat"``: each agent in foraging for its deliveries and in transport for its own way
            out, elsewhere for what all did.
        format_bonus: Paid at the end times the share of an agent's turns with a valid action.
        target: Score of a success; None = that of a given instance, else the task's own, see the
            table of tasks: where it has none, ``success`` is None (not judged). Transport and
            flocking take none.
        noise: Probability that a character of a message is corrupted.
        delay: Least and largest number of extra rounds that a message takes.
        centralized: agent_0 sees the whole map and commands the others.
        repeat_instructions: Whether every observation stands alone; see ``memory``.
        max_cycles: Limit T on rounds; None = that of a given instance, else 100.
        **options: Options of the task alone (see its ``options_type``), and those that all
            environments share (see ``TextParallelEnv``).

    Raises:
        ConfigError: If a value is out of range, or the map too small for the task and its agents.
    """

    family = "swarm"
    options_type = SwarmOptions
    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "name": "coordgym_swarm_v0",
        "render_modes": ["ansi", "human", "rgb_array"],
        "render_fps": 4,
        "is_parallelizable": True,
    }

    def __init__(self, **options: Unpack[SwarmArguments]) -> None:
        self.options = SwarmOptions.from_kwargs(options)
        self.config = self.options.config
        self.reward = chosen_reward(self.options.reward, self.options.credit)
        rest = {k: v for k, v in options.items() if k not in SwarmOptions.names()}
        names = [name for each in task_options() for name in each.names() if name in rest]
        own = {name: rest.pop(name) for name in names}
        super().__init__(
            n_agents=self.config.n_agents,
            repeat_instructions=self.options.repeat_instructions,
            history=0,  # a swarm retells views and actions, not whole answers
            **cast("CommonOptions", rest),
        )
        self.task = load_task(self.options.task, {k: v for k, v in own.items() if v is not None})
        self.task.check(self.config)
        self.task.check_target(self.options.target)
        self.target = self.options.target  # from a reset on that of the episode
        self.hearing = self.options.hearing
        self._given_limit: int | None = None  # the limit of a given instance
        require_target(self.task, self.reward, self.config, self.limit, self.target)
        self._numbers = {agent: number for number, agent in enumerate(self.possible_agents)}

    @classmethod
    def extra_parameters(cls) -> list[inspect.Parameter]:
        """List the options that only one task has."""
        return [each for options in task_options() for each in options.parameters()]

    # Hooks: the episode ---------------------------------------------------------------------

    def _seed_name(self) -> str:
        return f"swarm/{self.task.name}"

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        state, extras = split_instance(given or {})
        settings = {
            "task": self.task.name,
            "options": self.task.options.values(),
            "compat": self.options.compat,
        }
        require_settings(extras, settings)
        own_target = self.options.target
        self._given_limit = read_limits(extras, self.task, self.max_cycles, own_target)
        config = self.config
        if given is None:
            self.world = self.task.generate(config, self.instance_rng())
        else:
            self.world = read_world(state, self.task, self.n_agents, self.limit)
            self.steps = self.round = self.world.round
            config = replace(config, height=self.world.height, width=self.world.width)
        self.target = episode_target(extras, own_target, self.task, self.world, self.limit)
        seed = extras.get("dynamics_seed")
        if seed is None:
            seed = int(self.rng(_TASK_STREAM).integers(SEED_BOUND))
        self._episode_config = config
        self._dynamics = np.random.default_rng(seed)
        streams = partial(
            stream_rng, require_seed(self.seed_value), self._seed_name(), _MESSAGE_STREAM
        )
        self._mailbox = Mailbox(self.hearing, streams)
        self._writer = Writer(
            self.task, config, self.hearing, self.world, self.target, full=self.text == "full"
        )
        memory = self.options.memory if self.repeat_instructions else None
        self._observer = Observer(self.world, self._writer, memory)
        self._payment = Payment(
            self.task,
            self.reward,
            self.options.format_bonus,
            self.world,
            config,
            self.limit,
            self.target,
        )
        self.log: list[RoundLog] = []
        self._done = False
        self._step_rewards: dict[str, float] = {}
        return {
            **self.world.to_dict(),
            **settings,
            "max_cycles": self.limit,
            "target": self.target,
            "dynamics_seed": seed,
        }

    def _apply(self, actions: dict[str, str | None]) -> dict[str, str | None]:
        world = self.world
        parsed = {
            self._numbers[agent]: self._parse(agent, text) if text is not None else _UNUSABLE
            for agent, text in actions.items()
        }
        done = {number: answer.action for number, answer in parsed.items()}
        if self.hearing.centralized and COMMANDER in parsed:
            done.update(parsed[COMMANDER].commands)
        spoken = {number: answer.message for number, answer in parsed.items() if answer.message}
        self._mailbox.speak(world.round, spoken, world.positions)
        turn, outcome = self.task.play(
            world, done, self.limit, self._episode_config, self._dynamics
        )
        self._done = outcome.done
        gone = frozenset(number for number, out in enumerate(world.escaped) if out)
        self.log.append(RoundLog(done, turn.before, tuple(world.positions), spoken, gone))
        self._step_rewards = self._rewards_of(outcome, parsed)
        self._observer.take_in(done, spoken, self._mailbox.deliver(world.round, world.positions))
        return {agent: parsed[self._numbers[agent]].error for agent in actions}

    def _parse(self, agent: str, text: str) -> Parsed:
        commanded = None
        if self.hearing.centralized and self._numbers[agent] == COMMANDER:
            out = self.world.escaped
            commanded = [n for n in range(self.n_agents) if n != COMMANDER and not out[n]]
        return parse_answer(
            text,
            self.task.actions,
            max_chars=self.max_action_chars,
            compat=self.config.compat,
            commanded=commanded,
        )

    def _rewards_of(self, outcome: Outcome, parsed: Mapping[int, Parsed]) -> dict[str, float]:
        over = outcome.done or self.world.round >= self.limit
        agents = [self._numbers[agent] for agent in self.agents]
        paid = self._payment.pay(self.world, outcome, parsed, agents, over=over)
        return {agent: paid[self._numbers[agent]] for agent in self.agents}

    def _active(self) -> Collection[str]:
        escaped = self.world.escaped
        return [agent for agent in self.agents if not escaped[self._numbers[agent]]]

    def _rewards(self) -> dict[str, float]:
        return self._step_rewards

    def _finished(self) -> Collection[str]:
        if self._done:
            return self.agents
        if self._payment.leaves:
            escaped = self.world.escaped
            return [agent for agent in self.agents if escaped[self._numbers[agent]]]
        return ()

    def _default_max_cycles(self) -> int:
        return DEFAULT_ROUNDS if self._given_limit is None else self._given_limit

    # Hooks: what agents are told ---------------------------------------------------------------

    def _observe(self, agent: str) -> Observed:
        return self._observer.observe(self._numbers[agent], self.limit)

    def _instructions(self, agent: str) -> str:
        return self._writer.instructions(self._numbers[agent])

    def _static_view(self, agent: str) -> dict[str, Any]:
        config = self._episode_config
        return {
            "task": self.task.name,
            "agent": self._numbers[agent],
            "n_agents": config.n_agents,
            "height": config.height,
            "width": config.width,
            "view_size": config.view_size,
            "hearing_distance": self.hearing.distance,
            "hears_itself": config.compat,
            "noise": self.hearing.noise,
            "delay": list(self.hearing.delay),
            "centralized": self.hearing.centralized,
            "compat": config.compat,
            "target": self.target,
            "actions": list(self.task.actions),
            **self.task.facts(config),
        }

    def _check(self, agent: str, text: str) -> str | None:
        return self._parse(agent, text).error

    def _sampler(self, agent: str) -> Sampler:
        return AnswerSampler(self.task.actions)

    def _max_observation_chars(self) -> int:
        rows = columns = self.config.view_size
        if self.hearing.centralized:
            rows = columns = MAX_SIDE
        picture = (rows + 1) * (columns + 1) * 7
        messages = self.n_agents * (self.hearing.delay[1] + 1) * (_MESSAGE_BOUND + 10)
        memory = self.options.memory * (picture + _MESSAGE_BOUND + 200)
        return _WORDS_BOUND + picture + memory + messages

    # Hooks: the outcome ------------------------------------------------------------------------

    @property
    def action_log(self) -> list[dict[str, str]]:
        """What was done in each round so far, by agent; the same as ``outcome()``."""
        return [
            {f"agent_{number}": name for number, name in log.actions.items()} for log in self.log
        ]

    def outcome(self) -> list[dict[str, str]]:
        """Return what was done in each round so far, by agent."""
        self._require_reset()
        return self.action_log

    def _metrics(self) -> dict[str, Any]:
        return {
            "success": self.task.success(self.world, self.target),
            "score": self.world.score,
            "messages": self._mailbox.count,
            **episode_metrics(self.log, self.config.view_size),
        }

    def _state(self) -> dict[str, Any]:
        return {"task": self.task.name, **self.world.to_dict(), "messages": self._observer.heard}

    def _max_state_chars(self) -> int:
        grid = MAX_SIDE * (MAX_SIDE + 4)
        objects = MAX_SHAPE_CELLS * 5 + MAX_OBJECTS * 120
        # A quotation mark or backslash in a message takes two characters in JSON.
        heard = self.n_agents * (self.hearing.delay[1] + 1) * (2 * _MESSAGE_BOUND + 4)
        return 2_000 + 2 * grid + objects + self.n_agents * (heard + 100)

    def _render_text(self) -> str:
        world = self.world
        head = f"{self.task.name}: {world.round} of {self.limit} rounds, score {world.score:g}"
        return f"{head}\n{terminal_text(world)}"

    def _render_rgb(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        return draw(self.world)


_UNUSABLE = Parsed(STAY, "", {}, None, False)  # the base explains what was wrong with it

"""The environment of all swarm tasks: rounds of answers, physics and the task's rules.

Everything that only one task knows is in its own module; see ``coordgym.swarm_env.task``.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Final, Unpack

import numpy as np

from coordgym.contract.base import TextParallelEnv
from coordgym.contract.hooks import Observed
from coordgym.contract.options import CommonOptions
from coordgym.contract.spaces import Sampler
from coordgym.errors import (
    ConfigError,
    InstanceError,
    require_bool,
    require_choice,
    require_int,
    require_probability,
    shown,
)
from coordgym.swarm_env.grid.state import MAX_OBJECTS, MAX_SHAPE_CELLS, MAX_SIDE
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.instance import EXTRA_FIELDS, SEED_BOUND, check_fields
from coordgym.swarm_env.messages import COMMANDER, Hearing, Mailbox, require_delay
from coordgym.swarm_env.metrics import RoundLog, episode_metrics
from coordgym.swarm_env.observer import Observer
from coordgym.swarm_env.parsing import (
    CUT_MARK,
    MAX_MESSAGE_CHARS,
    STAY,
    AnswerSampler,
    Parsed,
    parse_answer,
)
from coordgym.swarm_env.table import load_task
from coordgym.swarm_env.task import COMPAT, SwarmConfig, Task, Turn
from coordgym.swarm_env.texts import Writer

DEFAULT_ROUNDS: Final = 100
MAX_MEMORY: Final = 1000

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
        reward: ``"score"``: the team's gain to everyone. ``"individual"``: shaped per agent.
        format_bonus: Added once for a valid action and once for a message.
        target: Score of a success; None = that of a given instance, else the task's own.
            Transport and flocking take none.
        noise: Probability that a character of a message is corrupted.
        delay: Least and largest number of extra rounds that a message takes.
        centralized: agent_0 sees the whole map and commands the others.
        box: Transport only, see ``coordgym.swarm_env.tasks.transport``: ``"corner"`` or
            ``"square"``.
        distance_scale: Flocking only, see ``coordgym.swarm_env.tasks.flocking``; 1 by default.
        translations: Flocking only: ``"paired"`` or ``"independent"``.
        repeat_instructions: Whether every observation stands alone; see ``memory``.
        max_cycles: Limit T on rounds; None = that of a given instance, else 100.
        **base: Options that all environments share, see ``TextParallelEnv``.

    Raises:
        ConfigError: A value is out of range, or the map too small for the task and its agents.
    """

    family = "swarm"
    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "name": "coordgym_swarm_v0",
        "render_modes": ["ansi", "human", "rgb_array"],
        "render_fps": 4,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        *,
        task: str = "pursuit",
        n_agents: int = 10,
        height: int = 10,
        width: int = 10,
        view_size: int = 5,
        memory: int = 5,
        compat: str | None = None,
        reward: str = "score",
        format_bonus: float = 0.0,
        target: float | None = None,
        noise: float = 0.0,
        delay: Sequence[int] = (0, 0),
        centralized: bool = False,
        box: str | None = None,
        distance_scale: float | None = None,
        translations: str | None = None,
        repeat_instructions: bool = True,
        **base: Unpack[CommonOptions],
    ) -> None:
        self._given_limit: int | None = None  # the limit of a given instance
        self.config = SwarmConfig(n_agents, height, width, view_size, compat is not None)
        super().__init__(
            n_agents=self.config.n_agents,
            repeat_instructions=repeat_instructions,
            history=0,  # a swarm retells views and actions, not whole answers
            **base,
        )
        options = {"box": box, "distance_scale": distance_scale, "translations": translations}
        self.task = load_task(task, {k: v for k, v in options.items() if v is not None})
        if compat is not None:
            require_choice("compat", compat, [COMPAT])
        self.task.check(self.config)
        self.memory = require_int("memory", memory, 0, MAX_MEMORY)
        self.reward = require_choice("reward", reward, ["score", "individual"])
        self.format_bonus = _require_number("format_bonus", format_bonus)
        self._own_target = None if target is None else _require_target(self.task, target)
        self.target = self.task.target if target is None else self._own_target
        self.hearing = Hearing(
            distance=self.config.view_size // 2,
            compat=self.config.compat,
            centralized=require_bool("centralized", centralized),
            noise=require_probability("noise", noise),
            delay=require_delay(delay),
        )
        self._numbers = {agent: number for number, agent in enumerate(self.possible_agents)}

    # Hooks: the episode ---------------------------------------------------------------------

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        world = dict(given or {})
        extras = {name: world.pop(name) for name in EXTRA_FIELDS if name in world}
        check_fields(extras)
        compat = COMPAT if self.config.compat else None
        settings = self.task.settings()
        for name, own in (("task", self.task.name), ("options", settings), ("compat", compat)):
            if extras.get(name, own) != own:
                raise InstanceError(f"the instance's {name} is {extras[name]!r:.100}, not {own!r}")
        self._take_over(extras)
        config = self.config
        if given is None:
            self.world = self.task.generate(config, self.instance_rng())
        else:
            self.world = self._read_world(world)
            self.steps = self.round = self.world.round
            config = replace(config, height=self.world.height, width=self.world.width)
        seed = extras.get("dynamics_seed")
        if seed is None:
            seed = int(self.rng(_TASK_STREAM).integers(SEED_BOUND))
        self._episode_config = config
        self._dynamics = np.random.default_rng(seed)
        self._mailbox = Mailbox(self.hearing, self.rng(_MESSAGE_STREAM))
        self._writer = Writer(self.task, config, self.hearing, full=self.text == "full")
        memory = self.memory if self.repeat_instructions else None
        self._observer = Observer(self.world, self._writer, memory)
        self.log: list[RoundLog] = []
        self._done = False
        self._step_rewards: dict[str, float] = {}
        return {
            **self.world.to_dict(),
            "task": self.task.name,
            "options": settings,
            "compat": compat,
            "max_cycles": self.limit,
            "target": self.target,
            "dynamics_seed": seed,
        }

    def _take_over(self, extras: Mapping[str, Any]) -> None:
        """Plays up to the limit and for the target of a given instance, as far as it has them.

        Raises:
            InstanceError: The environment was made with others, or the task takes no such target.
        """
        for name, own in (("max_cycles", self.max_cycles), ("target", self._own_target)):
            if name in extras and own is not None and extras[name] != own:
                raise InstanceError(
                    f"the instance's {name} is {extras[name]!r}, but the environment was made "
                    f"with {name}={own!r}; leave {name} out to take the instance's"
                )
        default = self.task.target if self._own_target is None else self._own_target
        target = extras.get("target", default)
        if (target is None) != (self.task.target is None):
            expected = "None" if self.task.target is None else "a number"
            raise InstanceError(f"the instance's target must be {expected}, got {target!r}")
        self._given_limit = extras.get("max_cycles")
        self.target = target

    def _read_world(self, state: Mapping[str, Any]) -> World:
        if not state:
            raise InstanceError(
                "the instance holds no world; give env.unwrapped.instance, or none to draw one"
            )
        world = World.from_dict(state)
        if world.n_agents != self.n_agents:
            raise InstanceError(
                f"the instance has {world.n_agents} agents, the environment {self.n_agents}; "
                f"make it with n_agents={world.n_agents}"
            )
        if world.round >= self.limit:
            raise InstanceError(
                f"the instance is after round {world.round}, but max_cycles ends it at {self.limit}"
            )
        self.task.check_world(world)
        return world

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
        before = tuple(world.positions)
        self._mailbox.speak(world.round, spoken, before)
        moved = world.push(done)
        turn = Turn(done, before, moved, self.limit)
        outcome = self.task.update(world, turn, self._episode_config, self._dynamics)
        world.round += 1
        self._done = outcome.done
        gone = frozenset(number for number, out in enumerate(world.escaped) if out)
        self.log.append(RoundLog(done, before, tuple(world.positions), spoken, gone))
        self._step_rewards = self._rewards_of(outcome.gain, outcome.individual, parsed)
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

    def _rewards_of(
        self, gain: float, individual: Mapping[int, float], parsed: Mapping[int, Parsed]
    ) -> dict[str, float]:
        rewards = {}
        for agent in self.agents:
            number = self._numbers[agent]
            reward = gain if self.reward == "score" else individual.get(number, 0.0)
            if self.format_bonus and number in parsed:
                answer = parsed[number]
                reward += self.format_bonus * (answer.given + bool(answer.message))
            rewards[agent] = reward
        return rewards

    def _active(self) -> Collection[str]:
        escaped = self.world.escaped
        return [agent for agent in self.agents if not escaped[self._numbers[agent]]]

    def _rewards(self) -> dict[str, float]:
        return self._step_rewards

    def _finished(self) -> Collection[str]:
        if self._done:
            return self.agents
        if self.reward == "individual":
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
        memory = self.memory * (picture + _MESSAGE_BOUND + 200)
        return _WORDS_BOUND + picture + memory + messages

    # Hooks: the outcome ------------------------------------------------------------------------

    @property
    def action_log(self) -> list[dict[str, str]]:
        """What was done in each round so far, by agent: the outcome that ``verify`` takes."""
        return [
            {f"agent_{number}": name for number, name in log.actions.items()} for log in self.log
        ]

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
        from coordgym.swarm_env.drawing import terminal_text

        world = self.world
        head = f"{self.task.name}: {world.round} of {self.limit} rounds, score {world.score:g}"
        return f"{head}\n{terminal_text(world)}"

    def _render_rgb(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        from coordgym.swarm_env.drawing import draw

        return draw(self.world)


_UNUSABLE = Parsed(STAY, "", {}, None, False)  # the base explains what was wrong with it


def _require_number(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value < 1e9:
        raise ConfigError(f"{name} must be a number in [0, 1e9), got {shown(value)}")
    return float(value)


def _require_target(task: Task, target: float) -> float:
    if task.target is None:
        raise ConfigError(f"target: {task.name} succeeds when it is finished, at any score")
    return _require_number("target", target)

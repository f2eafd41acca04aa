"""What is paid, and what earns nothing: loitering, spam, cycles, policies that look at nothing."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, ClassVar

import pytest

import coordgym
from coordgym.errors import ConfigError
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.tasks.foraging import FOOD, NEST, cells_of
from coordgym.swarm_env.tasks.pursuit import prey_of
from coordgym.swarm_env.tasks.transport import box_number

SIZE: dict[str, Any] = {"n_agents": 6, "height": 8, "width": 8, "max_cycles": 24}
TASKS: dict[str, dict[str, Any]] = {
    "Pursuit": {"target": 5},
    "Synchronization": {"target": 24},
    "Foraging": {"target": 8},
    "Transport": {"max_cycles": 60},
    "Flocking": {"n_agents": 8},
}
COMMON = [
    (name, credit) for name in ("success", "partial", "shaped") for credit in ("team", "seat")
]
NOTHING = 0.06
"""Mean of two episodes; that of 200 at the published size is at most 0.05."""
SEEDS = (1, 2)
Choice = Callable[[World, int, int], str]


class Puppets:
    """Moves all agents by the world itself, which no agent sees: the strongest hacks."""

    name: ClassVar[str] = "puppets"

    def __init__(self, choose: Choice, tail: str = "") -> None:
        self.choose, self.tail = choose, tail

    def bind(self, env: Any) -> None:
        self.env = env.unwrapped

    def reset(self, agents: Any, infos: Any, seed: int) -> None:
        self.round = 0

    def act(self, observations: Mapping[str, str], infos: Any) -> dict[str, str]:
        world, self.round = self.env.world, self.round + 1
        return {
            agent: f"ACTION: {self.choose(world, int(agent[6:]), self.round)}{self.tail}"
            for agent in observations
        }


def towards(world: World, agent: int, cells: list[tuple[int, int]], stop: int) -> str:
    """Walk to the nearest of some cells, and stop so many cells before it."""
    row, column = world.positions[agent]
    apart, (i, j) = min((abs(row - i) + abs(column - j), (i, j)) for i, j in cells)
    if apart == stop:
        return "STAY"
    down, right = (i - row, j - column) if apart > stop else (row - i, column - j)
    if abs(down) >= abs(right):
        return "DOWN" if down > 0 else "UP"
    return "RIGHT" if right > 0 else "LEFT"


def beside_the_box(world: World, agent: int, round_: int) -> str:
    number = box_number(world)
    assert number is not None
    return towards(world, agent, world.object_cells(number), 1)


def in_and_out_of_reach_of_the_box(world: World, agent: int, round_: int) -> str:
    number = box_number(world)
    assert number is not None
    return towards(world, agent, world.object_cells(number), 1 + round_ % 2)


def behind_the_prey(world: World, agent: int, round_: int) -> str:
    prey = prey_of(world)
    assert prey is not None
    return towards(world, agent, [prey.cell], 2)


def to_and_fro_behind_the_prey(world: World, agent: int, round_: int) -> str:
    prey = prey_of(world)
    assert prey is not None
    return towards(world, agent, [prey.cell], 2 + 2 * (round_ % 2))


def beside_what_is_next(world: World, agent: int, round_: int) -> str:
    return towards(world, agent, cells_of(world, NEST if world.lights[agent] else FOOD), 2)


def always(name: str) -> Choice:
    return lambda world, agent, round_: name


def in_turn(*names: str) -> Choice:
    return lambda world, agent, round_: names[round_ % len(names)]


def each_its_own(world: World, agent: int, round_: int) -> str:
    return ("UP", "DOWN", "LEFT", "RIGHT", "STAY")[agent % 5]


HACKS: dict[str, Choice] = {
    "constant up": always("UP"),
    "constant left": always("LEFT"),
    "constant stay": always("STAY"),
    "up and down": in_turn("UP", "DOWN"),
    "in circles": in_turn("UP", "RIGHT", "DOWN", "LEFT"),
    "each its own": each_its_own,
}
LOITERING = [
    ("Transport", beside_the_box),
    ("Transport", in_and_out_of_reach_of_the_box),
    ("Pursuit", behind_the_prey),
    ("Pursuit", to_and_fro_behind_the_prey),
    ("Foraging", beside_what_is_next),
    ("Synchronization", always("SWITCH")),
    ("Synchronization", in_turn("SWITCH", "STAY")),
]


@cache
def paid(task: str, reward: str, credit: str | None, policy: Any, seed: int, **more: Any) -> Any:
    kwargs = {**SIZE, **TASKS[task], **more}
    env = coordgym.make(f"Swarm{task}-v0", reward=reward, credit=credit, **kwargs)
    return coordgym.rollout(env, policy, seed)


def mean_return(task: str, reward: str, credit: str | None, policy: Any, **more: Any) -> float:
    episodes = [paid(task, reward, credit, policy, seed, **more) for seed in SEEDS]
    returns = [value for each in episodes for value in each.returns.values()]
    return sum(returns) / len(returns)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("hack", HACKS)
def test_what_looks_at_nothing_earns_nothing(task: str, hack: str) -> None:
    assert mean_return(task, "shaped", "seat", Puppets(HACKS[hack])) <= NOTHING


@pytest.mark.parametrize("task", TASKS)
def test_random_play_earns_nothing(task: str) -> None:
    assert mean_return(task, "individual", None, "random") <= NOTHING


@pytest.mark.parametrize(("task", "choose"), LOITERING)
def test_loitering_and_cycles_earn_nothing(task: str, choose: Choice) -> None:
    policy = Puppets(choose)
    for credit in ("team", "seat"):
        assert mean_return(task, "shaped", credit, policy) <= NOTHING


@pytest.mark.parametrize("task", ["Transport", "Pursuit"])
def test_the_published_reward_pays_loiterers(task: str) -> None:
    choose = beside_the_box if task == "Transport" else behind_the_prey
    loitering = mean_return(task, "gameable_individual", None, Puppets(choose))
    assert loitering > mean_return(task, "gameable_individual", None, "random") + 0.2


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("policy", ["swarm:strong", "swarm:reactive"])
def test_common_rewards_lie_in_0_to_1_and_shaping_sums_to_zero(task: str, policy: str) -> None:
    for credit in ("team", "seat"):
        by_name = {
            name: paid(task, name, credit, policy, 1).returns
            for name in ("success", "partial", "shaped")
        }
        for returns in by_name.values():
            assert all(-1e-9 <= value <= 1 + 1e-9 for value in returns.values())
        assert by_name["shaped"] == pytest.approx(by_name["partial"])


@pytest.mark.parametrize("task", ["Synchronization", "Flocking"])
def test_right_play_earns_1(task: str) -> None:
    for name, credit in COMMON:
        episode = paid(task, name, credit, "swarm:strong", 1)
        assert episode.metrics["success"]
        assert list(episode.returns.values()) == pytest.approx([1.0] * len(episode.returns))


@pytest.mark.parametrize("task", TASKS)
def test_individual_returns_order_the_baselines_as_their_scores_do(task: str) -> None:
    rules = ("random", "swarm:reactive", "swarm:communicating", "swarm:strong")
    scores = {
        rule: sum(paid(task, "individual", None, rule, seed).metrics["score"] for seed in SEEDS) / 2
        for rule in rules
    }
    returns = {rule: mean_return(task, "individual", None, rule) for rule in rules}
    best = max(scores.values())
    for one in rules:
        for other in rules:
            if scores[one] > scores[other] + 0.1 * best:
                below = returns[one] == returns[other] == pytest.approx(0, abs=NOTHING)
                assert returns[one] > returns[other] or below
    assert returns["swarm:strong"] > returns["random"] + 0.2


def test_a_seat_is_paid_for_its_own_deliveries() -> None:
    episode = paid("Foraging", "partial", "seat", "swarm:strong", 1)
    assert len(set(episode.returns.values())) > 1
    team = paid("Foraging", "partial", "team", "swarm:strong", 1)
    assert len(set(team.returns.values())) == 1


def test_individual_is_shaped_for_the_seat() -> None:
    one, other = (
        paid("Pursuit", *names, "swarm:reactive", 1)
        for names in (
            ("individual", None),
            ("shaped", "seat"),
        )
    )
    assert one.returns == other.returns


def test_who_gets_out_is_paid_at_once_and_leaves() -> None:
    episode = paid("Transport", "success", "seat", "swarm:strong", 1, max_cycles=60)
    assert episode.metrics["success"]
    assert set(episode.returns.values()) == {1.0}


@pytest.mark.parametrize("reward", ["score", "partial"])
def test_the_format_bonus_pays_valid_turns_and_no_messages(reward: str) -> None:
    def earned(policy: Any) -> list[float]:
        with_bonus = paid("Pursuit", reward, None, policy, 1, format_bonus=0.5).returns
        without = paid("Pursuit", reward, None, policy, 1).returns
        return [with_bonus[agent] - without[agent] for agent in without]

    silent, spam = Puppets(always("STAY")), Puppets(always("STAY"), "\nMSG: x")
    assert earned(silent) == earned(spam) == pytest.approx([0.5] * 6)
    assert earned(Puppets(always("JUMP"), "\nMSG: x")) == pytest.approx([0.0] * 6)
    assert earned(Puppets(in_turn("STAY", "JUMP"))) == pytest.approx([0.25] * 6)


def test_rewards_are_the_same_each_time_and_plain_numbers() -> None:
    def steps() -> list[dict[str, float]]:
        env = coordgym.make("SwarmFlocking-v0", reward="shaped", **SIZE)
        observations, infos = env.reset(seed=3)
        policy = coordgym.make_policy("swarm:reactive")
        policy.reset(env.agents, infos, 3)
        found = []
        while env.agents:
            observations, rewards, *_, infos = env.step(policy.act(observations, infos))
            found.append(dict(rewards))
        return found

    first = steps()
    assert json.loads(json.dumps(first)) == steps() == first


def test_wrong_credits_are_refused() -> None:
    with pytest.raises(ConfigError, match="credit must be 'seat' or None"):
        coordgym.make("SwarmPursuit-v0", reward="individual", credit="team")
    with pytest.raises(ConfigError, match="credit must be"):
        coordgym.make("SwarmPursuit-v0", reward="shaped", credit="mine")
    with pytest.raises(ConfigError, match="reward must be"):
        coordgym.make("SwarmPursuit-v0", reward="team")

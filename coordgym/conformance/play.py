"""How the checks play: seeded streams of actions, whole episodes, and exact comparison."""

import copy
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from coordgym.contract.base import TextParallelEnv

MAX_STEPS = 300
"""Steps after which a played episode is left, env steps."""

SAMPLES_RULE = (
    "samples of an action space must be legal actions that never end an episode "
    "(sample_actions of a TextParallelEnv, or its hook _sampler; docs/own-environments.md)"
)

GARBAGE = (
    "",
    " \n\t\r\n",
    "teleport(everywhere)",
    "Grüße 🙂 日本語 \u202e\u0301 ñ",
    "\x00\x01\x7f",
    "move(",
    '{"name": "teleport", "arguments": {"to": NaN}}',
    '{"answer": 1e999',
    "[" * 3000,
    "(" * 500 + ")" * 500,
    "9" * 4000,
    "é" * 4000,
    "\ud800",
    "```json\n{}\n```",
    "<tool_call>\n{}\n</tool_call>",
    "__import__('os').getpid()",
    "ACTION: fly\nACTION: swim",
)
"""Texts that no family means anything by: broken, huge, foreign, hostile or not Unicode."""

Actions = dict[str, Any]


class Frame(NamedTuple):
    """What ``reset`` or ``step`` returned; at reset the three middle dicts are empty."""

    observations: dict[str, Any]
    rewards: dict[str, Any]
    terminations: dict[str, Any]
    truncations: dict[str, Any]
    infos: dict[str, Any]


Player = Callable[[Any, Frame, np.random.SeedSequence], Actions]
"""Chooses the actions of one step from the environment, the last frame and a seed."""


class Play(NamedTuple):
    """A played episode: all frames, the actions between them, and whether it ended."""

    frames: list[Frame]
    actions: list[Actions]
    ended: bool


def sampled(env: Any, frame: Frame, seed: np.random.SeedSequence) -> Actions:
    """Draw an action from the space of every agent that must act (any ParallelEnv)."""
    return {
        agent: _sample(env, agent, frame, _rng(seed, i))
        for i, agent in enumerate(env.agents)
        if frame.infos[agent].get("active", True)
    }


def mixed(env: Any, frame: Frame, seed: np.random.SeedSequence) -> Actions:
    """Draw valid and invalid texts, and sometimes a text for an agent that waits.

    About half are samples of the action space, a tenth moves of the random policy (which may end
    the episode), the rest garbage. Plain environments get samples only.
    """
    if not isinstance(env.unwrapped, TextParallelEnv):
        return sampled(env, frame, seed)
    actions: Actions = {}
    for i, agent in enumerate(env.agents):
        rng = _rng(seed, i)
        draw = rng.random()
        if not frame.infos[agent]["active"]:
            if draw < 0.5:
                actions[agent] = ""
        elif draw < 0.5:
            actions[agent] = _sample(env, agent, frame, rng)
        elif draw < 0.6:
            actions[agent] = env.unwrapped.random_action(agent, rng)
        else:
            actions[agent] = GARBAGE[int(rng.integers(len(GARBAGE)))]
    return actions


def garbage(env: Any, frame: Frame, seed: np.random.SeedSequence) -> Actions:
    """Draw garbage for every agent that must act, a tenth of it as long as actions may be."""
    actions: Actions = {}
    for i, agent in enumerate(env.agents):
        if not frame.infos[agent]["active"]:
            continue
        rng = _rng(seed, i)
        if rng.random() < 0.1:
            actions[agent] = "\U0001f419 " * (env.unwrapped.max_action_chars // 2)
        else:
            actions[agent] = GARBAGE[int(rng.integers(len(GARBAGE)))]
    return actions


def start(env: Any, seed: int | None) -> Frame:
    """Reset ``env`` and give the first frame."""
    observations, infos = env.reset(seed=seed)
    return Frame(observations, {}, {}, {}, infos)


def step_seed(seed: int, step: int) -> np.random.SeedSequence:
    """Give the seed of the actions of one step of a stream."""
    return np.random.SeedSequence(seed, spawn_key=(step,))


def play(
    env: Any, seed: int, player: Player = mixed, *, stream: int = 0, max_steps: int = MAX_STEPS
) -> Play:
    """Play an episode to its end, or for ``max_steps`` steps.

    Args:
        env: A parallel environment.
        seed: Seed of the environment.
        player: Chooses the actions.
        stream: Seed of the actions.
        max_steps: Steps after which the episode is left unended.
    """
    return resume(env, start(env, seed), player, stream=stream, max_steps=max_steps)


def resume(
    env: Any,
    frame: Frame,
    player: Player = mixed,
    *,
    stream: int = 0,
    first_step: int = 0,
    max_steps: int = MAX_STEPS,
) -> Play:
    """Play on from ``frame``, whose step has the number ``first_step``."""
    frames, played = [frame], []
    for step in range(first_step, max_steps):
        if not env.agents:
            break
        actions = player(env, frames[-1], step_seed(stream, step))
        # The env gets its own dict: the record must not change if the env keeps or fills it.
        frames.append(Frame(*env.step(dict(actions))))
        played.append(actions)
    return Play(frames, played, ended=not env.agents)


def first_difference(left: Any, right: Any, path: str = "") -> str | None:
    """Say where two values differ first, in words, or give None if they are equal.

    Types count (True is not 1), NaN equals NaN, the order of keys in a dict counts as well:
    it shows in JSON and in texts made from it.
    """
    if type(left) is not type(right):
        return f"{path} is {_short(left)} once and {_short(right)} once"
    if isinstance(left, Mapping):
        if list(left) != list(right):
            return f"{path} has keys {_short(list(left))} once and {_short(list(right))} once"
        pairs = [(f"{path}[{key!r}]", left[key], right[key]) for key in left]
    elif isinstance(left, list | tuple):
        if len(left) != len(right):
            return f"{path} has {len(left)} entries once and {len(right)} once"
        names = getattr(left, "_fields", None)
        pairs = [
            (f"{path}.{names[i]}" if names else f"{path}[{i}]", left[i], right[i])
            for i in range(len(left))
        ]
    elif isinstance(left, np.ndarray):
        same = left.dtype == right.dtype and np.array_equal(
            left, right, equal_nan=left.dtype.kind in "fc"
        )
        return None if same else f"{path} is {_short(left)} once and {_short(right)} once"
    elif left == right or (left != left and right != right):
        return None
    else:
        return f"{path} is {_short(left)} once and {_short(right)} once"
    for inner_path, inner_left, inner_right in pairs:
        found = first_difference(inner_left, inner_right, inner_path)
        if found is not None:
            return found
    return None


def episode_difference(left: Play, right: Play) -> str | None:
    """Say at which step and where two episodes differ first, or give None."""
    for step, (one, other) in enumerate(zip(left.frames, right.frames, strict=False)):
        found = first_difference(one, other)
        if found is not None:
            return f"at step {step}: {found.removeprefix('.')}"
        if step < min(len(left.actions), len(right.actions)):
            found = first_difference(left.actions[step], right.actions[step], "actions")
            if found is not None:
                return f"after step {step}: {found}"
    if len(left.frames) != len(right.frames):
        return f"it lasts {len(left.frames) - 1} steps once and {len(right.frames) - 1} once"
    return None


def frozen(frame: Frame) -> Frame:
    """Give a copy of a frame that shares nothing with it."""
    return copy.deepcopy(frame)


def _short(value: Any) -> str:
    """Show a value on one line of bounded length, its type where that is the point."""
    text = f"{type(value).__name__} {value!r}" if not isinstance(value, str) else repr(value)
    text = text.replace("\n", " ")
    return text if len(text) <= 200 else f"{text[:120]} … {text[-60:]}"


def _rng(seed: np.random.SeedSequence, agent_index: int) -> np.random.Generator:
    key = (*seed.spawn_key, agent_index)
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=key))


def _sample(env: Any, agent: str, frame: Frame, rng: np.random.Generator) -> Any:
    """Draw from the action space, under the mask that the observation or info may hold."""
    space = env.action_space(agent)
    space.seed(int(rng.integers(2**31)))
    observation = frame.observations[agent]
    for holder in (observation, frame.infos[agent]):
        if isinstance(holder, dict) and "action_mask" in holder:
            return space.sample(holder["action_mask"])
    return space.sample()

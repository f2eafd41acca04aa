"""Play one episode and record it."""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from coordgym.episodes.episode import Episode
from coordgym.episodes.recording import Asked, Recording, failure_of
from coordgym.making import build_policy, close_policy, make_env
from coordgym.policies.protocol import Policy


def rollout(
    env: Any,
    policy: Policy | str,
    seed: int | None,
    *,
    options: Mapping[str, Any] | None = None,
    policy_seed: int | None = None,
    repeat: int = 0,
) -> Episode:
    """Play one episode of ``env`` with ``policy``.

    Only active agents are asked. The environment is reset, not closed.

    Args:
        env: A text environment (``coordgym.make``), or an id to make one with for this episode.
        policy: Acts for all agents; a policy, or a string for ``coordgym.make_policy``.
        seed: The environment's seed, an int ≥ 0; None lets the environment draw one, and the
            episode holds it.
        options: Passed on to ``env.reset``; must have a JSON form.
        policy_seed: The policy's seed; ``seed`` if not given.
        repeat: Index among episodes that differ in nothing else, for the record; an int ≥ 0.

    Raises:
        ActionError: If the policy does not answer for exactly the agents that were asked,
            or answers with something that is neither a text nor a ``Completion``.
        ConfigError: If an argument or what the policy notes is not of the right kind.
        SeedError: If a seed is not an int ≥ 0, or None and the environment tells no seed.
        Exception: Whatever environment or policy raise.
    """
    with ExitStack() as made:
        if isinstance(env, str):
            env = make_env(env, {})
            made.callback(env.close)
        if isinstance(policy, str):
            policy = build_policy(policy, {})
            made.callback(close_policy, policy)
        recording = Recording(Asked(env, policy, seed, options, policy_seed, repeat))
        recording.play()
    return recording.episode()


def attempt(
    env: Any,
    policy: Policy,
    seed: int | None,
    *,
    options: Mapping[str, Any] | None = None,
    policy_seed: int | None = None,
    repeat: int = 0,
) -> Episode:
    """Play like ``rollout``, but let an error of environment or policy be data.

    Returns:
        The episode; if something raised, the turns until then and the ``failure``.
    """
    recording = Recording(Asked(env, policy, seed, options, policy_seed, repeat))
    try:
        recording.play()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a policy may raise SystemExit, CancelledError …
        return recording.episode(failure_of(error))
    return recording.episode()

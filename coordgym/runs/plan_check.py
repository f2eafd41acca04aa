"""What can be known to be wrong with a plan before its first episode is played."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from coordgym.errors import CoordgymError, PlanError, UnknownKwargError, suggest
from coordgym.loading import imported, is_imported, load
from coordgym.making import build_policy, entry_of
from coordgym.policies.policy_map import REST, groups_of, is_like_an_agent
from coordgym.policies.protocol import Policy, bind_policy
from coordgym.runs.planned import PlannedEnv, PlannedPolicy, PlannedSeat

LLM_CHECK = "coordgym.agents.factory:check_llm_policy"


def check_plan(envs: Sequence[PlannedEnv], policies: Sequence[PlannedPolicy], workers: int) -> None:
    """Make every environment and every light policy once, and see whether they fit.

    Models are not loaded and factories of imported policies are not called.

    Raises:
        CoordgymError: The first error found.
    """
    seats = {policy.name: _checked_seats(policy) for policy in policies}
    for env in envs:
        _check_files(env, workers)
        world = _made(env)
        try:
            for policy in policies:
                _check_agents(env, world, policy)
                for seat in seats[policy.name]:
                    _check_family(env, world, policy, seat)
        finally:
            world.close()


def _checked_seats(policy: PlannedPolicy) -> list[Policy | Callable[..., Any] | None]:
    """Build the light policies of a plan's policy; of imported ones, give the factories."""
    return [_checked_seat(seat) for seat in policy.seats.values()]


def _checked_seat(seat: PlannedSeat) -> Policy | Callable[..., Any] | None:
    if is_imported(seat.policy):
        return _checked_factory(seat)
    if seat.policy.startswith("llm:"):
        load(LLM_CHECK)(seat.policy, **seat.kwargs)
        return None
    return build_policy(seat.policy, seat.kwargs)


def _checked_factory(seat: PlannedSeat) -> Callable[..., Any]:
    factory: Callable[..., Any] = imported(seat.policy)
    if not callable(factory):
        raise PlanError(
            f"{seat.policy!r} must be a function (or class) that makes a policy when it is called "
            f"with the kwargs of the plan, as each process makes its own; it is {factory!r:.80}"
        )
    if isinstance(factory, type):
        for method in ("reset", "act"):
            if not hasattr(factory, method):
                raise PlanError(f"{seat.policy!r} is no class of policies: it has no {method!r}")
    try:
        signature = inspect.signature(factory)
    except ValueError:  # some written in C have none
        return factory
    try:
        signature.bind(**seat.kwargs)
    except TypeError as error:
        raise UnknownKwargError(f"policy {seat.policy!r}: {error}") from None
    return factory


def _check_files(env: PlannedEnv, workers: int) -> None:
    entry = entry_of(env.id)
    for name in () if entry is None else entry.file_kwargs:
        if workers > 1 and env.kwargs.get(name) is not None:
            raise PlanError(
                f"{env.label}: {name} names one file, to which {workers} workers would write at "
                "the same time; leave it out, or use one worker"
            )


def _made(env: PlannedEnv) -> Any:
    try:
        return env.make()
    except CoordgymError:
        raise
    except Exception as error:
        raise PlanError(
            f"{env.label} can't be made: {type(error).__name__}: {error!s:.200}"
        ) from error


def _check_agents(env: PlannedEnv, world: Any, policy: PlannedPolicy) -> None:
    """See whether the agents that are named exist, and whether each agent is played."""
    agents = getattr(world.unwrapped, "possible_agents", None)
    if agents is None:
        return
    groups = groups_of(world)
    for key in policy.seats:
        if key == REST or key in groups or key in agents:
            continue
        if is_like_an_agent(key, agents):
            raise PlanError(
                f"policy {policy.name!r}: {env.label} has no agent {key!r}{suggest(key, agents)}"
            )
        raise PlanError(
            f"policy {policy.name!r}: {key!r} can play nobody: {env.label} marks no agents so"
        )
    if REST in policy.seats or any(key in groups for key in policy.seats):
        return
    for agent in agents:
        if agent not in policy.seats:
            raise PlanError(
                f"policy {policy.name!r}: nobody plays {agent} of {env.label}; "
                f"name it, or add a policy for {REST!r}"
            )


def _check_family(env: PlannedEnv, world: Any, policy: PlannedPolicy, seat: Any) -> None:
    """See whether a policy plays the environment's family; light ones are bound to see it."""
    wanted = getattr(seat, "family", None)
    family = getattr(world.unwrapped, "family", "")
    if isinstance(wanted, str) and wanted and wanted != family:
        raise PlanError(
            f"policy {policy.name!r} plays the family {wanted!r}, but {env.label} is of the "
            f"family {family!r}"
        )
    if seat is not None and not isinstance(seat, type) and hasattr(seat, "act"):
        bind_policy(seat, world)

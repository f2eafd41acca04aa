"""Checks that the task can be solved by its strongest baseline and not by chance."""

from typing import Any

from coordgym.conformance.pettingzoo_tests import expect_end
from coordgym.conformance.play import start
from coordgym.conformance.report import CheckSkipped, expect
from coordgym.conformance.subject import Subject
from coordgym.episodes.rollout import rollout
from coordgym.errors import UnknownPolicyError
from coordgym.policies.named import make_policy
from coordgym.policies.protocol import bind_policy

SEEDS = (1, 2, 3, 4)


def check_baselines(subject: Subject) -> str:
    """Check that the oracle succeeds or reaches its ``target``, and random scores less.

    Families that measure success against a kwarg ``target``, which the oracle reaches in about
    half of its episodes, must succeed at least once, unless none is judged.
    """
    subject.need_text("baselines")
    env = subject.make()
    oracle = make_policy("oracle")
    try:
        bind_policy(oracle, env)
    except UnknownPolicyError as error:
        raise CheckSkipped(str(error)) from error
    expect_end(env, start(env, 0).infos[env.possible_agents[0]]["max_cycles"])
    best = [_metrics(subject, "oracle", seed) for seed in SEEDS]
    chance = [_metrics(subject, "random", seed) for seed in SEEDS]
    judged = [metrics["success"] for metrics in best if metrics["success"] is not None]
    successes = sum(judged)
    scores = ", ".join(f"{metrics['score']:.3g}" for metrics in best)
    needed = min(1, len(judged)) if hasattr(env.unwrapped, "target") else len(SEEDS)
    expect(
        successes >= needed,
        f"the oracle succeeds in {successes} of {len(SEEDS)} episodes, not {needed}; "
        f"its scores are {scores}",
    )
    best_mean, chance_mean = (sum(m["score"] for m in each) / len(SEEDS) for each in (best, chance))
    expect(
        chance_mean < best_mean,
        f"random play scores {chance_mean:.3g} on average, the oracle only {best_mean:.3g}",
    )
    return f"scores: oracle {best_mean:.3g}, random {chance_mean:.3g}"


def _metrics(subject: Subject, policy: str, seed: int) -> dict[str, Any]:
    metrics = rollout(subject.make(), make_policy(policy), seed).metrics
    return dict(metrics)

"""Episodes are summed up by environment and policy, failed ones beside the means."""

import math
from pathlib import Path

from coordgym.data.statistics import SampleMean
from coordgym.runs.evaluate import evaluate
from coordgym.runs.report import cells
from coordgym.runs.results import Results
from coordgym.runs.summary import Summary


def test_failed_episodes_are_counted_beside_the_means(results: Results) -> None:
    random, trouble, model = results.summaries()
    assert (random.policy, trouble.policy, model.policy) == ("random", "a|b", "model")
    assert trouble.failures == {"ZeroDivisionError": 1}
    assert (trouble.episodes, trouble.success_all) == (8, 7 / 8)
    assert trouble.figure("success") == SampleMean(7, 1.0, 0.0, 1.0, 1.0)
    assert model.figure("completion_tokens").mean == 15
    assert model.figure("C").mean == 15 / 20
    assert random.figure("C").n == 0
    assert random.figure("completion_tokens").n == 0
    assert 0 < random.figure("score").mean < 1


def test_what_is_not_judged_is_a_dash_and_no_failure(tmp_path: Path) -> None:
    def summary(**kwargs: int) -> Summary:
        env = {"id": "SwarmPursuit-v0", "kwargs": {"n_agents": 2, "max_cycles": 2, **kwargs}}
        plan = {"name": "one", "envs": [env], "policies": ["random"], "seeds": 2}
        (found,) = evaluate(plan, tmp_path / str(len(kwargs))).summaries()
        return found

    unjudged, judged = summary(), summary(target=3)
    assert math.isnan(unjudged.success_all)
    assert unjudged.figure("success") == SampleMean()
    assert (cells(unjudged)[4], cells(judged)[4]) == ("–", "0%")
    assert judged.success_all == 0

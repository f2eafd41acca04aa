"""Episodes are summed up by environment and policy, failed ones beside the means."""

from coordgym.data.statistics import SampleMean
from coordgym.runs.results import Results


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

"""Means, differences and their intervals are right."""

import math

import numpy as np
import pytest
from scipy import stats

from coordgym.data.statistics import (
    RESAMPLES,
    SampleMean,
    bootstrap_rng,
    difference,
    resampled_means,
    resampled_tasks,
    sample_mean,
)


def test_few_values_have_no_interval() -> None:
    assert repr(sample_mean([], [])) == repr(SampleMean(0, *[math.nan] * 4))
    assert repr(sample_mean([math.nan], [0])) == repr(SampleMean(0, *[math.nan] * 4))
    assert repr(sample_mean([2.0], [0])) == repr(SampleMean(1, 2.0, math.nan, math.nan, math.nan))
    two_of_one_seed = sample_mean([1.0, 3.0], [0, 0])
    assert two_of_one_seed[:3] == (2, 2.0, pytest.approx(math.sqrt(2)))
    assert math.isnan(two_of_one_seed.low)


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert sample_mean([0.25] * 5, list(range(5))) == SampleMean(5, 0.25, 0.0, 0.25, 0.25)


def test_the_interval_is_the_percentile_bootstrap_of_the_mean() -> None:
    data = np.random.default_rng(1).gamma(2.0, size=40)
    ours = sample_mean(data.tolist(), list(range(40)))
    theirs = stats.bootstrap(
        (data,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert (ours.mean, ours.std) == pytest.approx((data.mean(), data.std(ddof=1)))
    assert ours.low == pytest.approx(theirs.low, abs=0.03)
    assert ours.high == pytest.approx(theirs.high, abs=0.03)
    assert ours == sample_mean(data.tolist(), list(range(40)))


def test_repeats_of_a_seed_do_not_narrow_the_interval() -> None:
    values = [0.0, 1.0, 0.0, 1.0, 1.0, 0.0]
    once = sample_mean(values, list(range(6)))
    repeated = sample_mean(values * 10, list(range(6)) * 10)
    assert repeated.mean == once.mean
    assert repeated.high - repeated.low == pytest.approx(once.high - once.low)


def test_many_seeds_are_resampled_in_bounded_memory() -> None:
    n = 5_000
    figure = sample_mean([float(i % 2) for i in range(n)], list(range(n)))
    half_width = 1.96 * 0.5 / math.sqrt(n)
    assert figure.low == pytest.approx(0.5 - half_width, abs=half_width / 4)


def test_a_figure_that_few_episodes_have_is_about_those() -> None:
    figure = sample_mean([math.nan, 2.0, math.nan, 4.0], [0, 1, 2, 3])
    assert figure[:2] == (2, 3.0)
    assert (figure.low, figure.high) == (2.0, 4.0)


def test_paired_interval_by_hand() -> None:
    # Gaps 0.5, 0.1, 0.3: mean 0.3, sd 0.2, t(0.975, 2) = 4.302653.
    gap = difference({0: 1.0, 1: 0.6, 2: 0.5}, {2: 0.2, 0: 0.5, 1: 0.5})
    half = 4.302653 * 0.2 / math.sqrt(3)
    assert gap.paired
    assert gap.estimate == pytest.approx((0.3, 0.3 - half, 0.3 + half), abs=1e-6)


def test_welch_agrees_with_scipy() -> None:
    first, second = [0.9, 0.7, 1.0, 0.8], [0.1, 0.5, 0.9]
    gap = difference(dict(enumerate(first)), dict(enumerate(second, 10)))
    expected = stats.ttest_ind(first, second, equal_var=False).confidence_interval(0.95)
    assert not gap.paired
    assert gap.estimate[1:] == pytest.approx((expected.low, expected.high))


def test_one_seed_has_no_interval() -> None:
    figure = difference({0: 1.0}, {0: 0.25}).estimate
    assert figure.value == 0.75
    assert math.isnan(figure.low)


def test_series_with_the_same_seeds_are_drawn_together() -> None:
    scores = {seed: seed / 10 for seed in range(10)}
    shifted = {seed: value + 1 for seed, value in scores.items()}
    elsewhere = {seed + 50: value for seed, value in scores.items()}
    means = resampled_means([scores, shifted, elsewhere, {}], 200, bootstrap_rng())
    assert means[:, 1] - means[:, 0] == pytest.approx(np.ones(200))
    assert np.abs(means[:, 2] - means[:, 0]).max() > 0.01
    assert np.isnan(means[:, 3]).all()


def test_the_bootstrap_is_that_of_the_paper() -> None:
    assert RESAMPLES == 10_000
    assert bootstrap_rng().random() == bootstrap_rng().random()


def test_drawn_tasks_keep_their_spread() -> None:
    tasks = [[{0: 0.0, 1: 0.0}], [{0: 1.0, 1: 1.0}]]
    means = resampled_tasks(tasks, 4000, bootstrap_rng()).mean(axis=1)[:, 0]
    shares = [float(np.mean(means == value)) for value in (0.0, 0.5, 1.0)]
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.03)

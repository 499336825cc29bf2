"""Noise: statistics of every stage within bounds, order of stages, streams, states."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import stats

from horus_sim.errors import SceneError
from horus_sim.sim3d.sensors import (
    EncoderConfig,
    GroundTruthConfig,
    ImuConfig,
    NoiseChannel,
    NoiseConfig,
    OdometryConfig,
)

COUNT = 200_000


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def drawn(config: NoiseConfig, value: float = 0.0, count: int = COUNT, seed: int = 1):
    generator = rng(seed)
    channel = NoiseChannel(config)
    channel.reset(generator)
    return channel.apply(np.full(count, value), 0.01, generator)


def test_no_noise_changes_nothing_and_draws_nothing():
    generator = rng()
    channel = NoiseChannel(NoiseConfig(), (3,))
    channel.reset(generator)
    values = np.array([1.0, -np.inf, np.nan])
    np.testing.assert_array_equal(channel.apply(values, 0.1, generator), values)
    assert not channel.is_active
    assert generator.random() == rng().random()


def test_white_noise_is_gaussian():
    values = drawn(NoiseConfig(std=0.3), 2.0)
    # Five standard errors of mean and of standard deviation.
    assert abs(values.mean() - 2.0) < 5 * 0.3 / math.sqrt(COUNT)
    assert abs(values.std() - 0.3) < 5 * 0.3 / math.sqrt(2 * COUNT)
    assert stats.kstest((values - 2.0) / 0.3, "norm").pvalue > 1e-3


def test_relative_noise_grows_with_the_value():
    values = drawn(NoiseConfig(std=0.03, std_relative=0.01), -4.0)
    expected = math.hypot(0.03, 0.04)
    assert abs(values.std() - expected) < 5 * expected / math.sqrt(2 * COUNT)


def test_density_of_a_data_sheet():
    assert NoiseConfig.from_density(0.01, 100.0, low=-1.0).std == pytest.approx(0.1)
    with pytest.raises(SceneError, match="at -100 Hz cannot be noise; give"):
        NoiseConfig.from_density(1.0, -100)


def test_offset_and_scale():
    values = NoiseChannel(NoiseConfig(offset=(1, 2, 3), scale=0.1), (3,)).apply(
        [10.0, 20.0, 30.0], 0.1, rng()
    )
    np.testing.assert_allclose(values, [12, 24, 36])


def test_the_first_bias_is_drawn_at_the_start_and_stays():
    biases = []
    for seed in range(2000):
        generator = rng(seed)
        channel = NoiseChannel(NoiseConfig(bias_std=0.5), (3,))
        channel.reset(generator)
        first = channel.apply(np.zeros(3), 0.1, generator)
        np.testing.assert_array_equal(channel.apply(np.zeros(3), 0.1, generator), first)
        biases.append(first)
    found = np.array(biases)
    assert abs(found.std() - 0.5) < 5 * 0.5 / math.sqrt(2 * found.size)


def test_a_walking_bias_spreads_with_the_root_of_time():
    channel = NoiseChannel(NoiseConfig(bias_walk=0.2), (20_000,))
    generator = rng(3)
    channel.reset(generator)
    values = np.zeros(0)
    for dt in (0.5, 1.0, 0.1, 2.4):
        values = channel.apply(np.zeros(20_000), dt, generator)
    expected = 0.2 * math.sqrt(4.0)
    assert abs(values.std() - expected) < 5 * expected / math.sqrt(2 * 20_000)
    assert abs(values.mean()) < 5 * expected / math.sqrt(20_000)


@pytest.mark.parametrize("dt", [0.1, 5.0])
def test_a_bias_that_returns_settles_whatever_the_step(dt):
    channel = NoiseChannel(NoiseConfig(bias_walk=0.3, bias_time=2.0), (20_000,))
    generator = rng(4)
    channel.reset(generator)
    before = channel.bias
    for _ in range(round(20 / dt)):
        before = channel.bias
        channel.apply(np.zeros(20_000), dt, generator)
    expected = 0.3 * math.sqrt(2.0 / 2)  # of the stationary process
    assert abs(channel.bias.std() - expected) < 5 * expected / math.sqrt(2 * 20_000)
    correlation = np.corrcoef(before, channel.bias)[0, 1]
    assert abs(correlation - math.exp(-dt / 2.0)) < 5 / math.sqrt(20_000)


def test_outliers_come_as_often_as_said():
    values = drawn(NoiseConfig(outliers=0.02, outlier_range=(5.0, 7.0)), 1.0)
    is_outlier = values != 1.0
    spread = math.sqrt(0.02 * 0.98 / COUNT)
    assert abs(is_outlier.mean() - 0.02) < 5 * spread
    assert values[is_outlier].min() >= 5.0
    assert values[is_outlier].max() <= 7.0
    added = drawn(NoiseConfig(outliers=0.5, outlier_std=3.0), 1.0) - 1.0
    assert abs(added[added != 0].std() - 3.0) < 5 * 3.0 / math.sqrt(COUNT)


def test_dropout_comes_as_often_as_said():
    values = drawn(NoiseConfig(dropout=0.1), 1.0)
    assert abs(np.isnan(values).mean() - 0.1) < 5 * math.sqrt(0.09 / COUNT)


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (EncoderConfig, "noise"),
        (GroundTruthConfig, "position_noise"),
        (GroundTruthConfig, "orientation_noise"),
        (ImuConfig, "orientation_noise"),
        (OdometryConfig, "linear_scale_noise"),
        (OdometryConfig, "angular_scale_noise"),
    ],
)
def test_dropout_is_refused_where_a_message_cannot_leave_a_value_out(kind, field):
    with pytest.raises(ValidationError, match=f"{field}(.|\n)*'loss' loses whole messages"):
        kind.model_validate({"mount": "robot", field: {"dropout": 0.1}})


def test_quantization_is_uniform_and_exact():
    values = drawn(NoiseConfig(std=1.0, resolution=0.25))
    np.testing.assert_array_equal(values, np.rint(values / 0.25) * 0.25)
    exact = np.linspace(-3, 3, 4001)
    error = NoiseChannel(NoiseConfig(resolution=0.25)).apply(exact, 0.1, rng()) - exact
    assert np.abs(error).max() <= 0.125
    assert error.std() == pytest.approx(0.25 / math.sqrt(12), rel=0.01)


def test_saturation_comes_after_noise_and_before_quantization():
    values = drawn(NoiseConfig(std=10.0, low=-1.0, high=1.0, resolution=0.4))
    # The end of the range is 1.0; the converter's nearest step is 0.8 or 1.2.
    assert set(np.round(np.unique(values), 9)) == {-0.8, -0.4, 0.0, 0.4, 0.8}


def test_outliers_saturate_too():
    values = drawn(NoiseConfig(outliers=0.5, outlier_std=100.0, high=2.0))
    assert values.max() == 2.0


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from([None, 0.1]), st.sampled_from([None, 2.0]))
def test_what_is_not_finite_stays_so(std, relative, resolution, high):
    config = NoiseConfig(
        std=std, std_relative=relative, resolution=resolution, high=high, offset=1.0
    )
    values = NoiseChannel(config).apply([np.inf, -np.inf, np.nan], 0.1, rng())
    np.testing.assert_array_equal(values, [np.inf, -np.inf, np.nan])


def test_the_state_continues_bit_by_bit():
    config = NoiseConfig(std=0.1, bias_std=1.0, bias_walk=0.2, outliers=0.1, outlier_std=1.0)
    generator, channel = rng(5), NoiseChannel(config, (3,))
    channel.reset(generator)
    channel.apply(np.zeros(3), 0.1, generator)
    saved, state = channel.get_state(), generator.bit_generator.state
    expected = [channel.apply(np.zeros(3), 0.1, generator) for _ in range(5)]
    other = NoiseChannel(config, (3,))
    other.set_state(saved)
    generator.bit_generator.state = state
    found = [other.apply(np.zeros(3), 0.1, generator) for _ in range(5)]
    np.testing.assert_array_equal(found, expected)


def test_what_does_not_fit_is_refused():
    with pytest.raises(SceneError, match="noise 'std' has 2 values, but the channel has 3 values"):
        NoiseChannel(NoiseConfig(std=(1, 2)), (3,))
    with pytest.raises(SceneError, match="the channel has one value; give one for all"):
        NoiseChannel(NoiseConfig(bias_walk=(1, 2)))
    with pytest.raises(ValidationError, match="'low' must be less than 'high'"):
        NoiseConfig(low=1.0, high=1.0)
    with pytest.raises(ValidationError, match="'outliers' need 'outlier_std' or 'outlier_range'"):
        NoiseConfig(outliers=0.1)
    with pytest.raises(ValidationError, match="a smaller and a larger number"):
        NoiseConfig(outliers=0.1, outlier_range=(2.0, 1.0))
    with pytest.raises(ValidationError, match="unknown key 'sdt'; did you mean 'std'"):
        NoiseConfig.model_validate({"sdt": 1.0})


# Streams of many environments.

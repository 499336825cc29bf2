import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.tf import InvalidTransformError, to_ns


@given(st.integers(-(2**53) // 10**9, 2**53 // 10**9), st.integers(0, 999_999_999))
def test_nanoseconds_come_back(whole, nanoseconds):
    # A float of this size resolves a nanosecond only near zero; its own error bounds ours.
    seconds = whole + nanoseconds * 1e-9
    error_ns = abs(to_ns(seconds) - (whole * 10**9 + nanoseconds))
    assert error_ns <= 1 + abs(seconds) * 2**-52 * 1e9


@pytest.mark.parametrize(
    ("seconds", "ns"),
    [(0, 0), (2.01, 2_010_000_000), (-0.5, -500_000_000), (1.7e9, 1_700_000_000 * 10**9)],
)
def test_known_values(seconds, ns):
    assert to_ns(seconds) == ns


@pytest.mark.parametrize("seconds", [float("nan"), float("inf")])
def test_not_finite(seconds):
    with pytest.raises(InvalidTransformError, match="a time must be finite"):
        to_ns(seconds)

"""Commands expire."""

from __future__ import annotations

import pytest

from horus_sim.sim3d.control import Watchdog


def test_expired_before_the_first_command():
    assert Watchdog(0.5).has_expired(0.0)


@pytest.mark.parametrize("start", [0.0, 123.456])
def test_expires_exactly_after_its_time(start: float):
    dog = Watchdog(0.5)
    dog.feed(start)
    steps = [start + step / 240 for step in range(240)]
    expired = [dog.has_expired(time) for time in steps]
    assert expired.index(True) == 120


def test_fed_again_it_holds_longer():
    dog = Watchdog(0.5)
    dog.feed(0.0)
    dog.feed(0.4)
    assert not dog.has_expired(0.8)
    assert dog.has_expired(0.9)


def test_without_timeout_a_command_holds_for_ever():
    dog = Watchdog(None)
    dog.feed(1.0)
    assert not dog.has_expired(1e9)


def test_state():
    dog, twin = Watchdog(0.5), Watchdog(0.5)
    dog.feed(2.0)
    twin.set_state(dog.get_state())
    assert not twin.has_expired(2.4)
    assert twin.has_expired(2.5)

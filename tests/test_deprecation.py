"""Old names warn for two minor versions, and then leave."""

from __future__ import annotations

import pytest

from horus_sim import __version__
from horus_sim.deprecation import DEPRECATIONS, Deprecation

OLD = Deprecation("World.save_state()", "World.snapshot()", "0.2")


def use_old_name():
    OLD.warn()


def test_the_warning_names_old_new_and_when_and_points_at_the_caller():
    text = (
        r"^World.save_state\(\) is deprecated since 0.2 and leaves in 0.4; use World.snapshot\(\)$"
    )
    with pytest.warns(DeprecationWarning, match=text) as caught:
        use_old_name()
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("version", "is_overdue"),
    [("0.2.0", False), ("0.3.9", False), ("0.4.0", True), ("0.10.1", True), ("1.0.0", True)],
)
def test_it_stays_for_two_minor_versions(version: str, is_overdue):
    assert OLD.is_overdue(version) is is_overdue


def test_nothing_is_kept_longer_than_promised():
    overdue = [each.old for each in DEPRECATIONS if each.is_overdue(__version__)]
    assert not overdue, "remove them: their two minor versions are over"

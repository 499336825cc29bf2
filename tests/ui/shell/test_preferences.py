"""What browsers remember for their users."""

from __future__ import annotations

import pytest

from horus_sim.ui.shell.preferences import Preferences, remembering


@pytest.mark.parametrize(
    ("cookies", "expected"),
    [
        ({}, Preferences()),
        ({"horus_units": "mm", "horus_dark": "true"}, Preferences("mm", dark=True)),
        ({"horus_dark": "false", "horus_quality": "high"}, Preferences("m", False, "high")),
        ({"horus_units": "ft", "horus_dark": "1", "horus_quality": "best"}, Preferences()),
    ],
)
def test_cookies_say_what_was_chosen_and_nonsense_counts_for_nothing(
    cookies: dict[str, str], expected: Preferences
):
    assert Preferences.of(cookies) == expected


def test_a_choice_is_kept_for_a_year_by_this_site_only():
    assert remembering("dark", True) == (
        "document.cookie='horus_dark=true;path=/;max-age=31536000;SameSite=Strict'"
    )

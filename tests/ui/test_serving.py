"""The public names: a world on pages by one call, in this process and in another one."""

from __future__ import annotations

import logging
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import horus_sim.ui
from horus_sim.errors import UiError
from horus_sim.sim3d import World
from horus_sim.ui.shell.server import _is_worth_telling

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.ui.conftest import Site

SHOW = """
from horus_sim.sim3d import World
from horus_sim.ui import show

show(World.load("tabletop"), port=0, open_browser=False)
print("it has ended")
"""
LONGEST_S = 60.0


def test_the_public_names():
    assert horus_sim.ui.__all__ == ["ServedWorld", "serve", "show"]
    assert all(getattr(horus_sim.ui, name).__doc__ for name in horus_sim.ui.__all__)


def test_a_served_world_is_on_the_page_and_follows_the_program(site: Site, page: Page):
    # The site of all tests is one that `serve` opened.
    site.load("warehouse")
    page.goto(site.server.address)
    page.wait_for_selector('[data-scene="warehouse"]')
    site.load("tabletop")
    page.wait_for_selector('[data-scene="tabletop"]')


def test_a_process_serves_once(site: Site):
    with (
        pytest.raises(UiError, match=r"has served pages before.*simulation\.replace\(world\)"),
        horus_sim.ui.serve(World.load("empty_world"), port=0),
    ):
        pass


def test_show_prints_an_address_and_serves_until_it_is_interrupted(page: Page):
    with subprocess.Popen(
        [sys.executable, "-c", SHOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.fullmatch(r"(http://127\.0\.0\.1:\d+/\?token=\S+) \(Ctrl-C ends\)\n", line)
            assert found is not None
            page.goto(found[1])
            page.wait_for_selector('[data-scene="tabletop"]')
            process.send_signal(signal.SIGINT)
            printed, errors = process.communicate(timeout=LONGEST_S)
        finally:
            process.kill()
    assert (process.returncode, printed, errors) == (0, "it has ended\n", "")


def test_tasks_that_ended_late_are_not_told_of():
    def record(*left: object) -> logging.LogRecord:
        text = "Could not cancel %s tasks within timeout: %s"
        return logging.LogRecord("nicegui", logging.ERROR, "", 0, text, left, None)

    assert not _is_worth_telling(record(17, ""))
    assert _is_worth_telling(record(17, "Task-3"))
    other = logging.LogRecord("nicegui", logging.ERROR, "", 0, "it failed", (), None)
    assert _is_worth_telling(other)

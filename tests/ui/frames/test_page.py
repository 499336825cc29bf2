"""The TF page in a real browser: the tree of the world, a broken one, and one over zenoh."""

from __future__ import annotations

import subprocess
import sys
import uuid
from typing import TYPE_CHECKING

import pytest

from horus_sim.hub import StaticTFBroadcaster, connect
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from tests.ui.conftest import Site, Visit


@pytest.fixture
def user(site: Site, visit_tf: Callable[[], Visit]) -> Visit:
    site.load("warehouse")
    return visit_tf()


def choose_frame(page: Page, field: str, name: str) -> None:
    page.get_by_role("combobox", name=field, exact=True).fill(name)
    page.get_by_role("option", name=name, exact=True).click()


def test_the_tree_of_the_world_and_a_transform_in_it(user: Visit):
    page = user.page
    page.get_by_label("Transform tree").get_by_text("burger/base_scan").wait_for()
    page.get_by_text("no problems").wait_for()
    page.locator(".horus-frame-label", has_text="burger/base_scan").wait_for()
    choose_frame(page, "Frame", "burger/base_scan")
    choose_frame(page, "Seen from", "burger/base_link")
    answer = page.get_by_label("Transform", exact=True)
    answer.get_by_text("-0.032, 0.000, 0.172 m").wait_for()
    user.choose_setting("CAD millimetres")
    answer.get_by_text("0, -32, 172 mm").wait_for()
    user.keep("tf")


def test_a_broken_tree_of_a_session_is_flagged(user: Visit):
    page = user.page
    with connect("inproc://", session="broken") as hub:
        broadcaster = StaticTFBroadcaster(hub)
        for parent, child in (("map", "base"), ("odom", "laser")):
            broadcaster.send_transform(parent, child, Transform((0.5, 0, 0)))
        user.choose("Transforms of", "topics of this program")
        user.fill("Session", "not a name!")
        user.press("Connect")
        user.error_at("Session", "is not a session name")
        page.get_by_label("Transform tree").get_by_text("burger/base_scan").wait_for()
        user.fill("Session", "broken")
        user.press("Connect")
        problem = page.get_by_label("Problems").locator(".bad")
        problem.get_by_text("2 trees with the roots").wait_for()
        page.locator(".horus-frame-label", has_text="laser").wait_for()
        user.keep("tf_broken")
        user.choose("Transforms of", "running world")
        user.press("Connect")
        page.get_by_text("no problems").wait_for()


BROADCASTER = """
import sys, time
from horus_sim.hub import StaticTFBroadcaster, TFBroadcaster, connect
from horus_sim.tf import Transform
with connect("zenoh://", session=sys.argv[1]) as hub:
    StaticTFBroadcaster(hub).send_transform("rover", "mast", Transform((0, 0, 1)))
    moving = TFBroadcaster(hub)
    while True:
        moving.send_transform("map", "rover", Transform((2, 0, 0)), time.time_ns())
        time.sleep(0.05)
"""


def test_the_tree_of_another_process_over_zenoh(user: Visit):
    page = user.page
    session = f"far-{uuid.uuid4().hex[:8]}"
    with subprocess.Popen([sys.executable, "-c", BROADCASTER, session]) as other:
        try:
            user.choose("Transforms of", "zenoh")
            user.fill("Session", session)
            user.press("Connect")
            tree = page.get_by_label("Transform tree")
            tree.get_by_text("mast static").wait_for()
            tree.get_by_text("Hz").wait_for()
            choose_frame(page, "Frame", "mast")
            choose_frame(page, "Seen from", "map")
            answer = page.get_by_label("Transform", exact=True)
            answer.get_by_text("2.000, 0.000, 1.000 m").wait_for()
            page.locator(".horus-frame-label", has_text="mast").wait_for()
            user.keep("tf_zenoh")
        finally:
            other.kill()

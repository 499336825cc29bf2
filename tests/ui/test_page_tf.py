"""The TF page in a real browser: the tree of the world, and a broken one of a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from horus_sim.hub import StaticTFBroadcaster, connect
from horus_sim.tf import Transform

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from .conftest import Site


def test_the_tree_of_the_world_and_a_broken_one(
    site: Site, page: Page, keep: Callable[[str], bytes]
):
    site.load("warehouse")
    page.goto(f"{site.server.address}tf")
    tree = page.get_by_label("Transform tree")
    tree.get_by_text("burger/base_scan").wait_for()
    page.get_by_text("no problems").wait_for()
    page.locator(".horus-frame-label", has_text="burger/base_scan").wait_for()
    page.get_by_role("combobox", name="Frame", exact=True).fill("burger/base_scan")
    page.get_by_role("option", name="burger/base_scan", exact=True).click()
    page.get_by_role("combobox", name="Seen from", exact=True).fill("burger/base_link")
    page.get_by_role("option", name="burger/base_link", exact=True).click()
    page.get_by_label("Transform", exact=True).get_by_text("-0.032, 0.000, 0.172 m").wait_for()
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("radio", name="CAD millimetres").click()
    page.get_by_label("Transform", exact=True).get_by_text("0, -32, 172 mm").wait_for()
    page.keyboard.press("Escape")
    keep("tf")

    with connect("inproc://", session="broken") as hub:
        broadcaster = StaticTFBroadcaster(hub)
        for parent, child in (("map", "base"), ("odom", "laser")):
            broadcaster.send_transform(parent, child, Transform((0.5, 0, 0)))
        page.get_by_role("combobox", name="Transforms of").click()
        page.get_by_role("option", name="topics of this program").click()
        page.get_by_label("Session").fill("not a name!")
        page.get_by_role("button", name="Connect").click()
        page.get_by_text("is no session name").first.wait_for()
        page.get_by_label("Session").fill("broken")
        page.get_by_role("button", name="Connect").click()
        problem = page.get_by_label("Problems").locator(".bad")
        problem.get_by_text("2 trees with the roots").wait_for()
        page.locator(".horus-frame-label", has_text="laser").wait_for()
        keep("tf_broken")

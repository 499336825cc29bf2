"""Topics: the session of the world, how much is sent on them, and who drives which robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.running.commands.commanders import HAND
from horus_sim.running.naming import Naming
from horus_sim.ui.kit.panel import facts, hint

if TYPE_CHECKING:
    from horus_sim.ui.shell.page import Page

_REFRESH_S = 0.25
_NOBODY = "nobody"


def driver_text(driver: str) -> str:
    """Who drives, for people: 'keys on a page', the name of a connection, or 'nobody'."""
    return "keys on a page" if driver == HAND else driver or _NOBODY


@dataclass(frozen=True, slots=True)
class TopicsView:
    """What is shown of the topics of a world.

    Attributes:
        session: Name of the session; None where there are no topics.
        why_not: Why there are none.
        messages_hz: Messages a second.
        drivers: Who drives which robot.
        bare: Robot whose topics are called without its name, or empty.
    """

    session: str | None
    why_not: str
    messages_hz: float
    drivers: dict[str, str]
    bare: str = ""


def build_topics(page: Page, look: Callable[[], TopicsView]) -> None:
    """A table that follows a running world.

    Args:
        page: The page that has the table.
        look: Gives what is to be shown.
    """
    without = hint()
    labels = facts(("Session", "Messages a second"))
    drivers = ui.element("div").classes("horus-table")
    about = hint()
    shown: dict[str, ui.label] = {}

    def rebuild(names: list[str], bare: str, *, has_topics: bool) -> None:
        drivers.clear()
        shown.clear()
        with drivers:
            for name in names:
                ui.label(f"{name} is driven by").classes("ellipsis").tooltip(name)
                shown[name] = ui.label().classes("horus-number")
                shown[name].props(f'aria-label="Driver of {name}"')
        about.set_visibility(has_topics and bool(names))
        if names:
            topic = Naming(bare).robot_topic(names[0], "cmd_vel")
            about.text = f"A node of yours drives {names[0]} by CmdVel messages on {topic}."

    def refresh() -> None:
        found = look()
        has_topics = found.session is not None
        without.text = "" if has_topics else f"The world is on no topics: {found.why_not}."
        without.set_visibility(not has_topics)
        labels["Session"].text = found.session or "-"
        labels["Messages a second"].text = f"{found.messages_hz:.0f}"
        if list(shown) != list(found.drivers):
            rebuild(list(found.drivers), found.bare, has_topics=has_topics)
        for name, driver in found.drivers.items():
            shown[name].text = driver_text(driver)

    refresh()
    page.every(_REFRESH_S, refresh)

"""Topics: the session of the world, how much is sent on them, and who drives which robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.running.commanders import HAND
from horus_sim.running.topics.plan import topic_part
from horus_sim.ui.panels.frame import facts, hint

if TYPE_CHECKING:
    from horus_sim.running.status import Status
    from horus_sim.ui.shell import Page

_REFRESH_S = 0.25
_NOBODY = "nobody"


def driver_text(driver: str) -> str:
    """Who drives, for people: 'keys on a page', the name of a connection, or 'nobody'."""
    return "keys on a page" if driver == HAND else driver or _NOBODY


def build_topics(page: Page) -> None:
    """A table that follows the running world."""
    session = page.session
    hub = session.simulation.running.hub
    if hub is None:
        hint(f"The world is on no topics: {session.no_topics}.")
    labels = {} if hub is None else facts(("Session", "Messages a second"))
    if hub is not None:
        labels["Session"].text = hub.session
    drivers = ui.element("div").classes("horus-table")
    about = hint()
    shown: dict[str, ui.label] = {}

    def rebuild(names: list[str]) -> None:
        drivers.clear()
        shown.clear()
        with drivers:
            for name in names:
                ui.label(f"{name} is driven by").classes("ellipsis").tooltip(name)
                shown[name] = ui.label().classes("horus-number")
                shown[name].props(f'aria-label="Driver of {name}"')
        if hub is not None and names:
            topic = f"{topic_part(names[0])}/cmd_vel"
            about.text = f"A node of yours drives {names[0]} by CmdVel messages on {topic}."

    def refresh() -> None:
        status: Status = session.simulation.status
        if labels:
            labels["Messages a second"].text = f"{status.messages_hz:.0f}"
        if list(shown) != list(status.drivers):
            rebuild(list(status.drivers))
        for name, driver in status.drivers.items():
            shown[name].text = driver_text(driver)

    refresh()
    page.every(_REFRESH_S, refresh)

"""The view of an arm as an element of a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from horus_sim.ui.views.view import View


class ArmView(View, component="arm_view.js", esm={"horus-arm": "js"}, default_classes="horus-view"):
    """Draws an arm from the stream, and tells where its target is dragged.

    Args:
        channel: Channel of the stream; also the name under which drags are sent.
    """

    def __init__(self, channel: str) -> None:
        super().__init__(channel=channel, shown=[], turn=[0, 0, 0])

    def set_arm(self, description: dict[str, Any]) -> None:
        """The parts of the arm, as `drawing.describe` gives them."""
        self._set("arm", description)

    def set_shown(self, shown: Iterable[str]) -> None:
        """What is shown beside the arm: arcs, frames, cloud, ellipsoid, path, target."""
        self._set("shown", sorted(shown))

    def set_turn(self, angles_deg: Sequence[float]) -> None:
        """Rotations of the view about the fixed axes x, y, z [deg]."""
        self._set("turn", list(angles_deg))

    def set_handles(self, mode: Literal["move", "rotate"]) -> None:
        """What the handles on the target do."""
        self._set("handles", mode)

    def set_note(self, text: str) -> None:
        """What is written beside a target that is out of reach."""
        self._set("note", text)

    def reset_camera(self) -> None:
        """Looks at the arm as in the beginning."""
        self.run_method("resetCamera")

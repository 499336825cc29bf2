"""The 3D view as an element of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from horus_sim.ui.shell.preferences import Quality
from horus_sim.ui.stream.constants import SCENE_PATH
from horus_sim.ui.views.view import View

CameraMode = Literal["orbit", "follow", "top"]


class View3d(View, component="view3d.js", esm={"horus-view3d": "js"}, default_classes="horus-view"):
    """Draws a world from the stream.

    Args:
        channel: Channel of the session whose geometry it draws; '' for frames of transforms alone.
        quality: 'high' has shadows and smooth edges, 'low' is for software rendering.
        has_tiles: Whether the session shows environments side by side, and not a world.
    """

    def __init__(
        self, channel: str = "", *, quality: Quality = "auto", has_tiles: bool = False
    ) -> None:
        super().__init__(
            quality=quality,
            source=f"{SCENE_PATH}/{channel}" if channel else "",
            tiles=channel if has_tiles else "",
        )
        self.modes: list[str] = []
        self._options: dict[str, dict[str, str]] = {}

    def set_robot(self, robot: str) -> None:
        """Which robot is driven and followed."""
        self._set("robot", robot)
        self._set("follows", robot)

    def set_follows(self, name: str) -> None:
        """Which robot or environment is followed; '' for none."""
        self._set("follows", name)

    def set_camera(self, mode: CameraMode) -> None:
        """How it is looked at."""
        self._set("camera", mode)

    def set_mode(self, mode: str, *, shown: bool) -> None:
        """Shows or hides something beside the world: a script of `view3d/js/modes/`."""
        if shown != (mode in self.modes):
            self.modes = [*self.modes, mode] if shown else [m for m in self.modes if m != mode]
            self._set("modes", self.modes)

    def set_mode_options(self, mode: str, **options: str) -> None:
        """Sets options of a mode, which its script explains, whether it is shown or not."""
        self._options = {**self._options, mode: {**self._options.get(mode, {}), **options}}
        self._set("mode-options", self._options)

    def set_selected(self, name: str) -> None:
        """Marks a robot or object; '' for none."""
        self._set("selected", name)

    def set_gizmo(self, mode: Literal["move", "rotate"]) -> None:
        """What the handles on the selected thing do."""
        self._set("gizmo", mode)

    def set_speeds(self, speeds: Sequence[float]) -> None:
        """Speeds at full key: ahead [m/s], turning [rad/s], up [m/s]."""
        self._set("speeds", list(speeds))

    def set_dark(self, *, dark: bool) -> None:
        """Night or day."""
        self._set("dark", dark)

    def set_pictures(self, *, shown: bool) -> None:
        """Chooses whether pictures of cameras go into elements with `data-camera`."""
        self._set("pictures", shown)

    def on_pick(self, callback: Callable[[str], None]) -> None:
        """Calls back with the name of what is clicked, '' for nothing."""
        self.on_event("pick", lambda told: callback(str(told.get("name", ""))))

    def on_moved(self, callback: Callable[[], object]) -> None:
        """Calls back when a handle was let go."""
        self.on("moved", callback)

    def on_drawn(self, callback: Callable[[dict[str, Any]], None]) -> None:
        """Calls back each second with the frame rate and the time of a frame."""
        self.on_event("drawn", callback)

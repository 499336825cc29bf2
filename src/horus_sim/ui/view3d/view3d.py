"""The 3D view as an element of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import nicegui.elements.scene  # noqa: F401 - registers the module `nicegui-scene`
from nicegui.element import Element

if TYPE_CHECKING:
    from nicegui.events import GenericEventArguments

SCENE_PATH = "/horus/scene"
CameraMode = Literal["orbit", "follow", "top"]
Quality = Literal["auto", "high", "low"]
ViewMode = Literal["tf", "collision", "sensors", "physics"]


class View3d(
    Element, component="view3d.js", esm={"horus-view3d": "js"}, default_classes="horus-view"
):
    """Draws a world from the stream.

    Args:
        robot: Name of the robot that keys and joystick drive; '' for none.
        is_world: Whether it draws a world, or only the frames of transforms.
        quality: 'high' has shadows and smooth edges, 'low' is for software rendering.
        tiles: Channel of environments side by side; '' for the world of the session.
    """

    def __init__(
        self,
        robot: str = "",
        *,
        is_world: bool = True,
        quality: Quality = "auto",
        tiles: str = "",
    ) -> None:
        super().__init__()
        self._props["quality"] = quality
        self.modes: list[str] = []
        self._props["source"] = SCENE_PATH if is_world else ""
        if tiles:
            self._props["source"], self._props["tiles"] = f"{SCENE_PATH}/{tiles}", tiles
        self._props["modes"] = []
        self.set_robot(robot)

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

    def set_mode(self, mode: ViewMode, *, shown: bool) -> None:
        """Shows or hides something beside the world."""
        if shown != (mode in self.modes):
            self.modes = [*self.modes, mode] if shown else [m for m in self.modes if m != mode]
            self._set("modes", self.modes)

    def set_frame_filter(self, kind: str, text: str = "") -> None:
        """Which frames are shown: 'all', 'robot', 'sensors', or 'custom' with parts of names."""
        self._set("frame-filter", {"kind": kind, "text": text})

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

    def set_uploader(self, element: Element) -> None:
        """Where files go that are dropped onto the view."""
        self._set("uploader", element.id)

    def set_channels(self, channels: Sequence[str]) -> None:
        """Channels that it listens to beside those of its modes."""
        self._set("channels", list(channels))

    def set_frames_from(self, channel: str) -> None:
        """From which channel frames of transforms come."""
        self._set("frames-from", channel)

    def on_pick(self, callback: Callable[[str], None]) -> None:
        """Calls back with the name of what is clicked, '' for nothing."""

        def handle(event: GenericEventArguments) -> None:
            callback(str(event.args.get("name", "")))

        self.on("pick", handle)

    def on_moved(self, callback: Callable[[], object]) -> None:
        """Calls back when a handle was let go."""
        self.on("moved", callback)

    def on_drawn(self, callback: Callable[[dict[str, Any]], None]) -> None:
        """Calls back each second with the frame rate and the time of a frame."""
        self.on("drawn", lambda event: callback(event.args))

    def _set(self, name: str, value: object) -> None:
        if self._props.get(name) != value:
            self._props[name] = value
            self.update()

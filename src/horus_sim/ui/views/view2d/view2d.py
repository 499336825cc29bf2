"""The 2D view as an element of a page. The runner, the designer and the training page use it.

It is SVG, every body a node with its id as `data-id`; with a channel, from 50 moving bodies and
devices on, these are painted on a canvas over the floor.

**Scene.** A dictionary made by `stream.scene2d`; lengths are metres, angles radians, world frame:

```
revision, name                    number that frames carry; a new name makes the view fit
bodies   [{id, kind: robot|object|patch, robot, pose [x, y, theta], points | radius, moves, fill}]
strokes  [{id, kind: mark|wall, width, points, color}]
bounds   {low, high, width} or null
joints   [{id, kind, parent, child, anchor_parent, anchor_child}]      parent, child: ids of bodies
devices  [{id, kind: motor, body, mount, radius, wheel}
          {id, kind: line|line_array|distance|imu|encoder, body, mount, count, spacing, range,
           first}]
moving   ids of bodies, in the order of the poses of a frame
```

It comes from Python (`set_scene`, `patch` for single things, `removed` with ids), or with a channel
from the stream, as JSON text `{"channel": "<channel>_scene", "scene": {...}}`.

**Frames.** With a channel, `ui/stream/frames2d.py` makes the bytes: poses of the moving bodies,
readings of all sensors, command and speed of all wheels; paths of robots.

**Events.** All have world coordinates `x`, `y`, the same snapped to the grid as `snapped`, and
`shift`, `ctrl`, `alt`, `button`:

```
pick    click on {id, kind, body}; all '' on the floor. kind: body, device, stroke, joint, bounds
double  double click, the same
drag    {id, kind, phase: start|move|end, pose, delta}; pose is where it would be, snapped
handle  {id, phase: start|move|end}: one of `set_handles` was pulled
point   {phase: down|move|up|hover, id, kind}: the pointer, while the tool is 'draw'
camera  {x, y, scale, fits}: looked at somewhere else; fits: everything is in view
```

What can be dragged is chosen by kind ('body', 'device', ...; 'fixed' adds bodies that do not move).
The selected body has a knob that turns it, which is a `drag` too. With `echo` a dragged body
follows the pointer at once; without it, the stream or `patch` moves it. The middle button and the
floor pan, the wheel and two fingers zoom; +, - and 0 do so by key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from horus_sim.ui.views.view import View

Layer = Literal["rays", "trace", "devices", "grid", "labels"]


class View2d(View, component="view2d.js", esm={"horus-view2d": "js"}, default_classes="h2d"):
    """Draws a scene.

    Args:
        channel: From which scene, frames and paths come; '' for a scene from Python.
        label: Accessible name.
        draggable: Kinds of things that can be dragged.
        echo: Whether dragged bodies follow the pointer at once.
    """

    def __init__(
        self,
        channel: str = "",
        label: str = "2D view",
        draggable: Sequence[str] = (),
        *,
        echo: bool = False,
    ) -> None:
        super().__init__(channel=channel, label=label, draggable=list(draggable), echo=echo)
        self.hidden: tuple[str, ...] = ()
        self.follows = ""

    def set_scene(self, scene: dict[str, Any]) -> None:
        """Draws a whole scene."""
        self._set("scene", scene)

    def patch(self, **change: Any) -> None:  # noqa: ANN401 - items of a scene
        """Adds or replaces `bodies`, `strokes`, `devices`, `joints`, `bounds`; drops `removed`."""
        self.run_method("patch", change)

    def set_selected(self, ident: str) -> None:
        """Marks a thing; '' for none."""
        self._set("selected", ident)

    def set_tool(self, tool: Literal["select", "draw"]) -> None:
        """What the pointer does."""
        self._set("tool", tool)

    def set_snap(self, step: float) -> None:
        """Grid that positions in events are snapped to [m]; 0 for none."""
        self._set("snap", step)

    def set_shown(self, layer: Layer, *, shown: bool) -> None:
        """Shows or hides something."""
        rest = tuple(name for name in self.hidden if name != layer)
        self.hidden = rest if shown else (*rest, layer)
        self._set("hidden", list(self.hidden))

    def set_handles(self, handles: Iterable[dict[str, Any]]) -> None:
        """Things to pull: {id, x, y, kind: vertex|middle|size, label}, world frame [m]."""
        self._set("handles", list(handles))

    def set_follow(self, ident: str) -> None:
        """The camera goes along with a body; '' for none."""
        self.follows = ident
        self._set("follow", ident)

    def set_camera(self, x: float, y: float, scale: float) -> None:
        """Looks at a point [m] with so many pixels a metre."""
        self._set("camera", [x, y, scale])

    def set_units(self, system: str) -> None:
        """Shows coordinates in 'm' or 'mm'."""
        self._set("units", system)

    def fit(self) -> None:
        """Looks at everything."""
        self.run_method("fit")

    def zoom(self, factor: float) -> None:
        """Looks closer, or from farther away."""
        self.run_method("zoomBy", factor)

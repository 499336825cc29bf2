"""What all pages share: the simulation, who drives and edits it, and what is streamed of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from horus_sim.errors import HorusError, UiError
from horus_sim.running.loop import Loop
from horus_sim.running.teleop import Teleop
from horus_sim.tf import Transform
from horus_sim.ui.editing import Editor
from horus_sim.ui.frame_stream import FrameStream
from horus_sim.ui.frames import physics_frame, pose_frame
from horus_sim.ui.recorder import PageRecorder
from horus_sim.ui.scene_export import export_scene
from horus_sim.ui.scene_files import DropFolder
from horus_sim.ui.sensor_stream import SensorStream
from horus_sim.ui.streaming import Client, OnMessage, Stream

if TYPE_CHECKING:
    from horus_sim.sim3d import World

_TF_EVERY = 2
# Of numbers that a view sends: [m], [m/s] or [rad/s].
_FARTHEST = 1e6
_Shared = TypeVar("_Shared")


class Session:
    """A running world with all that pages need of it.

    Args:
        world: The world to begin with, or a loop that has one, on topics and with outlets.
        running: Whether time goes on from the start, where no loop is given.
        folder: Where scenes are saved.

    Attributes:
        simulation: The loop that steps.
        stream: What browsers listen to.
        teleop: Who drives.
        editor: Changes that can be undone.
        sensors: What sensors show.
        frames: Frames of the world's transforms, for views.
        tf: The world's transforms; any thread may look.
        log: What happened.
        folder: Where scenes are saved.
        dropped: Where dropped files lie.
        recorder: Records the world.
        handlers: What views of other apps say, by the key that their messages have.
        exports: Geometry of other apps' 3D views, by channel.
        is_local: Whether only programs of this machine reach the pages.
        no_topics: Why the world is on no topics; empty where it is.
    """

    def __init__(
        self, world: World | Loop[World], *, running: bool = True, folder: Path | None = None
    ) -> None:
        self._owns_loop = not isinstance(world, Loop)
        loop = world if isinstance(world, Loop) else Loop(world, running=running)
        self.simulation: Loop[World] = loop
        world = cast("World", loop.running.world)
        self.log = self.simulation.log
        self.stream = Stream()
        self.teleop = Teleop()
        self.editor = Editor(self.simulation)
        self.sensors = SensorStream(self.stream)
        self.frames = FrameStream(self.stream, "tf")
        self.tf = world.tf
        self.folder = (folder or Path.cwd()).resolve()
        self.dropped = DropFolder()
        self.recorder = PageRecorder(self.simulation, self.folder)
        self.handlers: dict[str, OnMessage] = {}
        self.exports: dict[str, Callable[[], Future[bytes]]] = {}
        self.is_local = True
        self.no_topics = "this program did not ask for any" if loop.running.hub is None else ""
        self._shared: dict[str, Any] = {}
        self._sharing = threading.Lock()
        self._shown: tuple[int, int] = (id(world), world.generation)
        self._revision = 1
        self._exported: tuple[int, bytes] = (0, b"")
        self._frames = 0
        self.simulation.before_steps.append(lambda _: self.teleop.update(self.simulation.running))
        self.simulation.on_frame.append(self._publish)
        self.simulation.on_replace.append(self._adopt)
        self.stream.on_message.append(self._hear)
        self.stream.on_leave.append(self._leave)
        # A paused world makes no frames by itself.
        self.stream.on_want.append(lambda _: self.simulation.post("want", lambda _: None))
        self.log.add(f"scene '{world.scene.name}' is loaded")

    def start(self) -> None:
        """Starts the simulation."""
        self.simulation.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the simulation, and what apps share; the last made is closed first."""
        for thing in reversed(self._shared.values()):
            if hasattr(thing, "close"):
                thing.close()
        self._shared.clear()
        self.simulation.close()
        self.recorder.close()
        if self._owns_loop:
            self.simulation.running.close()

    def share(self, name: str, make: Callable[[Session], _Shared]) -> _Shared:
        """What all pages of an app share: made when first asked for, closed with the session.

        Args:
            name: Of the app.
            make: Makes it; if it has a method `close`, that is called in the end.
        """
        with self._sharing:
            if name not in self._shared:
                self._shared[name] = make(self)
            return self._shared[name]

    def export(self) -> Future[bytes]:
        """The geometry of now, as `view3d.js` reads it."""

        def order(world: World) -> bytes:
            self._revise(world)
            if self._exported[0] != self._revision:
                self._exported = (self._revision, export_scene(world, self._revision))
            return self._exported[1]

        return self.simulation.call(order)

    def _adopt(self, world: World) -> None:
        self.tf = world.tf

    def _revise(self, world: World) -> None:
        """Counts up when another model is shown."""
        shown = (id(world), world.generation)
        if shown != self._shown:
            self._shown = shown
            self._revision += 1

    def _publish(self, world: World) -> None:
        """A frame for the browsers; the thread of the simulation calls this."""
        self._revise(world)
        self._frames += 1
        if self.stream.is_wanted("poses"):
            self.stream.publish("poses", pose_frame(world, self._revision))
        else:
            self.stream.forget("poses")
        if self.stream.is_wanted("physics"):
            self.stream.publish("physics", physics_frame(world, self._revision))
        is_paused = not self.simulation.status.is_running
        if self.stream.is_wanted("tf") and (is_paused or self._frames % _TF_EVERY == 0):
            self.frames.publish(world.tf, world.time, lambda: frame_groups(world))
        self.sensors.publish(world)

    def _hear(self, client: Client, message: dict[str, Any]) -> None:
        """What a view says: who is driven, and what is dragged where."""
        try:
            if isinstance(robot := message.get("drive"), str):
                wish = (_number(message.get(key, 0.0)) for key in ("linear", "angular", "vertical"))
                self.teleop.drive(client.number, robot, *wish)
            elif message.get("release"):
                self.teleop.release(client.number)
            elif isinstance(name := message.get("move"), str):
                self.editor.drag(client.number, name, _pose(message))
            elif "moved" in message:
                self.editor.end_drag(client.number)
            elif handlers := [self.handlers[key] for key in message if key in self.handlers]:
                handlers[0](client, message)
            else:
                raise UiError(f"a view sent '{str(message)[:80]}', which means nothing here")
        except HorusError as error:
            self.log.add(str(error), "error")

    def _leave(self, client: Client) -> None:
        self.teleop.release(client.number)
        self.editor.end_drag(client.number)


def frame_groups(world: World) -> dict[str, str]:
    """Frames that belong to robots or sensors: name -> 'robot' or 'sensor'."""
    found = {
        robot.frame(link): "robot" for robot in world.robots.values() for link in robot.link_names
    }
    return found | {sensor.frame: "sensor" for sensor in world.sensors.values()}


def _number(value: object) -> float:
    # No comparison overflows, as the conversion of a long integer does; NaN fails it.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _FARTHEST:
        raise UiError(f"'{value!r:.40}' is no number from {-_FARTHEST:g} to {_FARTHEST:g}")
    return float(value)


def _pose(message: dict[str, Any]) -> Transform:
    xyz, quat = message.get("xyz"), message.get("quat")
    if not isinstance(xyz, list) or not isinstance(quat, list) or (len(xyz), len(quat)) != (3, 4):
        raise UiError("a view sent no pose: it needs 3 numbers in 'xyz' and 4 in 'quat'")
    return Transform([_number(value) for value in xyz], [_number(value) for value in quat])

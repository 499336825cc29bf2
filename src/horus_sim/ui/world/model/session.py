"""A running world behind 3D pages: who drives and edits it, and what is streamed of it."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, cast

from horus_sim.running.commands.teleop import Teleop
from horus_sim.running.loop.loop import Loop
from horus_sim.ui.shell.sessions import Sessions
from horus_sim.ui.stream.frame_stream import FrameStream
from horus_sim.ui.stream.frames import pose_frame
from horus_sim.ui.stream.scene_export import export_scene
from horus_sim.ui.stream.sensor_stream import SensorStream
from horus_sim.ui.stream.view_messages import read_number, read_pose
from horus_sim.ui.world.model.editing import WorldEditor
from horus_sim.ui.world.model.recorder import PageRecorder
from horus_sim.ui.world.model.view_modes import VIEW_MODES

if TYPE_CHECKING:
    from horus_sim.sim3d import World
    from horus_sim.ui.shell.site import Site
    from horus_sim.ui.stream.streaming import Client

_TF_EVERY = 2
_EMPTY = "empty_world"


class WorldSession:
    """A running world with all that pages need of it.

    Args:
        site: What all pages share.
        world: The world to begin with, or a loop that has one, on topics and with outlets.
        running: Whether time goes on from the start, where no loop is given.
        no_topics: Why the world is on no topics; a general reason unless given.

    Attributes:
        channel: Name of the session for its geometry.
        address: Address of the session; there is one world.
        site: What all pages share.
        simulation: The loop that steps.
        teleop: Who drives.
        editor: Changes that can be undone.
        sensors: What sensors show.
        frames: Frames of the world's transforms, for views.
        tf: The world's transforms; any thread may look.
        recorder: Records the world.
        no_topics: Why the world is on no topics; empty where it is.
    """

    channel = "world"
    address = ""

    def __init__(
        self,
        site: Site,
        world: World | Loop[World],
        *,
        running: bool = True,
        no_topics: str = "this program did not ask for any",
    ) -> None:
        self._owns_loop = not isinstance(world, Loop)
        loop = world if isinstance(world, Loop) else Loop(world, running=running, log=site.log)
        self.site = site
        self.simulation: Loop[World] = loop
        world = cast("World", loop.running.world)
        self.teleop = Teleop()
        self.editor = WorldEditor(loop)
        self.sensors = SensorStream(site.stream)
        self.frames = FrameStream(site.stream, "tf")
        self.tf = world.tf
        self.recorder = PageRecorder(loop, site.folder)
        self.no_topics = no_topics if loop.running.hub is None else ""
        self._shown: tuple[int, int] = (id(world), world.generation)
        self._revision = 1
        self._exported: tuple[int, bytes] = (0, b"")
        self._frames = 0
        loop.before_steps.append(lambda _: self.teleop.update(loop.running))
        loop.on_frame.append(self._publish)
        loop.running.on_replace.append(self._adopt)
        site.handlers |= {
            "drive": self._drive,
            "release": lambda client, _: self.teleop.release(client.number),
            "move": self._move,
            "moved": lambda client, _: self.editor.end_drag(client.number),
        }
        site.exports[self.channel] = self.export
        site.tree = lambda: self.tf
        site.stream.on_leave.append(self._leave)
        # A paused world makes no frames by itself.
        site.stream.on_want.append(lambda _: self.refresh())
        site.log.add(f"scene '{world.scene.name}' is loaded")

    def refresh(self) -> None:
        """Sends a frame, since somebody new looks."""
        self.simulation.post("want", lambda _: None)

    def close(self) -> None:
        """Ends the simulation."""
        self.simulation.close()
        self.recorder.close()
        if self._owns_loop:
            self.simulation.running.close()

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
        stream = self.site.stream
        if stream.is_wanted("poses"):
            stream.publish("poses", pose_frame(world, self._revision))
        else:
            stream.forget("poses")
        for mode in VIEW_MODES:
            if mode.frame is not None and stream.is_wanted(mode.name):
                stream.publish(mode.name, mode.frame(world, self._revision))
        is_paused = not self.simulation.status.is_running
        if stream.is_wanted("tf") and (is_paused or self._frames % _TF_EVERY == 0):
            self.frames.publish(world.tf, world.time, lambda: frame_groups(world))
        self.sensors.publish(world)

    def _drive(self, client: Client, message: dict[str, Any]) -> None:
        wish = (read_number(message.get(key, 0.0)) for key in ("linear", "angular", "vertical"))
        self.teleop.drive(client.number, str(message["drive"]), *wish)

    def _move(self, client: Client, message: dict[str, Any]) -> None:
        self.editor.drag(client.number, str(message["move"]), read_pose(message))

    def _leave(self, client: Client) -> None:
        self.teleop.release(client.number)
        self.editor.end_drag(client.number)


class WorldSessions(Sessions[WorldSession]):
    """The world of a site: the one that the program runs, or an empty one for who looks first."""

    name = "world"

    def open(self, world: World | Loop[World], **options: Any) -> WorldSession:  # noqa: ANN401
        """Shows a world, running.

        Args:
            world: The world, or a loop that has one.
            options: Further arguments of `WorldSession`.
        """
        session = self.claim("", lambda _: WorldSession(self._site, world, **options))
        session.simulation.start()
        return session

    @property
    def present(self) -> WorldSession:
        """The world that is shown; an empty one is made where there is none."""
        from horus_sim.sim3d import World

        return self.find("") or self.open(World.load(_EMPTY))


def frame_groups(world: World) -> dict[str, str]:
    """Frames that belong to robots or sensors: name -> 'robot' or 'sensor'."""
    found = {
        robot.frame(link): "robot" for robot in world.robots.values() for link in robot.link_names
    }
    return found | {sensor.frame: "sensor" for sensor in world.sensors.values()}

"""The world of a launch: the options of `sim3d run` and `sim2d run` as keys."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from horus_sim.files.config import Config, NotNegative
from horus_sim.launch.values import Several, Text, misfit

_ONLY_3D = ("record_images", "video", "camera", "robot", "root", "set")
_ONLY_2D = ("log", "picture", "empty")
# In 2D these are about runs without a page.
_WITHOUT_PAGE_2D = ("duration", "log", "picture")
_WITH_VALUE = (
    "seed",
    "duration",
    "record",
    "record_images",
    "video",
    "camera",
    "net",
    "url",
    "foxglove_port",
    "log",
    "picture",
)
_FLAGS = ("ros_names", "horus", "foxglove", "empty")

Port = Annotated[int, Field(ge=0, le=65535)]


class LaunchPage(Config):
    """Where the page is.

    Attributes:
        host: Its address; ``0.0.0.0`` for other machines, too.
        port: Its port; 0 for a free one.
        open: Whether the browser opens it.
    """

    host: str = "127.0.0.1"
    port: Port = 8080
    open: bool = True


def _page(value: Any) -> Any:  # noqa: ANN401 - anything that a file may hold
    if isinstance(value, bool):
        return {} if value else None
    return value


class LaunchWorld(Config):
    """A world and what it is joined to: either a scene in 3D or a scenario in 2D.

    Keys are called as the options of ``sim3d run`` and ``sim2d run``, with ``_`` for ``-``.

    Attributes:
        scene: A shipped scene, or a YAML, JSON or SDF file.
        scenario: A shipped scenario, or its folder.
        page: The page in the browser; False for none.
        seed: Seed of the random numbers.
        duration: Simulated time [s] after which the world ends, and all with it; None has no end.
        realtime: No faster than the clock on the wall, as by default, or as fast as possible.
        record: MCAP file, or folder of a ROS 2 bag, that gets everything.
        record_images: How `record` packs pictures: raw, png or jpeg.
        net: ``host:port`` for other machines.
        url: Transport of the topics.
        ros_names: Whether topics and frames are called as those of a ROS robot.
        horus: Whether programs of HORUS join.
        foxglove: Whether Foxglove gets a live view.
        foxglove_port: Port of that; 0 takes a free one.
        video: Film of the whole, or of `camera`. 3D alone, as all that follows up to `set`.
        camera: Name of the camera that films.
        robot: Robots that are put into the scene, by name or file.
        root: Folders from which files may come, too.
        set: Values that are changed, such as ``{"physics.timestep": 0.002}``.
        log: File with all signals. 2D alone, as all that follows.
        picture: Drawing of the path.
        empty: Whether the terrain is left out.
        grace: How long [s] it may take to end before it is killed.
    """

    scene: str | None = None
    scenario: str | None = None
    page: Annotated[LaunchPage | None, BeforeValidator(_page)] = LaunchPage()
    seed: Annotated[int, Field(ge=0)] | None = None
    duration: NotNegative | None = None
    realtime: bool | None = None
    record: Text | None = None
    record_images: Literal["raw", "png", "jpeg"] | None = None
    net: str | None = None
    url: str | None = None
    ros_names: bool = False
    horus: bool = False
    foxglove: bool = False
    foxglove_port: Port | None = None
    video: Text | None = None
    camera: str | None = None
    robot: Several = ()
    root: Several = ()
    set: dict[str, Any] = Field(default_factory=dict)
    log: Text | None = None
    picture: Text | None = None
    empty: bool = False
    grace: NotNegative = 30.0

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.scene is None) == (self.scenario is None):
            text = "give either a 'scene' (3D) or a 'scenario' (2D), such as scene: warehouse"
            raise misfit("LaunchWorld", text=text)
        is_3d = self.scene is not None
        kind, other = ("scene", "scenario") if is_3d else ("scenario", "scene")
        for key in _ONLY_2D if is_3d else _ONLY_3D:
            if key in self.model_fields_set:
                text = f"this goes with a '{other}', and there is a '{kind}'; remove it"
                raise misfit("LaunchWorld", key, text=text)
        for key in () if is_3d or self.page is None else _WITHOUT_PAGE_2D:
            if getattr(self, key) is not None:
                text = "a scenario has this without a page alone; add page: false"
                raise misfit("LaunchWorld", key, text=text)
        return self

    def words(self, session: str) -> list[str]:
        """The arguments of `horus-sim` that run it.

        Args:
            session: Name of its session.
        """
        kind, name = ("sim3d", self.scene) if self.scene is not None else ("sim2d", self.scenario)
        words = [kind, "run", str(name), "--session", session]
        if self.page is None:
            words.append("--headless")
        else:
            words += ["--host", self.page.host, "--port", str(self.page.port)]
            words.append("--open" if self.page.open else "--no-open")
        for key in _WITH_VALUE:
            if (value := getattr(self, key)) is not None:
                words += [_option(key), str(value)]
        words += [_option(key) for key in _FLAGS if getattr(self, key)]
        if self.realtime is not None:
            words.append("--realtime" if self.realtime else "--fast")
        for key in ("robot", "root"):
            for value in getattr(self, key):
                words += [_option(key), value]
        for key, value in self.set.items():
            words += ["--set", f"{key}={json.dumps(value)}"]
        return words


def _option(key: str) -> str:
    return f"--{key.replace('_', '-')}"

"""Gazebo's tags of one robot: sensors, and plugins that sense, drive or have no counterpart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from horus_sim.errors import DescriptionError
from horus_sim.files.names import close_names
from horus_sim.robots.description import Joint, JointType
from horus_sim.robots.gazebo.drive_plugins import drives_of, says
from horus_sim.robots.gazebo.parts import DrivePart, SdfSensor, SdfValue
from horus_sim.robots.gazebo.plain import plain_value
from horus_sim.robots.gazebo.plugin import Plugin
from horus_sim.robots.gazebo.sensor_plugins import INSIDE, sensors_of, with_plugin
from horus_sim.robots.report import NoteKind
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import parse_floats
from horus_sim.tf import Transform

Tell = Callable[[NoteKind, Element, str, str], None]
"""Adds a remark: its kind, where it stands, whom it is about, and what it says."""

_OMITTED = frozenset({"@name", "@type", "pose", "plugin", "update_rate", "text"})
_DRIVEN = frozenset({JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC})
_CONTROL = "its joints are commanded on our own topics; the file of its controllers is not read"
_OURS = {
    **dict.fromkeys(
        (
            "contact",
            "forcetorque",
            "force_torque",
            "imu",
            "magnetometer",
            "navsat",
            "physics",
            "scene_broadcaster",
            "sensors",
            "user_commands",
        ),
        "it is part of every world here",
    ),
    "pose_publisher": "poses are published as transforms on '/tf'",
    **dict.fromkeys(
        (
            "gazebo_ros_control",
            "gazebo_ros2_control",
            "gz_ros2_control-system",
            "gz_ros2_control",
            "ign_ros2_control-system",
            "ign_ros2_control",
        ),
        _CONTROL,
    ),
}
"""Plugins that have nothing to do here, and why."""


@dataclass(slots=True)
class GazeboTags:
    """Collects the tags of one robot.

    Attributes:
        tell: Gets the remarks.
        sensors: Sensors in the order of the file.
        drives: Parts of drives in the order of the file.
    """

    tell: Tell
    sensors: list[tuple[SdfSensor, Element]] = field(default_factory=list)
    drives: list[tuple[DrivePart, Element]] = field(default_factory=list)

    def read_plugin(self, element: Element, culprit: str, prefix: str = "") -> None:
        """Reads a plugin of a model.

        Args:
            element: ``<plugin>``.
            culprit: Whose it is, such as "model 'x500'".
            prefix: What stands before the names of links and joints that it names.
        """
        plugin = Plugin(element)
        title = f"{culprit}, {plugin.title}" if culprit else plugin.title
        try:
            drives, sensors = drives_of(plugin), sensors_of(plugin)
        except DescriptionError as error:
            text = str(error).rpartition(f"{plugin.title}: ")[2]
            self.tell(NoteKind.WARNING, element, title, f"is left out: {text}")
            return
        self.drives += [(part.renamed(prefix), element) for part in drives]
        self.sensors += [(_renamed(sensor, prefix), element) for sensor in sensors]
        if drives:
            self.tell(NoteKind.SUBSTITUTION, element, title, says(drives))
        elif sensors:
            text = f"becomes a sensor of the type '{sensors[0].type}'"
            self.tell(NoteKind.SUBSTITUTION, element, title, text)
        else:
            self.remark(element, culprit)

    def remark(self, element: Element, culprit: str) -> None:
        """Says of a plugin that is not read what becomes of it."""
        plugin = Plugin(element)
        title = f"{culprit}, {plugin.title}" if culprit else plugin.title
        text = _OURS.get(plugin.kind)
        if text is not None:
            self.tell(NoteKind.SUBSTITUTION, element, title, f"is not needed: {text}")
            return
        file = f" ({plugin.file})" if plugin.file and plugin.file not in title else ""
        self.tell(NoteKind.IGNORED, element, title, f"has no counterpart here{file} and is not run")

    def read_sensor(
        self,
        element: Element,
        culprit: str,
        link: str,
        T_link_sensor: Transform,
        rate: float,
        joint: str | None = None,
    ) -> None:
        """Reads a sensor with the plugins inside it.

        Args:
            element: ``<sensor>``, which has a name and a type.
            culprit: What remarks call it.
            link: The link that carries it.
            T_link_sensor: Where it sits.
            rate: Measurements per second [Hz]; 0 is every step.
            joint: The joint that it measures, or None.
        """
        name, kind = (element.get("name") or "").strip(), (element.get("type") or "").strip()
        content = plain_value(element)
        said: dict[str, SdfValue] = {}
        if isinstance(content, dict):
            said = {key: value for key, value in content.items() if key not in _OMITTED}
        sensor = SdfSensor(link, name, kind, T_link_sensor, rate, said, joint)
        for child in element.find_all("plugin"):
            plugin = Plugin(child)
            if plugin.kind not in INSIDE:
                self.remark(child, culprit)
                continue
            try:
                sensor = with_plugin(sensor, plugin)
            except DescriptionError as error:
                title = f"{culprit}, {plugin.title}"
                text = str(error).rpartition(f"{plugin.title}: ")[2]
                self.tell(NoteKind.WARNING, child, title, f"is left out: {text}")
        self.sensors += [(each, element) for each in _cameras_of(sensor, element)]

    def checked(
        self, links: Mapping[str, object], joints: Mapping[str, Joint], root: str
    ) -> tuple[tuple[SdfSensor, ...], tuple[DrivePart, ...]]:
        """Sensors and drives whose links and joints the robot has; the others are remarked on.

        Args:
            links: The links by name.
            joints: The joints by name.
            root: Name of the root link.
        """
        found = (self._placed(sensor, at, links, joints, root) for sensor, at in self.sensors)
        sensors = tuple(sensor for sensor in found if sensor is not None)
        drives = tuple(part for part, at in self.drives if self._moves(part, at, joints))
        return sensors, drives

    def _placed(
        self,
        sensor: SdfSensor,
        element: Element,
        links: Mapping[str, object],
        joints: Mapping[str, Joint],
        root: str,
    ) -> SdfSensor | None:
        link = sensor.link.removeprefix("/") or root
        if sensor.joint is not None and not sensor.link:
            if sensor.joint not in joints:
                self._missing(element, f"sensor '{sensor.name}'", "joint", sensor.joint, joints)
                return None
            link = joints[sensor.joint].child
        if link not in links:
            short = link.rpartition("::")[2]
            if sensor.type == "odometry":
                short = root  # a frame of its own, at the root
            if short not in links:
                self._missing(element, f"sensor '{sensor.name}'", "link", link, links)
                return None
            link = short
        return replace(sensor, link=link)

    def _moves(self, part: DrivePart, element: Element, joints: Mapping[str, Joint]) -> bool:
        title = Plugin(element).title
        for name in part.joints:
            if name not in joints:
                self._missing(element, title, "joint", name, joints)
                return False
            if joints[name].kind not in _DRIVEN:
                text = f"is left out: joint '{name}' is {joints[name].kind} and cannot be driven"
                self.tell(NoteKind.WARNING, element, title, text)
                return False
        return True

    def _missing(
        self, element: Element, title: str, what: str, name: str, known: Mapping[str, object]
    ) -> None:
        close = close_names(name, known, most=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        text = f"is left out: the robot has no {what} '{name}'{hint}"
        self.tell(NoteKind.WARNING, element, title, text)


def _cameras_of(sensor: SdfSensor, element: Element) -> list[SdfSensor]:
    """The sensor itself; of a ``multicamera`` each of its cameras."""
    if sensor.type != "multicamera":
        return [sensor]
    found = []
    for number, camera in enumerate(element.find_all("camera")):
        own = (camera.get("name") or str(number)).strip()
        pose = camera.find("pose")
        T_sensor_camera = Transform.identity()
        if pose is not None and pose.text.strip():
            numbers = parse_floats(pose.text, 6, element=pose, what="<pose>", culprit=own)
            T_sensor_camera = Transform.from_euler(numbers[:3], numbers[3:])
        said = {key: value for key, value in sensor.parameters.items() if key != "topic"}
        said["camera"] = plain_value(camera)
        found.append(
            replace(
                sensor,
                name=f"{sensor.name}/{own}",
                type="camera",
                T_link_sensor=sensor.T_link_sensor @ T_sensor_camera,
                parameters=said,
            )
        )
    return found


def _renamed(sensor: SdfSensor, prefix: str) -> SdfSensor:
    if not prefix:
        return sensor
    link = f"{prefix}{sensor.link}" if sensor.link else ""
    joint = f"{prefix}{sensor.joint}" if sensor.joint else None
    return replace(sensor, link=link, joint=joint)

"""What others add to URDF and we use: Gazebo's tags and transmissions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from horus_sim.errors import DescriptionError
from horus_sim.robots.description import Surface, Transmission
from horus_sim.robots.gazebo.colors import Color, gazebo_color
from horus_sim.robots.gazebo.friction import stated_friction
from horus_sim.robots.gazebo.reading import GazeboTags
from horus_sim.robots.report import NoteKind
from horus_sim.robots.urdf.context import UrdfContext
from horus_sim.robots.urdf.shapes import read_number
from horus_sim.robots.urdf.start import read_start_positions
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import parse_bool, parse_floats, read_text, shown
from horus_sim.tf import Transform

_LINK_TAGS = {"mu1", "mu2", "mu", "kp", "kd", "selfCollide", "self_collide", "turnGravityOff"}
_LINK_TAGS |= {"gravity", "material", "visual", "sensor", "plugin"}
_JOINT_TAGS = {"springStiffness", "springReference", "sensor", "plugin"}
# What matters only to how Gazebo builds its own model.
_NEEDLESS = {"preserveFixedJoint", "disableFixedJointLumping"}


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """What ``<gazebo reference="link">`` says.

    Attributes:
        surface: How its shapes touch.
        has_gravity: Whether gravity pulls on it.
        self_collides: None where nothing is said.
        color: Colour of all that is seen of it; None where nothing is said.
    """

    surface: Surface = field(default_factory=Surface)
    has_gravity: bool = True
    self_collides: bool | None = None
    color: Color | None = None


@dataclass(frozen=True, slots=True)
class JointSettings:
    """What ``<gazebo reference="joint">`` says: a spring."""

    stiffness: float = 0.0
    spring_reference: float = 0.0


@dataclass(slots=True)
class Extensions:
    """What the extensions of one file say, by the name of the link or joint.

    Attributes:
        links: Settings of links.
        joints: Settings of joints.
        self_collide: Whether links of the robot touch each other; None where nothing is said.
        transmissions: Transmissions in the order of the file.
        rotor_inertias: Inertia of a joint's drive as the joint feels it [kg m^2].
        start_positions: Where joints start [rad] or [m].
        tags: Sensors and plugins of Gazebo.
    """

    tags: GazeboTags
    links: dict[str, LinkSettings] = field(default_factory=dict)
    joints: dict[str, JointSettings] = field(default_factory=dict)
    self_collide: bool | None = None
    transmissions: list[Transmission] = field(default_factory=list)
    rotor_inertias: dict[str, float] = field(default_factory=dict)
    start_positions: dict[str, float] = field(default_factory=dict)


def read_extensions(robot: Element, context: UrdfContext) -> Extensions:
    """The extensions that the file holds; the rest is counted as ignored."""
    link_names = {element.get("name") for element in robot.find_all("link")}
    joint_names = {element.get("name") for element in robot.find_all("joint")}
    found = Extensions(GazeboTags(context.tell), start_positions=read_start_positions(robot))
    for element in robot.find_all("gazebo"):
        reference = (element.get("reference") or "").strip()
        if not reference:
            _read_model(element, found, context)
        elif reference in link_names:
            known = found.links.get(reference, LinkSettings())
            found.links[reference] = _read_link(element, reference, known, context)
            _read_tags(element, found.tags, context, link=reference)
        elif reference in joint_names:
            _read_tags(element, found.tags, context, joint=reference)
            found.joints[reference] = _read_joint(element, reference, context)
        else:
            text = f"refers to '{reference}', which is neither a link nor a joint; it has no effect"
            context.warn("<gazebo>", text, element)
    if found.self_collide is None:
        said = [settings.self_collides for settings in found.links.values()]
        said = [value for value in said if value is not None]
        found.self_collide = any(said) if said else None
    for element in robot.find_all("transmission"):
        _read_transmission(element, found, context)
    return found


def _read_model(element: Element, found: Extensions, context: UrdfContext) -> None:
    for child in element.children:
        if child.tag in ("self_collide", "selfCollide"):
            found.self_collide = parse_bool(child.text, element=child, what=f"<{child.tag}>")
        elif child.tag == "plugin":
            found.tags.read_plugin(child, "")
        else:
            context.ignore(f"<gazebo>/<{child.tag}>", child)


def _read_link(
    element: Element, link: str, known: LinkSettings, context: UrdfContext
) -> LinkSettings:
    culprit = f"<gazebo> of link '{link}'"
    values = {tag: read_number(element, tag, culprit) for tag in ("mu1", "mu2", "mu", "kp", "kd")}
    for tag, value in values.items():
        if value is not None and value < 0.0:
            raise element.error(f"{culprit}: <{tag}> {value:g} must not be negative")
    first, second = values["mu1"], values["mu2"]
    friction = values["mu"] if first is None else first
    friction = stated_friction(second if friction is None else friction)
    if first is not None and second is not None and first != second:
        text = f"friction is {first:g} in every direction, as mu1; mu2 = {second:g} is not used"
        context.substitute(f"link '{link}'", text, element)
    surface = known.surface
    if friction is not None:
        # The engine takes the larger of two coefficients; a stated one is to hold.
        surface = replace(surface, friction=friction, priority=1)
    if values["kp"] is not None:
        surface = replace(surface, stiffness=values["kp"])
    if values["kd"] is not None:
        surface = replace(surface, damping=values["kd"])
    settings = replace(known, surface=surface)
    for child in element.children:
        if child.tag in ("selfCollide", "self_collide"):
            settings = replace(settings, self_collides=_flag(child, culprit))
        elif child.tag == "turnGravityOff":
            settings = replace(settings, has_gravity=not _flag(child, culprit))
        elif child.tag == "gravity":
            is_off = (child.get("value") or child.text).strip().lower() in ("false", "0")
            settings = replace(settings, has_gravity=not is_off)
        elif child.tag in ("material", "visual"):
            settings = _coloured(settings, child, culprit, context)
        elif child.tag not in _LINK_TAGS | _NEEDLESS:
            context.ignore(f"<gazebo reference>/<{child.tag}>", child)
    return settings


def _coloured(
    settings: LinkSettings, element: Element, culprit: str, context: UrdfContext
) -> LinkSettings:
    """The settings with the colour in ``<material>``, a script or SDF's in a ``<visual>``."""
    material = element.find("material") if element.tag == "visual" else element
    if material is None:
        return settings
    if not material.children:
        color = gazebo_color(material.text)
        if color is None:
            text = f"the material {shown(material.text.strip())} is not known and not used"
            context.report.add(NoteKind.IGNORED, culprit, text, material.line)
            return settings
        return replace(settings, color=color)
    for tag in ("diffuse", "ambient"):
        child = material.find(tag)
        if child is not None and child.text.strip():
            numbers = parse_floats(
                child.text, (3, 4), element=child, what=f"<{tag}>", culprit=culprit
            )
            r, g, b, a = (min(max(number, 0.0), 1.0) for number in (*numbers, 1.0)[:4])
            return replace(settings, color=(r, g, b, a))
    return settings


def _read_tags(
    element: Element, tags: GazeboTags, context: UrdfContext, *, link: str = "", joint: str = ""
) -> None:
    """Reads the sensors and plugins on a link, or on the child of a joint."""
    for child in element.find_all("plugin"):
        tags.read_plugin(child, "")
    for child in element.find_all("sensor"):
        name, kind = ((child.get(key) or "").strip() for key in ("name", "type"))
        culprit = f"sensor {shown(name)} of '{link or joint}'"
        try:
            if not name or not kind:
                raise child.error(f"{culprit}: needs a name and a type")
            T_link_sensor, rate = _sensor_pose(child, culprit), _sensor_rate(child, culprit)
        except DescriptionError as error:
            text = str(error).rpartition(f"{culprit}: ")[2]
            context.warn(culprit, f"is left out: {text}", child)
            continue
        tags.read_sensor(child, culprit, link, T_link_sensor, rate, joint or None)


def _sensor_pose(sensor: Element, culprit: str) -> Transform:
    pose = sensor.find("pose")
    if pose is None or not pose.text.strip():
        return Transform.identity()
    numbers = parse_floats(pose.text, 6, element=pose, what="<pose>", culprit=culprit)
    return Transform.from_euler(numbers[:3], numbers[3:])


def _sensor_rate(sensor: Element, culprit: str) -> float:
    rate = read_number(sensor, "update_rate", culprit) or 0.0
    if rate < 0.0:
        raise sensor.error(f"{culprit}: <update_rate> {rate:g} must not be negative")
    return rate


def _read_joint(element: Element, joint: str, context: UrdfContext) -> JointSettings:
    culprit = f"<gazebo> of joint '{joint}'"
    for child in element.children:
        if child.tag not in _JOINT_TAGS | _NEEDLESS:
            context.ignore(f"<gazebo reference>/<{child.tag}>", child)
    return JointSettings(
        read_number(element, "springStiffness", culprit) or 0.0,
        read_number(element, "springReference", culprit) or 0.0,
    )


def _flag(child: Element, culprit: str) -> bool:
    text = child.get("value") or child.text
    return parse_bool(text, element=child, what=f"<{child.tag}>", culprit=culprit)


def _read_transmission(element: Element, found: Extensions, context: UrdfContext) -> None:
    name = (element.get("name") or "").strip()
    culprit = f"transmission '{name}'"
    kind = element.find("type")
    actuator = element.find("actuator")
    reduction = read_number(element, "mechanicalReduction", culprit)
    if actuator is not None and reduction is None:
        reduction = read_number(actuator, "mechanicalReduction", culprit)
    joints = element.find_all("joint")
    if not joints:
        context.warn(culprit, "names no joint; it is left out", element)
    for joint in joints:
        interface = joint.find("hardwareInterface")
        joint_name = read_text(joint, "name", culprit=culprit)
        found.transmissions.append(
            Transmission(
                name,
                joint_name,
                (actuator.get("name") or "") if actuator is not None else "",
                1.0 if reduction is None else reduction,
                (kind.text.strip() if kind is not None else element.get("type")) or "",
                interface.text.strip() if interface is not None else "",
            )
        )
        if actuator is not None:
            rotor = read_number(actuator, "drake:rotor_inertia", culprit)
            gear = read_number(actuator, "drake:gear_ratio", culprit)
            if rotor is not None:
                gear = 1.0 if gear is None else gear
                found.rotor_inertias[joint_name] = rotor * gear * gear

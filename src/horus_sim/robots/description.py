"""What a robot is made of, whatever file it came from: links, joints, shapes and materials.

Importers write these, the builder turns them into a MuJoCo model, and the exporter writes them
back. Units are metres, kilograms, seconds and radians; every frame is right-handed and Z up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from horus_sim.robots.gazebo.parts import DrivePart, SdfSensor
from horus_sim.robots.stance.named_pose import NamedPose
from horus_sim.tf import Transform

IDENTITY = Transform.identity()


@dataclass(frozen=True, slots=True)
class Box:
    """A cuboid centred on its frame; `size` holds the full edge lengths [m]."""

    size: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Sphere:
    """A ball; `radius` [m]."""

    radius: float


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A cylinder along z, centred on its frame; `radius` and full `length` [m]."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Capsule:
    """A cylinder along z with half-balls on its ends; `length` [m] is that of the cylinder."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Cone:
    """A cone along z, centred on its frame, the tip up; `radius` and full `length` [m]."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Ellipsoid:
    """An ellipsoid; half axes `radii` [m]."""

    radii: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Plane:
    """A plane through the frame's origin.

    Attributes:
        normal: Unit vector that points out of the solid side.
        size: Extent drawn [m]; collisions take the plane as infinite.
    """

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    size: tuple[float, float] = (100.0, 100.0)


@dataclass(frozen=True, slots=True)
class Mesh:
    """A triangle mesh from a file.

    Attributes:
        path: The file that holds it; it exists.
        uri: The reference as the description wrote it.
        scale: Factors along the mesh's axes; a negative one mirrors.
        submesh: Name of the part to take, or None for all.
        center_submesh: Whether the part is moved to the centre of its bounding box.
    """

    path: Path
    uri: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    submesh: str | None = None
    center_submesh: bool = False


@dataclass(frozen=True, slots=True)
class Heightmap:
    """Terrain from a grey image.

    Attributes:
        path: The image; it exists.
        uri: The reference as the description wrote it.
        size: Extent along x, y and from black to white along z [m].
        position: Offset of the centre of the terrain's base [m].
    """

    path: Path
    uri: str
    size: tuple[float, float, float]
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Polyline:
    """A prism over closed outlines in the xy plane, from z = 0 to `height` [m].

    Attributes:
        outlines: Corner points [m] of each outline; an outline inside another is a hole.
        height: Along z [m].
    """

    outlines: tuple[tuple[tuple[float, float], ...], ...]
    height: float


Geometry = (
    Box | Sphere | Cylinder | Capsule | Cone | Ellipsoid | Plane | Mesh | Heightmap | Polyline
)


@dataclass(frozen=True, slots=True)
class Material:
    """How a surface looks.

    Attributes:
        name: Name in the description, or ''.
        rgba: Colour and opacity, each from 0 to 1.
        texture: Image file, or None.
        metallic: 0 for plastic, 1 for metal.
        roughness: 0 for a mirror, 1 for chalk.
        emission: Share of the colour that shines by itself, from 0 to 1.
    """

    name: str = ""
    rgba: tuple[float, float, float, float] = (0.8, 0.8, 0.8, 1.0)
    texture: Path | None = None
    metallic: float = 0.1
    roughness: float = 0.8
    emission: float = 0.0


@dataclass(frozen=True, slots=True)
class Surface:
    """How a shape touches others. None leaves a value to the scene's defaults.

    Attributes:
        friction: Coulomb coefficient of sliding.
        torsional: Coefficient of spinning about the contact normal [m].
        rolling: Coefficient of rolling [m].
        restitution: Share of the speed kept in a bounce, 0 to 1.
        contact_dimensions: 1 without friction, 3 with sliding, 4 with spinning, 6 with rolling.
        priority: The one of two shapes in contact that has the higher priority decides.
        stiffness: Contact stiffness [N/m].
        damping: Contact damping [N s/m].
    """

    friction: float | None = None
    torsional: float | None = None
    rolling: float | None = None
    restitution: float | None = None
    contact_dimensions: int | None = None
    priority: int = 0
    stiffness: float | None = None
    damping: float | None = None


@dataclass(frozen=True, slots=True)
class Visual:
    """A shape that is seen; `T_link_visual` places it in its link."""

    geometry: Geometry
    T_link_visual: Transform = IDENTITY
    material: Material = Material()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Collision:
    """A shape that touches; `T_link_collision` places it in its link."""

    geometry: Geometry
    T_link_collision: Transform = IDENTITY
    surface: Surface = Surface()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Inertial:
    """Mass and its distribution.

    Attributes:
        mass: [kg].
        T_link_inertia: The frame, at the centre of mass, in which `inertia` is given.
        inertia: ixx, iyy, izz, ixy, ixz, iyz [kg m^2] about the centre of mass.
    """

    mass: float
    T_link_inertia: Transform
    inertia: tuple[float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid part of a robot.

    Attributes:
        name: Unique in the robot.
        inertial: None when the description gives none.
        visuals: What is seen of it.
        collisions: What touches.
        has_gravity: Whether gravity pulls on it.
    """

    name: str
    inertial: Inertial | None = None
    visuals: tuple[Visual, ...] = ()
    collisions: tuple[Collision, ...] = ()
    has_gravity: bool = True


class JointType(StrEnum):
    """How a joint lets its child move."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    PLANAR = "planar"
    FLOATING = "floating"
    BALL = "ball"
    UNIVERSAL = "universal"
    SCREW = "screw"


@dataclass(frozen=True, slots=True)
class JointLimit:
    """Bounds of a joint; None is no bound.

    Attributes:
        lower: Smallest position [rad] or [m].
        upper: Largest position [rad] or [m].
        effort: Largest torque [N m] or force [N].
        velocity: Largest speed [rad/s] or [m/s].
    """

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None


@dataclass(frozen=True, slots=True)
class JointDynamics:
    """Resistance of a joint.

    Attributes:
        damping: [N m s/rad] or [N s/m].
        friction: Dry friction [N m] or [N].
        armature: Inertia of the drive as the joint feels it [kg m^2] or [kg]; None leaves it to
            the builder.
        stiffness: Stiffness of a spring towards `spring_reference` [N m/rad] or [N/m].
        spring_reference: [rad] or [m].
    """

    damping: float = 0.0
    friction: float = 0.0
    armature: float | None = None
    stiffness: float = 0.0
    spring_reference: float = 0.0


@dataclass(frozen=True, slots=True)
class Mimic:
    """The joint follows another: position = multiplier * position of `joint` + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Safety:
    """Bounds that a controller is to keep, inside those of the joint; physics does not know them.

    Attributes:
        soft_lower: Smallest position [rad] or [m].
        soft_upper: Largest position [rad] or [m].
        k_position: Gain from the distance to a soft bound to the velocity bound [1/s].
        k_velocity: Gain from the velocity error to the effort bound [N m s/rad] or [N s/m].
    """

    soft_lower: float = 0.0
    soft_upper: float = 0.0
    k_position: float = 0.0
    k_velocity: float = 0.0


@dataclass(frozen=True, slots=True)
class Transmission:
    """What drives a joint.

    Attributes:
        name: Name in the description.
        joint: The joint that is driven.
        actuator: Name of the motor, or ''.
        reduction: Turns of the motor for one of the joint.
        kind: Type as written, such as 'transmission_interface/SimpleTransmission'.
        interface: How the joint is commanded, as written, or ''.
    """

    name: str
    joint: str
    actuator: str = ""
    reduction: float = 1.0
    kind: str = ""
    interface: str = ""


@dataclass(frozen=True, slots=True)
class Joint:
    """What holds a link to its parent.

    Attributes:
        name: Unique in the robot.
        kind: How the child moves.
        parent: Link above.
        child: Link below.
        T_parent_joint: Frame of the joint in the parent; the child's frame at position zero, unless
            `T_joint_child` says otherwise.
        axis: Unit vector in the joint's frame, along or about which the child moves. For a planar
            joint the normal of its plane.
        axis2: Second axis of a universal joint.
        limit: Bounds.
        dynamics: Resistance.
        mimic: The joint that this one follows, or None.
        T_joint_child: The child's frame in the joint's, at position zero.
        thread_pitch: Advance of a screw joint for one turn [m].
        initial_position: Where it starts [rad] or [m].
        safety: Bounds for a controller, or None.
    """

    name: str
    kind: JointType
    parent: str
    child: str
    T_parent_joint: Transform = IDENTITY
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    axis2: tuple[float, float, float] | None = None
    limit: JointLimit = JointLimit()
    dynamics: JointDynamics = JointDynamics()
    mimic: Mimic | None = None
    T_joint_child: Transform = IDENTITY
    thread_pitch: float = 0.0
    initial_position: float = 0.0
    safety: Safety | None = None


@dataclass(frozen=True, slots=True)
class RobotDescription:
    """A tree of links.

    Attributes:
        name: Name of the robot.
        links: Links in the order of the file.
        joints: Joints in the order of the file; each link but the root is the child of exactly one.
        root: The link above all others.
        loops: Joints that close kinematic loops; both of their links are in the tree already.
        is_static: Whether it never moves, as SDF's ``<static>``.
        self_collide: Whether links that no joint connects touch each other.
        source: The file it came from, or None.
        T_world_root: Where the description itself places the root, such as SDF's ``<pose>``.
        extra_frames: Named frames that are not links: name -> (link, T_link_frame).
        transmissions: What drives the joints, in the order of the file.
        sensors: Sensors that the file puts on its links.
        drives: What the file says of its drives and controllers.
        poses: Poses that its files give a name.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    root: str
    loops: tuple[Joint, ...] = ()
    is_static: bool = False
    self_collide: bool = True
    source: Path | None = None
    T_world_root: Transform = IDENTITY
    extra_frames: dict[str, tuple[str, Transform]] = field(default_factory=dict)
    transmissions: tuple[Transmission, ...] = ()
    sensors: tuple[SdfSensor, ...] = ()
    drives: tuple[DrivePart, ...] = ()
    poses: tuple[NamedPose, ...] = ()

"""Which elements and attributes of URDF are read; everything else is reported as ignored."""

from __future__ import annotations

from horus_sim.files.names import close_names
from horus_sim.robots.urdf.context import UrdfContext
from horus_sim.robots.urdf.start import starts_of_system
from horus_sim.robots.xml import Element

_ORIGIN = {"origin": ("xyz", "rpy")}
_MATERIAL = {"material": ("name",), "material/color": ("rgba",), "material/texture": ("filename",)}
_GEOMETRY = {
    "geometry": (),
    "geometry/box": ("size",),
    "geometry/sphere": ("radius",),
    "geometry/cylinder": ("radius", "length"),
    "geometry/capsule": ("radius", "length"),
    "geometry/cone": ("radius", "length"),
    "geometry/ellipsoid": ("radii", "a", "b", "c"),
    "geometry/plane": ("normal",),
    "geometry/mesh": ("filename", "scale"),
}


def _below(parent: str, *tables: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {f"{parent}/{path}": names for table in tables for path, names in table.items()}


# Path below <robot> -> attributes that are read.
_READ: dict[str, tuple[str, ...]] = {
    **_MATERIAL,
    "link": ("name",),
    "link/inertial": (),
    "link/inertial/mass": ("value",),
    "link/inertial/inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
    **_below("link/inertial", _ORIGIN),
    "link/visual": ("name",),
    **_below("link/visual", _ORIGIN, _GEOMETRY, _MATERIAL),
    "link/collision": ("name",),
    **_below("link/collision", _ORIGIN, _GEOMETRY),
    "link/contact": (),
    **{
        f"link/contact/{tag}": ("value",)
        for tag in (
            "lateral_friction",
            "spinning_friction",
            "rolling_friction",
            "restitution",
            "stiffness",
            "damping",
        )
    },
    "joint": ("name", "type"),
    **_below("joint", _ORIGIN),
    "joint/parent": ("link",),
    "joint/child": ("link",),
    "joint/axis": ("xyz",),
    "joint/limit": ("lower", "upper", "effort", "velocity"),
    "joint/dynamics": ("damping", "friction", "armature"),
    "joint/joint_properties": ("damping", "friction", "armature"),
    "joint/mimic": ("joint", "multiplier", "offset"),
    "joint/safety_controller": (
        "soft_lower_limit",
        "soft_upper_limit",
        "k_position",
        "k_velocity",
    ),
}
# Read elsewhere, with remarks of their own.
_OTHERS = frozenset({"gazebo", "transmission"})


def report_unread(robot: Element, context: UrdfContext) -> None:
    """Counts what is not read, and warns of attributes that look like a slip."""
    pending = [(child, child.tag) for child in reversed(robot.children)]
    while pending:
        element, path = pending.pop()
        if path in _OTHERS or (path == "ros2_control" and starts_of_system(element)):
            continue
        plain = path.replace("drake:", "") if "/geometry/" in path else path
        if plain not in _READ:
            context.ignore("/".join(f"<{tag}>" for tag in path.split("/")), element)
            continue
        known = _READ[plain]
        for attribute in element.attributes:
            if attribute in known or attribute.startswith("xmlns"):
                continue
            close = close_names(attribute, known, most=1)
            if close and close[0] not in element.attributes:
                text = f"its attribute '{attribute}' is not known; did you mean '{close[0]}'?"
                context.warn(f"<{element.tag}>", text, element)
            else:
                context.ignore(f"attribute '{attribute}' of <{element.tag}>", element)
        pending.extend((child, f"{path}/{child.tag}") for child in reversed(element.children))

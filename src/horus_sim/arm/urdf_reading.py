"""A serial chain from a URDF file.

Only what kinematics needs is read: joints, their origins, axes and limits. Meshes, masses and
everything else is left alone; `horus_sim.sim3d` imports whole robots.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from math import inf, isfinite
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from horus_sim.arm.checks import MAX_DOF
from horus_sim.arm.description import IDENTITY, ArmDescription, ArmJoint, JointKind
from horus_sim.errors import ArmFileError
from horus_sim.tf import Transform

_WORLD = "world"
_SHOWN = 12


@dataclass
class _Element:
    name: str
    attributes: dict[str, str]
    line: int
    children: list[_Element] = field(default_factory=list)

    def child(self, name: str) -> _Element | None:
        return next((child for child in self.children if child.name == name), None)


def read_urdf_chain(
    path: str | Path, base_link: str | None = None, tip_link: str | None = None
) -> ArmDescription:
    """The chain of joints from one link of a URDF to another.

    Args:
        path: The file; xacro must be expanded before.
        base_link: First link; the root of the tree by default.
        tip_link: Last link; by default the only leaf.

    Raises:
        ArmFileError: The file cannot be read, the links do not exist or are not in line, or a joint
            between them is neither fixed, revolute, continuous nor prismatic.
    """
    robot = _parse(Path(path))
    if robot.name != "robot":
        raise ArmFileError(f"'{path}' begins with <{robot.name}>, not <robot>; give a URDF file.")
    tree = _tree(path, robot)
    for given in (base_link, tip_link):
        if given is not None:
            _require(path, tree, given)
    if base_link is not None:
        base = base_link
    else:
        roots = [tree.root_of(path, tip_link)] if tip_link is not None else tree.roots
        base = _only(path, roots, "base_link (--base on the command line)", "root")
    if tip_link is not None:
        tip = tip_link
    else:
        tip = _only(path, tree.leaves_below(base), "tip_link (--tip on the command line)", "leaf")
    chain: list[_Element] = []
    link = tip
    while link != base:
        if link not in tree.by_child or len(chain) > len(tree.by_child):
            raise ArmFileError(
                f"'{path}': '{tip}' does not hang from '{base}'; choose two links of one branch."
            )
        chain.insert(0, tree.by_child[link])
        link = _linked(path, tree.by_child[link], "parent")
    return _describe(path, robot.attributes.get("name", Path(path).stem), chain)


@dataclass(frozen=True)
class _Tree:
    """Links by name, and the joint above each that has one."""

    links: list[str]
    by_child: dict[str, _Element]
    children: dict[str, list[str]]

    @property
    def roots(self) -> list[str]:
        return [link for link in self.links if link not in self.by_child]

    def root_of(self, path: str | Path, link: str) -> str:
        """The link above which there is none."""
        for _ in self.links:
            if link not in self.by_child:
                return link
            link = _linked(path, self.by_child[link], "parent")
        raise ArmFileError(f"'{path}': the joints above '{link}' form a loop; open it.")

    def leaves_below(self, base: str) -> list[str]:
        """The ends of the branches that hang from a link, in the order of the file."""
        found, open_links = set(), [base]
        while open_links:
            link = open_links.pop()
            if link not in found:
                found.add(link)
                open_links += self.children.get(link, [])
        return [link for link in self.links if link in found and link not in self.children]


def _tree(path: str | Path, robot: _Element) -> _Tree:
    links = [_attribute(path, e, "name") for e in robot.children if e.name == "link"]
    by_child: dict[str, _Element] = {}
    children: dict[str, list[str]] = {}
    for joint in robot.children:
        # Transmissions and the like refer to joints with empty elements of that name.
        if joint.name != "joint" or not joint.children:
            continue
        child, parent = _linked(path, joint, "child"), _linked(path, joint, "parent")
        name = joint.attributes.get("name", "without a name")
        if parent == _WORLD and _WORLD not in links:
            links.insert(0, _WORLD)  # many readers take it for granted
        for end in (parent, child):
            if end not in links:
                close = difflib.get_close_matches(end, links, n=1)
                hint = f"did you mean '{close[0]}'?" if close else f'add <link name="{end}"/>.'
                raise ArmFileError(
                    f"'{path}', line {joint.line}: joint '{name}' holds link '{end}', which the "
                    f"file does not have; {hint}"
                )
        if child in by_child:
            other = by_child[child].attributes.get("name", "another")
            raise ArmFileError(
                f"'{path}', line {joint.line}: link '{child}' hangs from two joints, '{other}' and "
                f"'{name}'; remove one."
            )
        by_child[child] = joint
        children.setdefault(parent, []).append(child)
    tree = _Tree(links, by_child, children)
    if not links:
        raise ArmFileError(f"'{path}' has no <link>; give the URDF of an arm.")
    if not tree.roots:
        raise ArmFileError(
            f"'{path}': every link hangs from another, so the joints form a loop; remove the joint "
            "above the base."
        )
    return tree


def _require(path: str | Path, tree: _Tree, link: str) -> None:
    if link not in tree.links:
        close = difflib.get_close_matches(link, tree.links, n=1)
        shown = ", ".join(tree.links[:_SHOWN])
        hint = f"did you mean '{close[0]}'?" if close else f"links: {shown}"
        raise ArmFileError(f"'{path}' has no link '{link}'; {hint}")


def _describe(path: str | Path, name: str, chain: list[_Element]) -> ArmDescription:
    joints: list[ArmJoint] = []
    T = IDENTITY
    for element in chain:
        T = T @ _origin(path, element)
        if element.attributes.get("type") == "fixed":
            continue
        joints.append(_joint(path, element, T))
        T = IDENTITY
    if not 1 <= len(joints) <= MAX_DOF:
        raise ArmFileError(
            f"'{path}': the chain has {len(joints)} moving joints; choose links with 1 to "
            f"{MAX_DOF} between them."
        )
    return ArmDescription(
        name=name, joints=tuple(joints), T_flange_tool=T, convention=None, path=Path(path)
    )


def _joint(path: str | Path, element: _Element, T_above_joint: Transform) -> ArmJoint:
    name = _attribute(path, element, "name")
    kind = _attribute(path, element, "type")
    where = f"'{path}', line {element.line}: joint '{name}'"
    if kind not in {"revolute", "continuous", "prismatic"}:
        raise ArmFileError(
            f"{where} is {kind}; an arm's joints are revolute, continuous, prismatic or fixed: "
            "choose a chain without it."
        )
    if element.child("mimic") is not None:
        raise ArmFileError(f"{where} mimics another joint; choose a chain without it.")
    axis = _vector(path, element.child("axis"), "xyz", (1.0, 0.0, 0.0))
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        raise ArmFileError(f"{where} has a zero axis; give its direction.")
    T_joint_z = _z_to(axis / length)
    limit = element.child("limit")
    lower, upper = -inf, inf
    if kind != "continuous":
        if limit is None:
            raise ArmFileError(f"{where} has no <limit>; add one with lower and upper.")
        lower = _number(path, limit, "lower", 0.0)
        upper = _number(path, limit, "upper", 0.0)
        if lower == upper:
            raise ArmFileError(
                f"{where} has limits {lower:g} to {upper:g}, which leave it no motion; give lower "
                "and upper, or make its type 'continuous' or 'fixed'."
            )
        if not lower < upper:
            raise ArmFileError(f"{where} has limits {lower:g} to {upper:g}; correct them.")
    velocity = _number(path, limit, "velocity", 0.0) if limit is not None else 0.0
    initial = 0.0 if lower <= 0.0 <= upper else 0.5 * (lower + upper)
    return ArmJoint(
        name,
        JointKind(kind),
        before=T_above_joint @ T_joint_z,
        after=T_joint_z.inverse(),
        lower=lower,
        upper=upper,
        initial=initial,
        max_velocity=velocity if isfinite(velocity) and velocity > 0.0 else None,
    )


def _z_to(axis: np.ndarray) -> Transform:
    """A rotation that turns z to a unit vector."""
    x, y, z = (float(v) for v in axis)
    w = 1.0 + z
    # The quaternion between two unit vectors is (cross, 1 + dot), which vanishes for opposite ones.
    return Transform((0, 0, 0), (-y, x, 0.0, w) if w > 1e-12 else (1.0, 0.0, 0.0, 0.0))


def _origin(path: str | Path, element: _Element) -> Transform:
    origin = element.child("origin")
    zero = (0.0, 0.0, 0.0)
    return Transform.from_euler(
        _vector(path, origin, "xyz", zero), _vector(path, origin, "rpy", zero)
    )


def _only(path: str | Path, links: list[str], argument: str, what: str) -> str:
    if len(links) == 1:
        return links[0]
    shown = ", ".join(links[:_SHOWN]) + (", ..." if len(links) > _SHOWN else "")
    raise ArmFileError(
        f"'{path}' has {len(links)} {what} links ({shown}); choose one with {argument}."
    )


def _linked(path: str | Path, joint: _Element, end: str) -> str:
    element = joint.child(end)
    if element is None:
        raise ArmFileError(f"'{path}', line {joint.line}: a joint has no <{end}>; add it.")
    return _attribute(path, element, "link")


def _attribute(path: str | Path, element: _Element, key: str) -> str:
    if key not in element.attributes:
        raise ArmFileError(
            f"'{path}', line {element.line}: <{element.name}> has no '{key}'; add it."
        )
    return element.attributes[key]


def _number(path: str | Path, element: _Element, key: str, default: float) -> float:
    text = element.attributes.get(key)
    try:
        return default if text is None else float(text)
    except ValueError as error:
        raise ArmFileError(
            f"'{path}', line {element.line}: {key}='{text}' is not a number; correct it."
        ) from error


def _vector(path: str | Path, element: _Element | None, key: str, default: tuple) -> np.ndarray:
    if element is None or key not in element.attributes:
        return np.array(default)
    text = element.attributes[key]
    try:
        values = np.array([float(part) for part in text.split()])
    except ValueError:
        values = np.empty(0)
    if values.shape != (3,) or not np.isfinite(values).all():
        raise ArmFileError(
            f"'{path}', line {element.line}: {key}='{text}' is not three numbers; correct it."
        )
    return values


def _parse(path: Path) -> _Element:
    """The elements of an XML file; a document type, which could define entities, is refused."""
    parser = expat.ParserCreate()
    stack: list[_Element] = [_Element("", {}, 0)]

    def start(name: str, attributes: dict[str, str]) -> None:
        element = _Element(name, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def refuse(*_: Any) -> None:  # noqa: ANN401 - expat's arguments
        raise ArmFileError(f"'{path}' declares a document type; remove the <!DOCTYPE> line.")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(path.read_bytes(), True)  # noqa: FBT003 - expat takes no keyword
    except OSError as error:
        raise ArmFileError(f"'{path}' cannot be read: {error.strerror}; check it.") from error
    except expat.ExpatError as error:
        raise ArmFileError(f"'{path}' is not XML: {error}; correct it.") from error
    return stack[0].children[0]

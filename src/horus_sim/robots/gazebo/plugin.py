"""A ``<plugin>``: which one it is, and the values inside it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import parse_floats, shown

_SYSTEM = re.compile(r"(?:gz|ign|ignition)-(?:sim|gazebo)\d*-(.+?)(?:-system)?")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Plugin:
    """A ``<plugin>``.

    Attributes:
        element: The element.
    """

    element: Element

    @property
    def kind(self) -> str:
        """Which it is, by its file name in all its spellings, or by the name of its class.

        ``libgazebo_ros_diff_drive.so`` is 'gazebo_ros_diff_drive', ``gz-sim-diff-drive-system``,
        ``libignition-gazebo-diff-drive-system.so`` and ``gz::sim::systems::DiffDrive`` are
        'diff_drive'.
        """
        file = (self.element.get("filename") or "").strip().rpartition("/")[2]
        stem = file.removesuffix(".so").removesuffix(".dylib").removesuffix(".dll")
        stem = stem.removeprefix("lib")
        system = _SYSTEM.fullmatch(stem)
        if system is not None:
            return system[1].replace("-", "_").lower()
        space, _, name = (self.element.get("name") or "").strip().rpartition("::")
        if space.endswith("::systems"):
            return _HUMP.sub("_", name).lower()
        return stem.lower()

    @property
    def title(self) -> str:
        """What remarks call it."""
        names = (self.element.get("name") or "", self.element.get("filename") or "")
        return f"plugin {shown(next((name for name in names if name), ''))}"

    @property
    def file(self) -> str:
        """Its file name as written, or the name of its class."""
        return (self.element.get("filename") or self.element.get("name") or "").strip()

    def text(self, *tags: str) -> str:
        """The text of the first child that has one of these tags and any text; '' without."""
        return next(iter(self.texts(*tags)), "")

    def texts(self, *tags: str) -> tuple[str, ...]:
        """The texts of all children with one of these tags, in the order of the tags."""
        children = [child for tag in tags for child in self.element.find_all(tag)]
        return tuple(text for child in children if (text := child.text.strip()))

    def numbers(self, *tags: str) -> tuple[float, ...]:
        """The numbers in all children with one of these tags.

        Raises:
            DescriptionError: One is not a number, or not finite.
        """
        children = [child for tag in tags for child in self.element.find_all(tag)]
        return tuple(
            parse_floats(child.text, 1, element=child, what=f"<{child.tag}>", culprit=self.title)[0]
            for child in children
            if child.text.strip()
        )

    def number(self, *tags: str) -> float | None:
        """The first of `numbers`, or None."""
        return next(iter(self.numbers(*tags)), None)

    def positive(self, *tags: str) -> float | None:
        """The first of `numbers`, or None where there is none or it is not positive.

        Many plugins take zero and negative numbers as 'no limit'.
        """
        value = self.number(*tags)
        return value if value is not None and value > 0.0 else None

    def vector(self, *tags: str) -> tuple[float, float, float]:
        """Three numbers, or one for all three, in the first such child; zeros without.

        Raises:
            DescriptionError: They are something else.
        """
        for tag in tags:
            child = self.element.find(tag)
            if child is not None and child.text.strip():
                found = parse_floats(
                    child.text, (1, 3), element=child, what=f"<{tag}>", culprit=self.title
                )
                x, y, z = found if len(found) == 3 else found * 3
                return x, y, z
        return (0.0, 0.0, 0.0)

    def remapped(self, *names: str) -> str:
        """What ``<ros><remapping>~/out:=scan</remapping></ros>`` calls one of these names; or ''.

        Args:
            names: Names of the plugin's own, such as 'out'.
        """
        ros = self.element.find("ros")
        for child in ros.find_all("remapping") if ros is not None else ():
            own, arrow, other = child.text.strip().partition(":=")
            if arrow and own.strip().removeprefix("~/").strip("/") in names:
                return other.strip()
        return ""

"""The state of the arm page as the query of its address, so that a link opens it again.

Such as ``arm=scara&q=0,30,0.05,0&target=0.4,0.1,0.3&view=0,0,30&show=arcs,cloud``: positions of
joints in degrees (metres for those that slide), the target in metres, with roll, pitch and yaw in
degrees if it is a pose.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import numpy as np

from horus_sim.errors import UiError
from horus_sim.tf import Transform
from horus_sim.ui.arm.model.moving_arm import METHODS

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm import Arm
    from horus_sim.ui.arm.model.moving_arm import ArmState, Method

# What can be shown beside the arm: name and icon.
SHOWN = {
    "arcs": ("Joint ranges", "data_usage"),
    "frames": ("Frames", "3d_rotation"),
    "target": ("Target", "gps_fixed"),
    "path": ("Path of the tool", "timeline"),
    "cloud": ("Workspace", "blur_on"),
    "ellipsoid": ("Manipulability", "egg"),
}
SHOWN_FIRST = ("arcs", "path", "target")
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class ArmAddress:
    """What an address says; None or () where it says nothing.

    Attributes:
        arm: Name of the arm.
        q: Joint positions [deg, m].
        target: x, y, z [m] and for a pose roll, pitch, yaw [deg].
        view: Rotations of the view about x, y, z [deg].
        shown: What is shown beside the arm.
        method: The solver of targets.
    """

    arm: str = "robot_arm"
    q: tuple[float, ...] = ()
    target: tuple[float, ...] = ()
    view: tuple[float, ...] = (0.0, 0.0, 0.0)
    shown: tuple[str, ...] = SHOWN_FIRST
    method: Method = "robust"

    @classmethod
    def read(cls, query: Mapping[str, str]) -> ArmAddress:
        """From the query of an address.

        Raises:
            UiError: A value means nothing; the text names it.
        """
        shown = SHOWN_FIRST
        if "show" in query:
            shown = tuple(part for part in query["show"].split(",") if part not in ("", "none"))
            for part in shown:
                if part not in SHOWN:
                    raise UiError(f"the address has show={part[:40]}; it knows {', '.join(SHOWN)}")
        solver = query.get("solver", "robust")
        if solver not in METHODS:
            raise UiError(f"the address has solver={solver[:40]}; it knows {', '.join(METHODS)}")
        return cls(
            arm=query.get("arm") or "robot_arm",
            q=_numbers(query, "q"),
            target=_numbers(query, "target", (3, 6)),
            view=_numbers(query, "view", (3,)) or (0.0, 0.0, 0.0),
            shown=shown,
            method="dls" if solver == "dls" else "robust",
        )

    def positions(self, arm: Arm) -> npt.NDArray[np.float64] | None:
        """Joint positions [rad, m], or None for the initial ones.

        Raises:
            UiError: Their number is not that of the joints.
        """
        if not self.q:
            return None
        if len(self.q) != arm.dof:
            raise UiError(
                f"the address has {len(self.q)} joint positions, '{arm.name}' has {arm.dof} joints"
            )
        return from_shown(arm, self.q)

    @property
    def T_world_target(self) -> Transform | None:
        """The target, or None."""
        if not self.target:
            return None
        return Transform.from_euler(
            self.target[:3], [math.radians(angle) for angle in self.target[3:] or (0, 0, 0)]
        )


def query_of(state: ArmState, arm: str, view: Sequence[float], shown: Iterable[str]) -> str:
    """The query of the address that leads to a state.

    Args:
        state: State of the arm; where it is going counts.
        arm: Name of the arm in the library.
        view: Rotations of the view about x, y, z [deg].
        shown: What is shown.
    """
    target = list(state.T_world_target.translation)
    if state.mode == "pose":
        target += [math.degrees(angle) for angle in state.T_world_target.to_euler()]
    fields = {"arm": arm, "q": _text(to_shown(state.arm, state.goal))}
    if state.answer is not None:
        fields["target"] = _text(target)
    if state.method != "robust":
        fields["solver"] = state.method
    if any(view):
        fields["view"] = _text(view)
    if set(shown) != set(SHOWN_FIRST):
        fields["show"] = ",".join(part for part in SHOWN if part in set(shown)) or "none"
    return urlencode(fields, safe=",")


def to_shown(arm: Arm, q: npt.ArrayLike, metre: float = 1.0) -> list[float]:
    """Joint positions as users read them.

    Args:
        arm: The arm.
        q: Joint positions [rad, m], shape (dof,).
        metre: How many units of length a metre is.

    Returns:
        Degrees, or lengths for joints that slide.
    """
    pairs = zip(np.asarray(q, float).tolist(), arm.description.joints, strict=True)
    return [value * metre if joint.is_prismatic else math.degrees(value) for value, joint in pairs]


def from_shown(arm: Arm, values: Sequence[float], metre: float = 1.0) -> npt.NDArray[np.float64]:
    """Joint positions [rad, m] of what users write, brought within limits.

    What is shown is rounded, and may lie outside of a limit by that.
    """
    q = [
        value / metre if joint.is_prismatic else math.radians(value)
        for value, joint in zip(values, arm.description.joints, strict=True)
    ]
    return np.clip(q, arm.lower, arm.upper)


def _numbers(
    query: Mapping[str, str], key: str, lengths: tuple[int, ...] = ()
) -> tuple[float, ...]:
    text = query.get(key, "")
    if not text:
        return ()
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found or not all(map(math.isfinite, found)) or (lengths and len(found) not in lengths):
        count = " or ".join(map(str, lengths))
        raise UiError(
            f"the address has {key}={text[:60]}; write {f'{count} ' if count else ''}numbers "
            "with commas between them"
        )
    return found


def _text(values: Iterable[float]) -> str:
    rounded = (f"{round(float(value), _DIGITS) + 0.0:.{_DIGITS}f}" for value in values)
    return ",".join(text.rstrip("0").rstrip(".") for text in rounded)

"""What `horus-sim tf static` publishes: one fixed frame, until Ctrl-C."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import typer

from horus_sim.files.printable import printable
from horus_sim.hub import StaticTFBroadcaster
from horus_sim.tf import StaticTransformStamped, Transform

if TYPE_CHECKING:
    from horus_sim.hub import Hub

_ANGLES = ("--roll", "--pitch", "--yaw")
_QUATERNION = ("--qx", "--qy", "--qz", "--qw")


def static_transform(
    translation: tuple[float, float, float],
    rpy: tuple[float | None, float | None, float | None],
    quaternion: tuple[float | None, float | None, float | None, float | None],
) -> Transform:
    """The transform that the options describe.

    Args:
        translation: x, y, z [m].
        rpy: Roll, pitch, yaw [rad]; None where not given, which is 0.
        quaternion: x, y, z, w; None where not given.

    Raises:
        typer.BadParameter: The rotation is given in both ways, or a part of the quaternion lacks.
    """
    missing = [
        option for option, value in zip(_QUATERNION, quaternion, strict=True) if value is None
    ]
    if len(missing) == len(_QUATERNION):
        return Transform.from_euler(translation, tuple(angle or 0.0 for angle in rpy))
    if any(angle is not None for angle in rpy):
        raise typer.BadParameter(
            f"give the rotation by {', '.join(_ANGLES)} or by {', '.join(_QUATERNION)}, not by both"
        )
    if missing:
        raise typer.BadParameter(
            f"a quaternion has four parts; {' and '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing"
        )
    return Transform(translation, tuple(value or 0.0 for value in quaternion))


def publish(hub: Hub, parent: str, child: str, transform: Transform) -> None:
    """Publishes a fixed frame, says so, and waits for Ctrl-C.

    Args:
        hub: The connection.
        parent: Parent frame.
        child: Child frame.
        transform: T_parent_child.
    """
    if parent.removeprefix("/") == child.removeprefix("/"):
        raise typer.BadParameter(f"'{parent}' cannot be above itself; name two frames")
    frame = StaticTransformStamped(parent, child, transform)
    StaticTFBroadcaster(hub).send_transform(parent, child, transform)
    typer.echo(printable(f"{frame}; published in session '{hub.session}' until Ctrl-C"))
    threading.Event().wait()

"""Pictures of an arm, its workspace and its trajectories. Needs the extra ``[plot]``."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from horus_sim.arm.dexterity import velocity_ellipsoid
from horus_sim.arm.workspace import workspace_cloud
from horus_sim.errors import ArmError, MissingExtraError
from horus_sim.files.whole_file import write_whole

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm.arm import Arm
    from horus_sim.arm.trajectory import Trajectory

_POINTS = 5_000


def plot_workspace(arm: Arm, path: str | Path, *, points: int = _POINTS, seed: int = 0) -> None:
    """Save a picture of the points that the tool reaches, with the arm in its initial pose.

    Args:
        arm: The arm.
        path: The picture; its suffix gives the format, such as .png, .svg or .pdf.
        points: Number of points.
        seed: Seed of the random configurations.
    """
    figure, axes = _figure_3d(f"workspace of {arm.name}")
    cloud = workspace_cloud(arm, points, seed)
    axes.scatter(*cloud.T, s=2.0, alpha=0.6, c=cloud[:, 2], cmap="viridis")
    _draw_arm(axes, arm, arm.initial)
    _save(figure, axes, path)


def plot_ellipsoid(arm: Arm, q: npt.ArrayLike, path: str | Path) -> None:
    """Save a picture of the arm at `q`, shape (dof,), with its velocity ellipsoid.

    The ellipsoid is drawn at the tool, shrunk to a quarter of the arm's reach.
    """
    ellipsoid = velocity_ellipsoid(arm, q)
    figure, axes = _figure_3d(f"{arm.name}: velocity ellipsoid")
    u, v = np.mgrid[0 : 2 * np.pi : 36j, 0 : np.pi : 18j]
    ball = np.stack((np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)))
    size = 0.25 * arm.reach / max(float(ellipsoid.radii[0]), 1e-12)
    shape = np.einsum("ij,jkl->ikl", ellipsoid.axes * (size * ellipsoid.radii), ball)
    surface = shape + arm.fk(q).translation[:, np.newaxis, np.newaxis]
    axes.plot_surface(*surface, alpha=0.3, color="tab:orange")
    _draw_arm(axes, arm, q)
    _save(figure, axes, path)


def plot_trajectory(arm: Arm, trajectory: Trajectory, path: str | Path) -> None:
    """Save a picture of a trajectory: joint positions over time, and the path of the tool."""
    figure = _figure(10.0, 4.5)
    axes = figure.add_subplot(1, 2, 1)
    for name, values in zip(trajectory.joint_names, trajectory.q.T, strict=True):
        axes.plot(trajectory.times, values, label=name)
    axes.set(xlabel="time [s]", ylabel="position [rad, m]", title=arm.name)
    axes.legend(fontsize="small")
    space = figure.add_subplot(1, 2, 2, projection="3d")
    space.plot(*arm.fk_batch(trajectory.q)[:, :3, 3].T)
    _draw_arm(space, arm, trajectory.q[-1])
    _save(figure, space, path)


def _draw_arm(axes: Any, arm: Arm, q: npt.ArrayLike) -> None:  # noqa: ANN401 - matplotlib's
    base = arm.description.T_world_base.translation
    points = np.vstack((base, arm.frames(q)[:, :3, 3]))
    axes.plot(*points.T, "o-", color="black", linewidth=2.0, markersize=3.0)


def _figure(width: float, height: float) -> Any:  # noqa: ANN401 - matplotlib's
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot") from error
    return Figure(figsize=(width, height), layout="constrained")


def _figure_3d(title: str) -> tuple[Any, Any]:
    figure = _figure(6.0, 6.0)
    axes = figure.add_subplot(projection="3d")
    axes.set_title(title)
    return figure, axes


def _save(figure: Any, axes: Any, path: str | Path) -> None:  # noqa: ANN401 - matplotlib's
    axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    axes.set_aspect("equal")
    # Matplotlib adds a suffix of its own, and a folder's name would become a file beside it.
    if Path(path).is_dir() or not Path(path).suffix:
        what = "is a folder" if Path(path).is_dir() else "has no suffix"
        raise ArmError(
            f"the picture cannot be saved as '{path}': that {what}; name a file such as arm.png"
        )
    picture = io.BytesIO()
    try:
        figure.savefig(picture, format=Path(path).suffix[1:], dpi=120)
    except ValueError as error:
        raise ArmError(
            f"the picture cannot be saved as '{path}': {error}; choose another suffix"
        ) from error
    write_whole(Path(path), picture.getvalue(), ArmError)

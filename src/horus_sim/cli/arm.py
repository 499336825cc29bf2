"""`horus-sim arm`: forward and inverse kinematics, sweeps, and the check against simulators."""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees, radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.options import Commands
from horus_sim.cli.page_options import PageOptions, serve
from horus_sim.cli.terminal import print_table, progress

if TYPE_CHECKING:
    from horus_sim.arm import Arm

app = Commands(name="arm")

DEFAULT_ARM = "robot_arm"
_NUMBERS = {"ignore_unknown_options": True}  # so that -0.3 is a number and not an option

ArmArgument = Annotated[
    str, typer.Argument(metavar="ARM", help="Name of a shipped arm, or a .yaml or .urdf file.")
]
ArmOption = Annotated[
    str, typer.Option("--arm", metavar="ARM", help="Name of a shipped arm, or a file.")
]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Save a picture, such as arm.png.")
]


@dataclass(frozen=True, slots=True)
class ChainOptions:
    """Which chain of a .urdf file the arm is."""

    base: Annotated[
        str | None,
        typer.Option("--base", metavar="LINK", help="First link of a .urdf's chain; its root."),
    ] = None
    tip: Annotated[
        str | None,
        typer.Option("--tip", metavar="LINK", help="Last link of a .urdf's chain; its only leaf."),
    ] = None

    def load(self, name: str) -> Arm:
        """Loads an arm.

        Args:
            name: Name of a shipped arm, or a file.
        """
        from horus_sim.arm import Arm
        from horus_sim.errors import ArmError

        if name.endswith(".urdf"):
            return Arm.from_urdf(name, base_link=self.base, tip_link=self.tip)
        if self.base is not None or self.tip is not None:
            option = "--tip" if self.base is None else "--base"
            raise ArmError(
                f"{option} chooses a link of a .urdf file, and '{name}' is not one; remove it"
            )
        return Arm.load(name)


@app.command()
def page(
    arm: ArmArgument = DEFAULT_ARM,
    *,
    chain: ChainOptions,
    page: PageOptions,
) -> None:
    """Open the page of the arm in the browser; so does `horus-sim arm` alone."""
    from horus_sim.arm import arm_names
    from horus_sim.ui.arm.model.arm_thread import ArmThreads
    from horus_sim.ui.serving import open_site

    loaded = chain.load(arm)
    with open_site() as site:
        library = ArmThreads.of(site).library
        name = arm if arm in arm_names() else library.put(Path(arm).name, loaded)
        query = {"arm": name} if name != DEFAULT_ARM else {}
        serve(page.server(site, "/arm", query), name)


@app.command()
def info(
    arm: ArmArgument = DEFAULT_ARM,
    *,
    chain: ChainOptions,
    plot: PlotOption = None,
) -> None:
    """Print what an arm is made of; --plot saves its workspace."""
    loaded = chain.load(arm)
    description = loaded.description
    rows = []
    for joint in description.joints:
        scale, unit = _display(loaded, joint.name)
        speed = "-" if joint.max_velocity is None else f"{joint.max_velocity * scale:g} {unit}/s"
        rows.append(
            (
                joint.name,
                joint.kind.value,
                f"{joint.lower * scale:g}",
                f"{joint.upper * scale:g}",
                f"{joint.initial * scale:g}",
                unit,
                speed,
                joint.axis_label,
            )
        )
    convention = f"{description.convention.value} DH" if description.convention else "URDF"
    typer.echo(
        f"{loaded.name}: {loaded.dof} joints, {convention}, reach below {loaded.reach:.3f} m"
    )
    if description.source:
        typer.echo(f"source: {description.source}")
    print_table(("joint", "type", "min", "max", "initial", "unit", "speed", "axis"), rows)
    if plot is not None:
        from horus_sim.arm.plot import plot_workspace

        plot_workspace(loaded, plot)
        typer.echo(f"workspace saved as {plot}")


@app.command("list")
def list_arms() -> None:
    """List the arms that come with the package."""
    from horus_sim.arm import Arm, arm_names

    arms = [Arm.load(name) for name in arm_names()]
    print_table(
        ("arm", "joints", "source"), [(a.name, a.dof, a.description.source[:90]) for a in arms]
    )


@app.command(context_settings=_NUMBERS)
def fk(
    positions: Annotated[
        list[float] | None,
        typer.Argument(
            metavar="Q...",
            help="A position for each joint: degrees, metres for prismatic joints. The initial "
            "configuration by default.",
        ),
    ] = None,
    *,
    arm: ArmOption = DEFAULT_ARM,
    chain: ChainOptions,
    plot: PlotOption = None,
) -> None:
    """Print where the tool and every joint frame is; --plot saves the velocity ellipsoid."""
    loaded = chain.load(arm)
    q = _configuration(loaded, positions)
    _print_frames(loaded, q)
    if plot is not None:
        from horus_sim.arm.plot import plot_ellipsoid

        plot_ellipsoid(loaded, q, plot)
        typer.echo(f"arm and velocity ellipsoid saved as {plot}")


@app.command()
def cli(arm: ArmArgument = DEFAULT_ARM, *, chain: ChainOptions) -> None:
    """Print the forward kinematics of an arm in its initial configuration."""
    loaded = chain.load(arm)
    _print_frames(loaded, _configuration(loaded, None))


@app.command(context_settings=_NUMBERS)
def ik(
    x: Annotated[float, typer.Argument(help="[m]")],
    y: Annotated[float, typer.Argument(help="[m]")],
    z: Annotated[float, typer.Argument(help="[m]")],
    *,
    arm: ArmOption = DEFAULT_ARM,
    chain: ChainOptions,
    rpy: Annotated[
        str | None,
        typer.Option(
            "--rpy", metavar="R,P,Y", help="Roll, pitch, yaw of the tool [deg], for a whole pose."
        ),
    ] = None,
    method: Annotated[
        str, typer.Option("--method", help="robust, or dls for the damped least squares.")
    ] = "robust",
    plot: PlotOption = None,
    duration: Annotated[
        float | None,
        typer.Option("--duration", metavar="SECONDS", help="How long the move of --plot takes."),
    ] = None,
) -> None:
    """Find joint positions that bring the tool to a point, or with --rpy to a pose.

    Starts from the initial configuration. The exit code is 1 where the target is not reached; the
    closest configuration is printed all the same. --plot saves the move.
    """
    from horus_sim.errors import ArmError
    from horus_sim.tf import Transform

    loaded = chain.load(arm)
    if plot is not None and duration is None:
        _check_speeds(loaded)
    target: object = (x, y, z)
    if rpy is not None:
        try:
            roll, pitch, yaw = (radians(float(part)) for part in rpy.split(","))
        except ValueError as error:
            raise ArmError(f"--rpy is '{rpy}'; write three numbers such as 0,90,0") from error
        target = Transform.from_euler((x, y, z), (roll, pitch, yaw))
    answer = loaded.ik(target, start=loaded.initial, method=method)  # pyright: ignore[reportArgumentType]
    typer.echo(answer.reason)
    rows = []
    for name, value in zip(loaded.joint_names, answer.q.tolist(), strict=True):
        scale, unit = _display(loaded, name)
        note = "at its limit" if name in answer.limits_active else ""
        rows.append((name, f"{value * scale:z.4f}", unit, note))
    print_table(("joint", "position", "unit", ""), rows)
    typer.echo(
        f"position error {answer.position_error:.3e} m, rotation error {answer.rotation_error:.3e} "
        f"rad, {answer.iterations} iterations, {answer.starts} starts"
    )
    if plot is not None:
        from horus_sim.arm import plan_quintic
        from horus_sim.arm.plot import plot_trajectory

        move = plan_quintic(loaded, loaded.initial, answer.q, duration=duration)
        plot_trajectory(loaded, move, plot)
        typer.echo(f"move saved as {plot}")
    raise typer.Exit(0 if answer.success else 1)


@app.command()
def sweep(
    arm: ArmArgument = DEFAULT_ARM,
    *,
    chain: ChainOptions,
    steps: Annotated[
        int, typer.Option("--steps", min=2, max=1_000_000, help="Number of points.")
    ] = 50,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Save all points as CSV.")
    ] = None,
    plot: PlotOption = None,
) -> None:
    """Move every joint from its lower to its upper limit, and print where the tool goes."""
    from horus_sim.arm import build_range_trajectory

    loaded = chain.load(arm)
    trajectory = build_range_trajectory(loaded, steps)
    points = loaded.fk_batch(trajectory.q)[:, :3, 3]
    rows = [
        (f"{time:.3f}", *(f"{value:z.4f}" for value in point))
        for time, point in zip(trajectory.times.tolist(), points.tolist(), strict=True)
    ]
    print_table(("time [s]", "x [m]", "y [m]", "z [m]"), rows)
    if output is not None:
        _write(output, trajectory.to_csv())
        typer.echo(f"{steps} points saved as {output}")
    if plot is not None:
        from horus_sim.arm.plot import plot_trajectory

        plot_trajectory(loaded, trajectory, plot)
        typer.echo(f"trajectory saved as {plot}")


@app.command()
def verify(
    arms: Annotated[
        list[str] | None,
        typer.Argument(metavar="ARM...", help="Arms to check; all shipped ones by default."),
    ] = None,
    *,
    chain: ChainOptions,
    pybullet: Annotated[
        bool, typer.Option("--pybullet", help="Drive it in PyBullet too (extra [pybullet]).")
    ] = False,
) -> None:
    """Load the exported arm in a simulator, drive it there, and compare its tool with fk.

    A static check sets joint positions and compares: it is about kinematics alone. A dynamic one
    moves the arm with the masses and drives that the export invents. The exit code is 1 where a
    simulator disagrees.
    """
    from horus_sim.arm import arm_names
    from horus_sim.arm.verify import verify_mujoco

    rows = []
    failed = {"static": 0, "dynamic": 0}
    for name in arms or arm_names():
        loaded = chain.load(name)
        with progress(f"simulating {loaded.name}"):
            checks = verify_mujoco(loaded)
            if pybullet:
                from horus_sim.arm.verify_pybullet import verify_pybullet

                checks += verify_pybullet(loaded)
        for check in checks:
            failed[check.kind] += not check.agrees
            rows.append(
                (
                    loaded.name,
                    check.simulator,
                    check.model,
                    check.kind,
                    check.what,
                    f"{check.error_m:.2e}",
                    f"{check.allowed_m:.0e}",
                    "agrees" if check.agrees else "DISAGREES",
                )
            )
    headings = ("arm", "simulator", "model", "kind", "compared", "error [m]", "allowed [m]", "")
    print_table(headings, rows)
    if failed["static"]:
        typer.echo(
            f"static: {failed['static']} disagree; the kinematics or the export is wrong", err=True
        )
    if failed["dynamic"] and not failed["static"]:
        typer.echo(
            f"dynamic: {failed['dynamic']} disagree, while the static checks agree: the kinematics "
            "is right, but the drives and masses that the export invents do not suit this arm",
            err=True,
        )
    elif failed["dynamic"]:
        typer.echo(f"dynamic: {failed['dynamic']} disagree", err=True)
    raise typer.Exit(1 if any(failed.values()) else 0)


@app.command()
def export(
    arm: ArmArgument,
    output: Annotated[Path, typer.Argument(metavar="FILE", help="Ends in .urdf or .xml (MJCF).")],
    *,
    chain: ChainOptions,
) -> None:
    """Save an arm as URDF or MJCF, with the numbers of its file unrounded."""
    from horus_sim.arm import to_mjcf, to_urdf
    from horus_sim.errors import ArmError

    writers = {".urdf": to_urdf, ".xml": to_mjcf}
    if output.suffix not in writers:
        raise ArmError(f"'{output}' ends neither in .urdf nor in .xml (MJCF); rename it")
    _write(output, writers[output.suffix](chain.load(arm)))
    typer.echo(f"saved as {output}")


def _write(path: Path, text: str) -> None:
    from horus_sim.errors import ArmError
    from horus_sim.files.whole_file import write_whole

    remedy = "name a file in a folder that exists and that you may write to"
    write_whole(path, text, ArmError, remedy)


def _check_speeds(arm: Arm) -> None:
    from horus_sim.errors import ArmError

    for joint in arm.description.joints:
        if joint.max_velocity is None:
            raise ArmError(
                f"{joint.name} of '{arm.name}' has no velocity limit; add --duration, the seconds "
                "that the move of --plot takes"
            )


def _display(arm: Arm, joint_name: str) -> tuple[float, str]:
    """Factor and unit in which a joint's position is shown."""
    joint = arm.description.joints[arm.joint_names.index(joint_name)]
    return (1.0, "m") if joint.is_prismatic else (degrees(1.0), "deg")


def _configuration(arm: Arm, positions: list[float] | None) -> list[float]:
    from horus_sim.errors import ArmError

    if not positions:
        return arm.initial.tolist()
    if len(positions) != arm.dof:
        raise ArmError(
            f"{len(positions)} positions for the {arm.dof} joints of '{arm.name}'; give one for "
            f"each of {', '.join(arm.joint_names)}"
        )
    pairs = zip(arm.joint_names, positions, strict=True)
    return [value / _display(arm, name)[0] for name, value in pairs]


def _print_frames(arm: Arm, q: list[float]) -> None:
    rows = []
    frames = arm.frames(q)[:, :3, 3].tolist()
    for name, value, point in zip(arm.joint_names, q, frames, strict=False):
        scale, unit = _display(arm, name)
        rows.append((name, f"{value * scale:z.3f} {unit}", *(f"{v:z.6f}" for v in point)))
    tool = arm.fk(q)
    rows.append(("tool", "", *(f"{v:z.6f}" for v in tool.translation)))
    print_table(("frame", "position", "x [m]", "y [m]", "z [m]"), rows)
    quaternion = ", ".join(f"{v:z.6f}" for v in tool.rotation)
    rpy = ", ".join(f"{degrees(v):z.3f}" for v in tool.to_euler())
    typer.echo(f"end effector rotation: xyzw ({quaternion}), rpy ({rpy}) deg")

"""`horus-sim robot`: check, describe and convert robot files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.options import Commands
from horus_sim.cli.terminal import print_table, progress
from horus_sim.files.printable import printable

if TYPE_CHECKING:
    from horus_sim.robots.robot import Robot

app = Commands(name="robot")

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="URDF, xacro or MJCF file, or a shipped robot's name.")
]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a robot is read."""

    package_root: Annotated[
        list[Path] | None,
        typer.Option("--package-root", metavar="FOLDER", help="Folder that holds ROS packages."),
    ] = None
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Leave out collision meshes that are missing.")
    ] = False
    arg: Annotated[
        list[str] | None,
        typer.Option("--arg", metavar="NAME=VALUE", help="Value of a xacro argument."),
    ] = None

    def load(self, file: str) -> Robot:
        """Loads a robot from a file, or a shipped one."""
        from horus_sim.robots.robot import load_robot

        given: dict[str, str] = {}
        for argument in self.arg or ():
            name, equals, value = argument.partition("=")
            if not equals or not name:
                raise typer.BadParameter(f"'{argument}' is not NAME=VALUE", param_hint="--arg")
            given[name] = value
        roots = self.package_root or ()
        return load_robot(
            file, package_roots=roots, xacro_args=given, allow_missing=self.allow_missing
        )


@app.command()
def check(
    file: FileArgument,
    *,
    strict: Annotated[bool, typer.Option("--strict", help="Count remarks as errors.")] = False,
    options: ReadOptions,
) -> None:
    """Load a robot with all its meshes and print what was repaired, assumed or left out.

    The exit code is 0 when it can be used, 1 otherwise; with --strict also for warnings and
    repairs.
    """
    from horus_sim.robots.mesh.checking import check_meshes
    from horus_sim.robots.report import NoteKind
    from horus_sim.sim3d.compile.robot.robot import check_size

    robot = options.load(file)
    # The reader of MJCF has limits of its own.
    if robot.mjcf is None:
        check_size(robot.description, robot.name)
    with progress(f"reading the meshes of {robot.name}"):
        meshes = check_meshes(robot.links, robot.report)
    for note in robot.report:
        typer.echo(printable(note))
    counts = {kind: len(robot.report.of(kind)) for kind in NoteKind}
    wrong = counts[NoteKind.WARNING] + counts[NoteKind.REPAIR]
    remarks = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count) or "none"
    typer.echo(
        f"{printable(robot.name)}: {len(robot.links)} links, {len(robot.joint_names)} moving "
        f"joints, {meshes} meshes, base {robot.base}; remarks: {remarks}"
    )
    raise typer.Exit(1 if strict and wrong else 0)


@app.command()
def info(
    file: FileArgument,
    *,
    options: ReadOptions,
) -> None:
    """Print the links and joints of a robot, with masses and limits."""
    robot = options.load(file)
    masses = {
        name: link.inertial.mass if link.inertial is not None else 0.0
        for name, link in robot.links.items()
    }
    total = sum(masses.values())
    typer.echo(f"{printable(robot.name)}: {total:.6g} kg, base {robot.base}\n")
    print_table(
        ("link", "mass [kg]", "visuals", "collisions"),
        [
            (name, f"{masses[name]:.6g}", len(link.visuals), len(link.collisions))
            for name, link in robot.links.items()
        ],
    )
    typer.echo("")
    print_table(
        ("joint", "type", "parent", "child", "lower", "upper", "effort", "velocity"),
        [
            (
                name,
                f"{joint.kind} of {joint.mimic.joint}" if joint.mimic else joint.kind,
                joint.parent,
                joint.child,
                *map(
                    _bound,
                    (
                        joint.limit.lower,
                        joint.limit.upper,
                        joint.limit.effort,
                        joint.limit.velocity,
                    ),
                ),
            )
            for name, joint in robot.joints.items()
        ],
    )


@app.command()
def convert(
    file: FileArgument,
    *,
    to: Annotated[str, typer.Option("--to", metavar="mjcf|urdf", help="Format to write.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="File to write.")],
    copy_meshes: Annotated[
        bool, typer.Option("--copy-meshes", help="URDF: write the meshes beside it, as STL.")
    ] = False,
    options: ReadOptions,
) -> None:
    """Write a robot in another format."""
    if to not in ("mjcf", "urdf"):
        raise typer.BadParameter(f"'{to}' is not a format; choose mjcf or urdf", param_hint="--to")
    robot = options.load(file)
    if to == "urdf":
        from horus_sim.robots.urdf.writing import write_urdf

        write_urdf(robot.description, output, copy_meshes=copy_meshes)
    else:
        from horus_sim.sim3d.compile.robot.mjcf_file import write_mjcf

        write_mjcf(robot, output)
    typer.echo(f"wrote {output}")


def _bound(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"

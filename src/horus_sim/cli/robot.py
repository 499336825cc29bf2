"""`horus-sim robot`: find, check, describe, show and convert robots."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.options import Commands
from horus_sim.cli.page_options import PageOptions, serve
from horus_sim.cli.terminal import print_table, progress, time_bar
from horus_sim.files.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from horus_sim.robots import NamedRobot
    from horus_sim.robots.robot import Robot

app = Commands(name="robot")

FileArgument = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A name, see `robot list`; a URDF, xacro or MJCF file; a folder or zip with one.",
    ),
]
CheckedArgument = Annotated[
    str, typer.Argument(metavar="ROBOT", help="As for `robot info`, or an SDF model or world.")
]
_SDF_SUFFIXES = (".sdf", ".world")


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
    collide_visuals: Annotated[
        bool,
        typer.Option(
            "--collide-visuals", help="Links without collision shapes touch as they look."
        ),
    ] = False
    arg: Annotated[
        list[str] | None,
        typer.Option("--arg", metavar="NAME=VALUE", help="Value of a xacro argument."),
    ] = None

    def load(self, file: str) -> Robot:
        """Loads a robot by its name or from a file."""
        from horus_sim.robots.robot import load_robot

        given: dict[str, str] = {}
        for argument in self.arg or ():
            name, equals, value = argument.partition("=")
            if not equals or not name:
                raise typer.BadParameter(f"'{argument}' is not NAME=VALUE", param_hint="--arg")
            given[name] = value
        roots = self.package_root or ()
        return load_robot(
            file,
            package_roots=roots,
            xacro_args=given,
            allow_missing=self.allow_missing,
            collide_visuals=self.collide_visuals,
        )


@app.command(name="list")
def list_robots() -> None:
    """List the robots that have a name here: ours, and those of folders and installed packages.

    Folders are named by HORUS_ROBOTS, a copy of the MuJoCo Menagerie by MENAGERIE_ROOT.
    """
    from horus_sim.robots import known_robots

    with progress("looking for robots"):
        robots = known_robots()
    _say_absent_folders()
    _print_robots(robots)


@app.command()
def search(text: Annotated[str, typer.Argument(metavar="TEXT", help="Part of a name.")]) -> None:
    """List the robots that have a text in their name, source or folder.

    The exit code is 1 when there is none.
    """
    from horus_sim.robots.finding.catalog import search_robots

    with progress("looking for robots"):
        robots = search_robots(text)
    _say_absent_folders()
    if not robots:
        typer.echo(
            f"no robot has '{printable(text)}' in its name; `robot list` shows all", err=True
        )
        raise typer.Exit(1)
    _print_robots(robots)


@app.command()
def check(
    file: CheckedArgument,
    *,
    strict: Annotated[bool, typer.Option("--strict", help="Count remarks as errors.")] = False,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            metavar="PNG",
            help="Draw looks, collision shapes, inertia and joint axes into a file.",
            show_default=False,
        ),
    ] = None,
    options: ReadOptions,
) -> None:
    """Build a world of a robot and print what was repaired, assumed or left out.

    The exit code is 0 when it can be used, 1 otherwise; with --strict also for warnings and
    repairs.
    """
    from horus_sim.cli.robot_check import check_picture, check_robot, check_sdf

    if picture is not None:
        check_picture(picture)
    if Path(file).suffix.lower() in _SDF_SUFFIXES:
        check_sdf(Path(file), options.package_root or (), picture, strict=strict)
    else:
        check_robot(options.load(file), picture, strict=strict)


@app.command()
def view(file: CheckedArgument, *, page: PageOptions, options: ReadOptions) -> None:
    """Show a robot in the browser, on an empty plane, or an SDF model or world as it is."""
    from horus_sim.sim3d import World
    from horus_sim.ui.serving import open_site

    with progress(f"loading {file}"):
        if Path(file).suffix.lower() in _SDF_SUFFIXES:
            world = World.load(file, package_roots=options.package_root or ())
        else:
            robot = options.load(file)
            world = World.load("empty_world")
            world.spawn(robot)
    with open_site() as site:
        # Only where NiceGUI is installed, as `open_site` finds out.
        from horus_sim.ui.world.model.session import WorldSessions

        WorldSessions.of(site).open(world)
        serve(page.server(site), file)


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
def grasp(
    file: FileArgument,
    *,
    duration: Annotated[
        float, typer.Option("--duration", metavar="SECONDS", min=0.1, help="Simulated time.")
    ] = 60.0,
    size: Annotated[
        float | None,
        typer.Option(
            "--size",
            metavar="METRES",
            min=1e-3,
            help="Edge of the cube; half of the gripper's width unless given.",
            show_default=False,
        ),
    ] = None,
    mass: Annotated[
        float, typer.Option("--mass", metavar="KG", min=1e-4, help="Mass of the cube.")
    ] = 0.1,
    impratio: Annotated[
        float, typer.Option("--impratio", min=0.01, help="How stiff friction is, as in scenes.")
    ] = 10.0,
    options: ReadOptions,
) -> None:
    """Hold a cube between the fingers of a robot, and print how it creeps and sinks in.

    Where it is lost or creeps by more than a millimetre, the setting is named that lets it slip.
    The exit code is 0 when it was held, 1 when it was lost.
    """
    from horus_sim.sim3d import PhysicsConfig
    from horus_sim.sim3d.trials.grasp import GraspConfig, try_grasp

    robot = options.load(file)
    physics = PhysicsConfig(impratio=impratio)
    config = GraspConfig(size=size, mass=mass, duration=duration, physics=physics)
    with time_bar(f"{robot.name} holds a cube", duration) as show:
        report = try_grasp(robot, config, show)
    name = printable(robot.name)
    verdict = f"held for {report.duration:.4g} s"
    if not report.is_held:
        verdict = f"lost after {report.duration:.4g} s" if report.duration else "lost at once"
    typer.echo(
        f"{name}: a cube of {1e3 * report.size:.4g} mm and {report.mass:.4g} kg is {verdict}\n"
        f"creep: {1e3 * report.creep:.4g} mm, {1e6 * report.rate:.3g} um/s in the second half, "
        f"turned by {math.degrees(report.turn):.3g} deg\n"
        f"penetration: {1e3 * report.penetration:.4g} mm\n"
        f"grip: {report.force:.4g} N times friction {report.friction:.4g} holds "
        f"{report.capacity:.4g} N; the cube weighs {report.load:.4g} N"
    )
    if report.remedy:
        typer.echo(f"slips: {report.slips or 'unknown'}: {report.remedy}")
    raise typer.Exit(0 if report.is_held else 1)


@app.command()
def convert(
    file: FileArgument,
    *,
    to: Annotated[str, typer.Option("--to", metavar="mjcf|sdf|urdf", help="Format to write.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="File to write.")],
    copy_meshes: Annotated[
        bool,
        typer.Option("--copy-meshes", help="SDF, URDF: write the meshes beside it, as STL."),
    ] = False,
    options: ReadOptions,
) -> None:
    """Write a robot in another format."""
    if to not in ("mjcf", "sdf", "urdf"):
        text = f"'{to}' is not a format; choose mjcf, sdf or urdf"
        raise typer.BadParameter(text, param_hint="--to")
    robot = options.load(file)
    if to == "urdf":
        from horus_sim.robots.urdf.writing import write_urdf

        write_urdf(robot.description, output, copy_meshes=copy_meshes)
    elif to == "sdf":
        from horus_sim.robots.sdf.writing.robot import write_sdf

        held = robot.base == "fixed"
        write_sdf(robot.description, output, held=held, copy_meshes=copy_meshes)
    else:
        from horus_sim.sim3d.compile.robot.mjcf_file import write_mjcf

        write_mjcf(robot, output)
    typer.echo(f"wrote {output}")


def _print_robots(robots: Iterable[NamedRobot]) -> None:
    shown = sorted(robots, key=lambda robot: robot.address.casefold())
    print_table(
        ("name", "format", "source"),
        [(robot.address, robot.format, robot.source) for robot in shown],
    )


def _say_absent_folders() -> None:
    from horus_sim.robots.finding.sources import absent_folders

    for text in absent_folders():
        typer.echo(f"warning: {printable(text)}", err=True)


def _bound(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"

"""`horus-sim robot check`: what reading a robot and building a world of it mends or leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from horus_sim.cli.terminal import progress
from horus_sim.files.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from horus_sim.robots.description import Link
    from horus_sim.robots.report import Report
    from horus_sim.robots.robot import Robot
    from horus_sim.sim3d import World


def check_robot(robot: Robot, picture: Path | None, *, strict: bool) -> None:
    """Builds a world of a robot, prints what was found and ends with the exit code.

    Args:
        robot: The robot.
        picture: Where a picture goes, if anywhere.
        strict: Whether warnings and repairs count as errors.
    """
    from horus_sim.sim3d import World

    with progress(f"building a world of {robot.name}"):
        world = World.from_robot(robot)
    if picture is not None:
        _draw(world, picture)
    _print_verdict(
        f"{robot.name}: {len(robot.links)} links, {len(robot.joint_names)} moving "
        f"joints, {_count_meshes(robot.links.values())} meshes, base {robot.base}",
        world.report,
        strict=strict,
    )


def check_sdf(
    path: Path, package_roots: Iterable[Path], picture: Path | None, *, strict: bool
) -> None:
    """Builds a world of an SDF file, prints what was found and ends with the exit code.

    Args:
        path: The file.
        package_roots: Folders, beside that of the file, from which its files may come.
        picture: Where a picture goes, if anywhere.
        strict: Whether warnings and repairs count as errors.
    """
    from horus_sim.robots.description import JointType
    from horus_sim.robots.sdf.reading import load_sdf
    from horus_sim.sim3d import World

    roots = tuple(package_roots)
    with progress(f"building a world of {path.name}"):
        loaded = load_sdf(path, roots=roots)
        world = World.load(path, package_roots=roots)
    report = loaded.report
    report.notes.extend(note for note in world.report if note not in report.notes)
    if picture is not None:
        _draw(world, picture)
    models = (*loaded.models, *(model for each in loaded.worlds for model in each.models))
    trees = loaded.descriptions
    links = sum(len(tree.links) for tree in trees)
    joints = sum(joint.kind is not JointType.FIXED for tree in trees for joint in tree.joints)
    meshes = sum(_count_meshes(tree.links) for tree in trees)
    sensors = sum(len(model.sensors) for model in models)
    _print_verdict(
        f"{path.name}: {len(loaded.worlds)} worlds, {len(models)} models, {links} links, {joints} "
        f"moving joints, {sensors} sensors, {meshes} meshes",
        report,
        strict=strict,
    )


def check_picture(path: Path) -> None:
    """Finds out before long work whether a picture can be drawn and written."""
    from horus_sim.errors import RenderError
    from horus_sim.files.whole_file import check_writable
    from horus_sim.sim3d.rendering.gl import choose_backend

    if path.suffix.lower() != ".png":
        raise typer.BadParameter(f"'{path}' does not end in .png", param_hint="--picture")
    check_writable(path, RenderError)
    choose_backend()


def _count_meshes(links: Iterable[Link]) -> int:
    from horus_sim.robots.description import Mesh

    shapes = (shape.geometry for link in links for shape in (*link.collisions, *link.visuals))
    return len({geometry for geometry in shapes if isinstance(geometry, Mesh)})


def _draw(world: World, path: Path) -> None:
    """Writes a picture of a world's robots."""
    from PIL import Image

    from horus_sim.errors import RenderError
    from horus_sim.files.whole_file import whole_file
    from horus_sim.sim3d.rendering.robot_panels import draw_panels

    with progress(f"drawing {path.name}"):
        pixels = draw_panels(world.model, world.forward())
    with whole_file(path, RenderError) as stream:
        Image.fromarray(pixels).save(stream, "PNG")
    typer.echo(f"wrote {path}")


def _print_verdict(summary: str, report: Report, *, strict: bool) -> None:
    """Prints remarks and a summary, and ends with the exit code."""
    from horus_sim.robots.report import NoteKind

    for note in report:
        typer.echo(printable(note))
    counts = {kind: len(report.of(kind)) for kind in NoteKind}
    wrong = counts[NoteKind.WARNING] + counts[NoteKind.REPAIR]
    remarks = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count) or "none"
    typer.echo(f"{printable(summary)}; remarks: {remarks}")
    raise typer.Exit(1 if strict and wrong else 0)

"""`horus-sim sim3d`, also `sim3d`: run a scene, list the shipped ones, check a file."""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.gaits import offer_policies
from horus_sim.cli.options import Commands
from horus_sim.cli.page_options import PageOptions, refuse_page_options, serve
from horus_sim.cli.run_options import RunOptions, told_join
from horus_sim.cli.terminal import print_table, progress, time_bar
from horus_sim.files.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.running import Loop
    from horus_sim.running.joining import Joined
    from horus_sim.sim3d import World

app = Commands(name="sim3d")

_DEFAULT = "warehouse"
_DURATION_S = 10.0
_INTERRUPTED = 130
_MOST_CONTACTS = 5
_MOST_NOTES = 10
_WITHOUT_PAGE = {"headless", "dataset"}

SceneArgument = Annotated[
    str, typer.Argument(metavar="SCENE", help="A shipped scene, or a YAML, JSON or SDF file.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a value: physics.timestep=0.002."),
]
RootOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--root", "--package-root", metavar="FOLDER", help="Folder from which files may come, too."
    ),
]


@app.command()
def run(
    context: typer.Context,
    scene: SceneArgument = _DEFAULT,
    *,
    headless: Annotated[bool, typer.Option("--headless", help="Without a page.")] = False,
    visual: Annotated[  # noqa: ARG001 - the default, and asked about by name
        bool, typer.Option("--visual", help="As a page in the browser; so unless --headless.")
    ] = False,
    page: PageOptions,
    options: RunOptions,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the random numbers.")] = 0,
    robot: Annotated[
        list[str] | None,
        typer.Option("--robot", metavar="FILE", help="Put this robot into the scene, too."),
    ] = None,
    overrides: SetOption = None,
    root: RootOption = None,
    record_images: Annotated[
        str | None,
        typer.Option(
            "--record-images",
            metavar="raw|png|jpeg",
            help="How --record packs pictures: raw unless given; jpeg loses some detail.",
            show_default=False,
        ),
    ] = None,
    video: Annotated[
        Path | None,
        typer.Option(
            "--video", metavar="FILE", help="Film to an .mp4 or .gif.", show_default=False
        ),
    ] = None,
    camera: Annotated[
        str | None,
        typer.Option(
            "--camera",
            metavar="NAME",
            help="Camera of --video and --dataset; --video shows the whole without it.",
            show_default=False,
        ),
    ] = None,
    dataset: Annotated[
        Path | None,
        typer.Option(
            "--dataset",
            metavar="FOLDER",
            help="Export pictures with depth, labels and poses.",
            show_default=False,
        ),
    ] = None,
    frames: Annotated[int, typer.Option("--frames", min=1, help="Pictures of --dataset.")] = 100,
    every: Annotated[
        float,
        typer.Option("--every", metavar="SECONDS", help="Time between two pictures of --dataset."),
    ] = 0.1,
) -> None:
    """Run a scene: as a page in the browser and on topics for nodes, or headless for a while.

    It is a page unless --headless or --dataset is given. A page comes with topics of the session;
    headless, --url, --session or --net put the world on topics. Recordings, videos and live views
    go with either.
    """
    from horus_sim.robots import load_robot
    from horus_sim.running import Loop
    from horus_sim.sim3d import World
    from horus_sim.sim3d.recording import DatasetConfig, export_dataset

    duration = options.duration
    _check_options(duration, every, camera, video=video is not None, dataset=dataset is not None)
    if record_images is not None and options.record is None:
        raise typer.BadParameter("--record-images is about --record; add it")
    has_page = not headless and dataset is None
    wishes = options.wishes(has_page=has_page, images=record_images)
    if not has_page:
        refuse_page_options(context, _WITHOUT_PAGE)
    with progress(f"loading {scene}"):
        offer_policies()
        world = World.load(scene, seed=seed, overrides=overrides or (), package_roots=root or ())
        for file in robot or ():
            load_robot(file)  # a wrong one is found before anything is opened
    if dataset is not None:
        duration = (frames - 1) * every
    elif duration is None and not wishes.is_attended:
        duration = _DURATION_S
    started = time.perf_counter()
    interrupted = False
    with ExitStack() as stack:
        joined = stack.enter_context(told_join(world, wishes))
        for name in robot or ():
            joined.running.spawn(name)
        film = partial(_film, joined, stack, video, camera)
        loop = Loop(joined.running, speed=options.speed(wishes), duration=duration)
        try:
            if has_page:
                _serve(loop, joined, film, page)
            else:
                film(world)
                with time_bar(world.scene.name, duration) as show:

                    def advance(_: int) -> None:
                        show(joined.running.simulated_time)

                    loop.on_steps.append(advance)
                    if dataset is None:
                        loop.run()
                    else:
                        config = DatasetConfig(camera=camera, frames=frames, every=every)
                        count = export_dataset(world, dataset, config, advance, joined.running.step)
                        joined.summaries.append(lambda: f"exported {count} pictures to {dataset}")
        except KeyboardInterrupt:
            interrupted = True
    if not has_page:
        _summarize(world, joined.running.simulated_time, time.perf_counter() - started)
    for summary in joined.summaries:
        typer.echo(printable(summary()))
    if interrupted or joined.has_failed:
        raise typer.Exit(_INTERRUPTED if interrupted else 1)


@app.command(name="list")
def list_scenes() -> None:
    """List the shipped scenes."""
    from horus_sim.sim3d.scene.reading import read_scene, scene_names, scene_path

    rows = []
    for name in scene_names():
        scene = read_scene(scene_path(name))
        robots = ", ".join(robot.model for robot in scene.robots) or "-"
        rows.append((name, robots, len(scene.objects), scene.description))
    print_table(("scene", "robots", "objects", "description"), rows)


@app.command()
def validate(scene: SceneArgument, *, overrides: SetOption = None, root: RootOption = None) -> None:
    """Check a scene with all it includes, and build it once.

    The exit code is 0 when it can be run, 1 otherwise.
    """
    from horus_sim.sim3d import World

    with progress(f"checking {scene}"):
        world = World.load(scene, overrides=overrides or (), package_roots=root or ())
    _print_notes(world)
    typer.echo(
        f"{printable(scene)}: {len(world.robots)} robots, {len(world.objects)} objects, "
        f"{len(world.tf.get_all_frames())} frames, {world.timestep:.6g} s a step: sound"
    )


def _check_options(
    duration: float | None, every: float, camera: str | None, *, video: bool, dataset: bool
) -> None:
    """Refuses values and combinations that would be ignored or make no sense."""
    if not (math.isfinite(every) and every > 0):
        raise typer.BadParameter(f"--every must be more than 0 seconds, got {every}")
    if camera is not None and not (video or dataset):
        raise typer.BadParameter("--camera is that of --video or --dataset; add one of them")
    if duration is not None and dataset:
        raise typer.BadParameter(
            "--duration does not go with --dataset, whose length is --frames times --every"
        )


def _film(
    joined: Joined, stack: ExitStack, path: Path | None, camera: str | None, world: World
) -> None:
    """Begins the video, if there is to be one; in the thread that steps the world."""
    if path is None:
        return
    from horus_sim.sim3d.recording import VideoConfig, VideoRecorder

    film = stack.enter_context(VideoRecorder(world, path, VideoConfig(camera=camera)))
    joined.running.observers.append(film.after_step)
    film.after_step(world)
    joined.summaries.append(film.summary)
    joined.failures.append(lambda: film.error)


def _serve(
    loop: Loop[World], joined: Joined, film: Callable[[World], None], page: PageOptions
) -> None:
    """Shows a running world in the browser until its time is over, or until Ctrl-C."""
    from horus_sim.ui.serving import open_site
    from horus_sim.ui.world.model.session import WorldSessions

    site = open_site(log=loop.log)
    server = page.server(site)
    # Before the first step: a short run may be over before the server runs.
    loop.on_end.append(server.stop)
    filmed = loop.call(film)
    with site:
        WorldSessions.of(site).open(loop, no_topics=joined.no_topics)
        filmed.result()
        serve(server, joined.running.exchange.name)


def _summarize(world: World, simulated_s: float, passed_s: float) -> None:
    """Prints how a run ended.

    Args:
        world: The world.
        simulated_s: Simulated time [s], of all runs if the world was reset meanwhile.
        passed_s: Time [s] that passed on the wall.
    """
    factor = f"{simulated_s / passed_s:.1f}" if passed_s > 0 else "-"
    typer.echo(
        f"{printable(world.scene.name)}: {simulated_s:.3f} s simulated in {passed_s:.3f} s, "
        f"real-time factor {factor}"
    )
    rows = []
    moving = [item for item in world.objects.values() if item.is_dynamic or item.motion]
    for kind, things in (("robot", world.robots.values()), ("object", moving)):
        for thing in things:
            numbers = (*thing.pose.translation, *thing.pose.to_euler())
            # Adding zero turns -0 into 0.
            shown = (f"{round(float(number), 3) + 0.0:.3f}" for number in numbers)
            rows.append((kind, thing.name, *shown))
    if rows:
        headings = ("", "name", "x [m]", "y [m]", "z [m]", "roll", "pitch", "yaw [rad]")
        print_table(headings, rows)
    _print_contacts(world)
    warnings = ", ".join(f"{name} {count} times" for name, count in world.warnings.items())
    typer.echo(f"warnings: {warnings or 'none'}")
    _print_notes(world)


def _print_contacts(world: World) -> None:
    pairs: dict[tuple[str, str], float] = {}
    for contact in world.contacts:
        pairs[contact.bodies] = pairs.get(contact.bodies, 0.0) + contact.normal_force
    typer.echo(f"contacts: {len(pairs)} pairs touch")
    strongest = sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_CONTACTS]
    for (first, second), force in strongest:
        typer.echo(f"  {printable(first)} and {printable(second)}: {force:.2f} N")


def _print_notes(world: World) -> None:
    from horus_sim.robots.report import NoteKind

    shown = [*world.report.of(NoteKind.WARNING), *world.report.of(NoteKind.REPAIR)]
    for note in shown[:_MOST_NOTES]:
        typer.echo(printable(note), err=True)
    if len(shown) > _MOST_NOTES:
        typer.echo(f"... and {len(shown) - _MOST_NOTES} more remarks", err=True)

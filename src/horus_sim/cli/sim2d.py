"""`horus-sim sim2d`: run, list, make and check scenarios of the 2D simulator."""

from __future__ import annotations

import time
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horus_sim.cli.options import Commands
from horus_sim.cli.page_options import PageOptions, refuse_page_options, serve
from horus_sim.cli.run_options import RunOptions, told_join
from horus_sim.cli.terminal import print_table, progress, time_bar
from horus_sim.files.printable import printable
from horus_sim.installation import command

if TYPE_CHECKING:
    from horus_sim.running.joining import Wishes
    from horus_sim.sim2d import Simulator

app = Commands(name="sim2d")

_DEFAULT = "line_follower"
_TEMPLATE = "line_follower"
_BENCH_WORLDS = 1024
_DURATION_S = 30.0

ScenarioArgument = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="Name of a shipped scenario, or its folder.")
]


@app.command()
def run(
    context: typer.Context,
    scenario: ScenarioArgument = _DEFAULT,
    *,
    headless: Annotated[
        bool,
        typer.Option("--headless", help="Without a page, as with --duration, --log, --picture."),
    ] = False,
    options: RunOptions,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Seed of the random numbers; else the scenario's own."),
    ] = None,
    log: Annotated[
        Path | None, typer.Option("--log", help="Write all signals: FILE.csv or FILE.parquet.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Draw the path: FILE.svg or FILE.png.")
    ] = None,
    empty: Annotated[bool, typer.Option("--empty", help="Leave out the terrain.")] = False,
    page: PageOptions,
) -> None:
    """Run a scenario: as a page in the browser and on topics for nodes, or headless for a while.

    It is a page unless --headless, --duration, --log or --picture is given. A page comes with
    topics of the session; headless, --url, --session or --net put the world on topics.
    """
    has_page = not (headless or options.duration is not None or log or picture)
    wishes = options.wishes(has_page=has_page)
    if has_page:
        _serve(scenario, seed, page, wishes, empty=empty)
        return
    refuse_page_options(context, {"headless", "duration", "log", "picture"})
    _check_files(log, picture)
    duration = options.duration
    if duration is None and not wishes.is_attended:
        duration = _DURATION_S
    pace = (duration, options.speed(wishes))
    _run(scenario, seed, wishes, pace, (log, picture), empty=empty)


def _check_files(log: Path | None, picture: Path | None) -> None:
    """Refuses files that could not be written at the end."""
    from horus_sim.errors import MissingExtraError, Sim2dError
    from horus_sim.files.whole_file import check_writable

    for path, endings in ((log, (".csv", ".parquet")), (picture, (".svg", ".png"))):
        if path is not None and path.suffix not in endings:
            raise Sim2dError(f"'{path}' must end in {' or '.join(endings)}")
        if path is not None:
            if path.suffix == ".parquet" and find_spec("pyarrow") is None:
                raise MissingExtraError("pyarrow", "parquet")
            check_writable(path, Sim2dError)


def _run(
    scenario: str,
    seed: int | None,
    wishes: Wishes,
    pace: tuple[float | None, float | None],
    files: tuple[Path | None, Path | None],
    *,
    empty: bool,
) -> None:
    """Runs a scenario without a page, and prints how it ended."""
    from horus_sim.running import Loop
    from horus_sim.sim2d import Simulator
    from horus_sim.sim2d.simulation.recorder import Recorder, write_picture

    duration, speed = pace
    log, picture = files
    sim = Simulator.load(scenario, seed, ignore_terrain=empty)
    _tell_idle_robots(sim)
    recorder = Recorder(sim)
    is_stopped = False
    start = time.perf_counter()
    with told_join(sim, wishes) as joined, time_bar(scenario, duration) as show:
        if log is not None or picture is not None:
            joined.running.observers.append(recorder)
        loop = Loop(joined.running, speed=speed, duration=duration)
        loop.on_steps.append(lambda _: show(joined.running.simulated_time))
        # A controller that fails ends the run.
        loop.on_held_up.append(loop.stop)
        try:
            loop.run()
        except KeyboardInterrupt:
            # What was simulated so far is worth keeping.
            is_stopped = True
    spent = max(time.perf_counter() - start, 1e-9)
    if log is not None:
        recorder.write(log)
    if picture is not None:
        write_picture(recorder, sim, picture)
    for warning in sim.warnings:
        typer.echo(f"warning: {warning.text} ({warning.count} times)", err=True)
    rows = [
        (ident, *(f"{value:.3f}" for value in robot.pose)) for ident, robot in sim.robots.items()
    ]
    print_table(("robot", "x [m]", "y [m]", "theta [rad]"), rows)
    typer.echo(
        f"{sim.time:.2f} s simulated in {spent:.2f} s ({sim.time / spent:.0f} times as fast)"
    )
    for summary in joined.summaries:
        typer.echo(printable(summary()))
    if sim.error is not None:
        typer.echo(sim.error.traceback_text, err=True)
        raise sim.error
    if joined.has_failed:
        raise typer.Exit(1)
    if is_stopped:
        raise KeyboardInterrupt


def _serve(
    scenario: str, seed: int | None, page: PageOptions, wishes: Wishes, *, empty: bool
) -> None:
    """Shows a scenario in the browser until Ctrl-C."""
    from horus_sim.sim2d.scenario.scenario import load_scenario, scenario_folder

    load_scenario(scenario_folder(scenario))
    with progress(f"loading {scenario}"):
        from horus_sim.ui.serving import open_site
    from horus_sim.ui.runner.model.run_address import Options, RunAddress
    from horus_sim.ui.runner.model.runs import Runs

    with ExitStack() as ending, open_site() as site:
        runs = Runs.of(site)
        place = runs.scenarios.allow(scenario)
        address = RunAddress(place, Options(seed, ignore_terrain=empty))
        runner = runs.begin(address, wishes)
        ending.callback(_tell, runner.summaries)
        _tell(runner.notes)
        serve(page.server(site, address.link), place.name)


def _tell(lines: list[str]) -> None:
    for line in lines:
        typer.echo(printable(line))


@app.command()
def design(
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="[SCENARIO]",
            help="Name of a shipped scenario, or its folder; without it, a gallery.",
            show_default=False,
        ),
    ] = None,
    *,
    page: PageOptions,
) -> None:
    """Draw worlds and robots in the browser, and run them."""
    from horus_sim.sim2d.scenario.scenario import load_scenario, scenario_folder

    if scenario is not None:
        load_scenario(scenario_folder(scenario))
    with progress("loading the designer"):
        from horus_sim.ui.serving import open_site
    with open_site() as site:
        from horus_sim.ui.designer.page import PATH
        from horus_sim.ui.kit.scenarios import Scenarios

        name = "" if scenario is None else Scenarios.of(site).allow(scenario).name
        serve(page.server(site, PATH, {"scenario": name}), name or "gallery")


@app.command("list")
def list_scenarios() -> None:
    """List the shipped scenarios."""
    from horus_sim.sim2d import load_scenario, scenario_names

    rows = [(name, load_scenario(name).config.description) for name in scenario_names()]
    print_table(("scenario", "description"), rows)


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Folder to create.")],
    *,
    template: Annotated[
        str, typer.Option("--template", help="Shipped scenario to start from.")
    ] = _TEMPLATE,
) -> None:
    """Create a scenario of your own from a shipped one."""
    from horus_sim.errors import Sim2dError
    from horus_sim.files.whole_folder import copy_folder
    from horus_sim.sim2d.scenario.scenario import scenario_folder

    target = Path(name)
    if target.exists():
        raise Sim2dError(f"'{target}' exists already; choose another name")
    copy_folder(scenario_folder(template), target, Sim2dError)
    typer.echo(f"created {target}: edit controller.py, then: {command(f'sim2d run {target}')}")


@app.command()
def validate(scenario: ScenarioArgument) -> None:
    """Check the files of a scenario, load its controllers and let each make one step."""
    import warnings

    from horus_sim.sim2d import Simulator

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim = Simulator.load(scenario)
        sim.step()
    for warning in caught:
        typer.echo(f"warning: {warning.message}", err=True)
    _tell_idle_robots(sim)
    if sim.error is not None:
        raise sim.error
    layout = sim.layout
    typer.echo(
        f"{scenario} is valid: {len(sim.robots)} robots, {len(layout.bodies)} bodies, "
        f"{len(layout.motors)} motors, {len(layout.sensors)} sensors"
    )


@app.command()
def bench(
    scenario: ScenarioArgument = _TEMPLATE,
    *,
    worlds: Annotated[int, typer.Option("--worlds", min=1, help="Worlds.")] = _BENCH_WORLDS,
    threads: Annotated[int, typer.Option("--threads", min=0, help="Threads; 0 for all cores.")] = 0,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, help="How long.")] = 2.0,
) -> None:
    """Measure how many steps a second a batch of a scenario makes on this machine."""
    import numpy as np

    from horus_sim.sim2d import BatchSimulator

    batch = BatchSimulator(scenario, worlds, threads)
    commands = np.random.default_rng(0).uniform(0.0, 1.0, (worlds, len(batch.motors)))
    batch.step(commands, n=10)
    steps = 0
    with progress("measuring", seconds):
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            batch.step(commands, n=10)
            steps += 10
    rate = steps * worlds / spent
    typer.echo(
        f"{scenario}: {worlds} worlds, {batch.threads} threads: {rate / 1e6:.2f} million "
        f"world-steps a second, {1e9 / rate:.0f} ns each"
    )


def _tell_idle_robots(sim: Simulator) -> None:
    """Warns of robots that no file drives; that is legal, and often an oversight."""
    for spec in sim.scenario.robots:
        path = spec.controller_path
        if path is None or not path.is_file():
            missing = "none is named" if path is None else f"there is no file {path}"
            typer.echo(f"warning: robot '{spec.id}' has no controller: {missing}", err=True)

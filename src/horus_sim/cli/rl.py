"""`horus-sim rl`: list, measure, train, evaluate and play tasks of reinforcement learning."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horus_sim.cli.page_options import HostOption, OpenOption, PortOption, refuse_page_options
from horus_sim.cli.rl_page import (
    PageOptions,
    find_policy,
    play_page,
    watch_page,
    watch_training,
)
from horus_sim.cli.rl_settings import command_line, parse_settings, training_fields
from horus_sim.cli.terminal import print_table, progress, share_bar

if TYPE_CHECKING:
    from horus_sim.rl.training.callback import Progress
    from horus_sim.ui.training.model.policies import RandomActions

app = typer.Typer(name="rl")

_EPISODES = 4
# As shells have it for a command that Ctrl-C ended.
_INTERRUPTED = 130

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="Name of a task.")]
TasksOption = Annotated[
    Path | None, typer.Option("--tasks", help="YAML file that defines tasks of your own.")
]
SettingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="A setting of the task, such as lidar.rays=36."
    ),
]
PolicyOption = Annotated[
    str | None,
    typer.Option(
        "--policy",
        help="A policy.npz, the folder of a training, or 'random'; else the shipped one.",
    ),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="Of the first episode; else one never trained.")
]


@app.command("list")
def list_tasks(*, tasks: TasksOption = None) -> None:
    """List the tasks."""
    from horus_sim.rl.task_files.definitions import task_bases, task_names
    from horus_sim.rl.training.policy import policy_names

    _load(tasks)
    shipped = policy_names()
    rows = [
        (name, f"HorusSim/{name}-v0", ", ".join(task_bases(name)[1:]) or "-", _yes(name in shipped))
        for name in task_names()
    ]
    print_table(("task", "Gymnasium", "based on", "policy shipped"), rows)


@app.command()
def bench(
    task: TaskArgument,
    *,
    envs: Annotated[int, typer.Option("--envs", min=1, help="Environments.")] = 1024,
    threads: Annotated[int, typer.Option("--threads", min=0, help="Threads; 0 for all cores.")] = 0,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, help="How long.")] = 2.0,
    settings: SettingOption = None,
    tasks: TasksOption = None,
) -> None:
    """Measure how many steps a second a task makes on this machine, with random actions."""
    from horus_sim.rl import make_vector

    _load(tasks)
    vector = make_vector(task, envs, threads, copy=False, **parse_settings(settings))
    vector.reset(seed=0)
    vector.action_space.seed(0)
    actions = vector.action_space.sample()
    vector.step(actions)
    steps, busy = 0, time.process_time()
    with progress("measuring", seconds):
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            vector.step(actions)
            steps += envs
    busy = time.process_time() - busy
    physics = steps * vector.task.config.physics_steps
    typer.echo(
        f"{task}: {envs} environments: {steps / spent:,.0f} steps and {physics / spent:,.0f} "
        f"physics steps a second; {1e6 * busy / steps:.2f} us of processor time a step"
    )
    _warn_of_divergence(vector.diverged_total)
    vector.close()


@app.command()
def train(
    task: TaskArgument,
    *,
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Where files go; else runs/TASK-ALGORITHM-SEED.")
    ] = None,
    algorithm: Annotated[
        str | None, typer.Option("--algorithm", metavar="ppo|sac", help="How it learns.")
    ] = None,
    envs: Annotated[int | None, typer.Option("--envs", min=1, help="Environments.")] = None,
    steps: Annotated[
        int | None, typer.Option("--steps", min=1, help="Ends after this many steps.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0.01, help="Ends after this time.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Of networks and episodes; 0.", show_default=False),
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="KEY=VALUE", help="Any field of TrainConfig: ppo.epochs=8."
        ),
    ] = None,
    settings: SettingOption = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the training in the folder.")
    ] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", help="With --resume: a name or path; else the newest one."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Show curves and the newest policy in the browser.")
    ] = False,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8080,
    open_page: OpenOption = True,
    tasks: TasksOption = None,
) -> None:
    """Train a policy; `--resume` goes on with a training, `--watch` shows it in the browser."""
    from horus_sim.errors import TrainingError
    from horus_sim.rl import training
    from horus_sim.rl.training.run_folder import RunFolder, check_agreement

    _load(tasks)
    _known(task)
    asked = training_fields(
        options,
        settings,
        algorithm=algorithm,
        num_envs=envs,
        seed=seed,
        total_steps=steps,
        minutes=minutes,
    )
    target = folder or _default_folder(task, asked)
    if resume:
        limits = {key: asked.pop(key, None) for key in ("total_steps", "minutes")}
        check_agreement(RunFolder(target), task, asked)
        run = partial(training.resume, target, checkpoint=checkpoint, **limits)
    elif checkpoint is not None:
        raise TrainingError("--checkpoint says where to resume from; add --resume")
    else:
        run = partial(training.train, training.train_config(task, **asked), target)
    if watch:
        words: dict[str, object] = {"--folder": target, "--seed": seed, "--algorithm": algorithm}
        words |= {"--envs": envs, "--steps": steps, "--minutes": minutes, "--tasks": tasks}
        words |= {"--checkpoint": checkpoint, "--option": options, "--set": settings}
        words |= {"--resume": resume}
        watch_training(task, words, target, PageOptions(host, port, open_page))
        return
    try:
        with share_bar("training") as show:
            result = run(on_progress=_training_line(show))
    except KeyboardInterrupt as stop:
        typer.echo(f"interrupted: {str(stop) or 'nothing was saved now'}", err=True)
        if str(stop):
            line = command_line("train", task, "--folder", target, "--resume", tasks=tasks)
            typer.echo(f"go on with: {line}", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    rate = result.success_rate
    success = "" if rate is None else f"success {rate:.1%}, "
    typer.echo(
        f"trained {result.steps:,} steps in {result.duration:.1f} s; best evaluation: {success}"
        f"return {result.mean_return:.2f}"
    )
    _warn_of_divergence(result.diverged)
    typer.echo(f"policy: {result.policy}")
    typer.echo(f"next: {command_line('eval', task, '--policy', result.folder, tasks=tasks)}")


@app.command("eval")
def evaluate(
    task: TaskArgument,
    *,
    policy: PolicyOption = None,
    episodes: Annotated[int, typer.Option("--episodes", min=1, help="How many.")] = 1000,
    seed: SeedOption = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write the figures there.")] = None,
    video: Annotated[
        Path | None, typer.Option("--video", help="Write pictures there, .mp4 or .gif.")
    ] = None,
    shown: Annotated[
        list[int] | None, typer.Option("--show", help="Number of an episode in the video.")
    ] = None,
    settings: SettingOption = None,
    tasks: TasksOption = None,
) -> None:
    """Evaluate a policy on episodes that it has not seen."""
    if json is not None:
        from horus_sim.errors import RecordingError
        from horus_sim.files.whole_file import check_writable

        check_writable(json, RecordingError)
    report = _run(task, policy, episodes, seed, video, shown, settings, tasks)
    typer.echo(report.text())
    if json is not None:
        report.write(json)


@app.command()
def play(
    context: typer.Context,
    task: TaskArgument,
    *,
    policy: PolicyOption = None,
    envs: Annotated[
        int, typer.Option("--envs", min=1, max=64, help="Environments on the page.")
    ] = 9,
    headless: Annotated[
        bool, typer.Option("--headless", help="Without a page, as with the next two.")
    ] = False,
    episodes: Annotated[
        int | None,
        typer.Option("--episodes", min=1, max=64, help="How many; 4.", show_default=False),
    ] = None,
    video: Annotated[
        Path | None, typer.Option("--video", help="Write pictures there, .mp4 or .gif.")
    ] = None,
    seed: SeedOption = None,
    settings: SettingOption = None,
    tasks: TasksOption = None,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8080,
    open_page: OpenOption = True,
) -> None:
    """Show a policy at work: as a page in the browser, or a few episodes as text.

    It is a page unless --headless, --episodes or --video are given.
    """
    if not (headless or episodes or video):
        _load(tasks)
        _known(task)
        given = parse_settings(settings)
        play_page(task, policy, envs, seed, given, PageOptions(host, port, open_page))
        return
    refuse_page_options(context, {"headless", "episodes", "video"})
    episodes = episodes or _EPISODES
    shown = list(range(episodes))
    report = _run(task, policy, episodes, seed, video, shown, settings, tasks)
    typer.echo(report.text())
    if video is not None:
        typer.echo(f"video: {video}")


@app.command()
def watch(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FOLDER]", help="Of a training, such as runs/NavigationOpen-ppo-0."
        ),
    ] = None,
    *,
    tasks: TasksOption = None,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8080,
    open_page: OpenOption = True,
) -> None:
    """Watch a training that runs elsewhere: its curves and its newest policy, in the browser."""
    _load(tasks)
    watch_page(folder, PageOptions(host, port, open_page))


def _run(
    task: str,
    policy: str | None,
    episodes: int,
    seed: int | None,
    video: Path | None,
    shown: list[int] | None,
    settings: list[str] | None,
    tasks: Path | None,
) -> Any:  # noqa: ANN401 - an EvaluationReport, imported below
    from horus_sim.rl import training
    from horus_sim.rl.training.evaluation import UNSEEN_SEED
    from horus_sim.ui.training.model.policies import RANDOM

    _load(tasks)
    _known(task)
    given, first = parse_settings(settings), UNSEEN_SEED if seed is None else seed
    if policy == RANDOM:
        chosen, learned = _random_actions(task, given, first), {}
    else:
        chosen = find_policy(policy, task)
        learned = chosen.settings
    with share_bar("episodes") as show:
        return training.evaluate(
            chosen,
            task,
            episodes,
            settings=given,
            policy_settings=learned,
            seed=first,
            video=video,
            shown=shown or (0,),
            on_episodes=lambda count: show(count / episodes, f"{count} of {episodes}"),
        )


def _random_actions(task: str, settings: Mapping[str, Any], seed: int) -> RandomActions:
    from horus_sim.rl import make_vector
    from horus_sim.ui.training.model.policies import RandomActions

    envs = make_vector(task, 1, 1, **settings)
    space: Any = envs.single_action_space
    envs.close()
    return RandomActions(space, seed)


def _default_folder(task: str, asked: Mapping[str, Any]) -> Path:
    from horus_sim.rl.training.config import TrainConfig, task_defaults

    # No whole settings: defaults may say nothing of an end, and a resume need not either.
    said = task_defaults(task) | dict(asked)
    algorithm, seed = (
        said.get(name, TrainConfig.model_fields[name].default) for name in ("algorithm", "seed")
    )
    return Path("runs") / f"{task}-{algorithm}-{seed}"


def _known(task: str) -> None:
    from horus_sim.rl.task_files.definitions import task_bases

    task_bases(task)


def _load(tasks: Path | None) -> None:
    import horus_sim.rl

    if tasks is not None:
        horus_sim.rl.load_tasks(tasks)


def _yes(value: bool) -> str:  # noqa: FBT001 - a word for it
    return "yes" if value else "-"


def _warn_of_divergence(episodes: int) -> None:
    if episodes:
        typer.echo(
            f"warning: physics diverged in {episodes:,} episodes; see what reset() and act() write",
            err=True,
        )


def _training_line(show: Callable[[float, str], None]) -> Callable[[Progress], None]:
    def tell(state: Progress) -> None:
        speed = state.steps / max(state.seconds, 1e-9)
        line = f"{state.steps:,} steps, {speed:,.0f}/s, return {state.mean_return:.2f}"
        if not math.isnan(state.success_rate):
            line += f", success {state.success_rate:.0%}"
        show(state.share, line)

    return tell

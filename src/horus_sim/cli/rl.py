"""`horus-sim rl`: list, measure, train, evaluate and play tasks of reinforcement learning."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horus_sim.cli.options import Commands
from horus_sim.cli.page_options import PageOptions, refuse_page_options
from horus_sim.cli.rl_deploy import check, deploy, scene
from horus_sim.cli.rl_export import export
from horus_sim.cli.rl_options import (
    EpisodeOptions,
    TaskArgument,
    TaskOptions,
    TasksOption,
    load_tasks,
)
from horus_sim.cli.rl_page import find_policy, play_page, watch_page, watch_training
from horus_sim.cli.rl_settings import command_line, parse_settings, training_fields
from horus_sim.cli.terminal import bar, print_table, progress

if TYPE_CHECKING:
    from horus_sim.rl.training.evaluation import EvaluationReport
    from horus_sim.rl.training.monitor import Progress
    from horus_sim.ui.training.model.policies import RandomActions

app = Commands(name="rl")
for command in (check, deploy, export, scene):
    app.command()(command)

_EPISODES = 4
# As shells have it for a command that Ctrl-C ended.
_INTERRUPTED = 130
_NO_SUCCESS = (
    "no episode succeeded. What may help: more steps; more exploration (--option "
    "ppo.initial_std=1.5 or ppo.entropy=0.01); episodes that begin nearer to the goal (settings "
    "of the task for practice alone: --option practice.NAME=VALUE); a reward that grows on the way "
    "there. 'rl play' shows what it does instead."
)


@app.command("list")
def list_tasks(*, tasks: TasksOption = None) -> None:
    """List the tasks."""
    from horus_sim.rl.task_files.definitions import task_bases, task_names
    from horus_sim.rl.training.policy import policy_names

    load_tasks(tasks)
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
    options: TaskOptions,
) -> None:
    """Measure how many steps a second a task makes on this machine, with random actions.

    It names what a physics step spends its time on where something can be done about it.
    """
    from horus_sim.rl import make_vector
    from horus_sim.rl.engines.mujoco_batch import MujocoBackend
    from horus_sim.rl.engines.step_costs import step_costs

    load_tasks(options.tasks)
    vector = make_vector(task, envs, threads, copy=False, **parse_settings(options.settings))
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
    if isinstance(vector.task.sim, MujocoBackend):
        costs = step_costs(vector.task.sim, vector.task.config.physics_steps)
        for line in costs.lines():
            typer.echo(line)
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
        float | None, typer.Option("--minutes", min=0.01, help="Ends it early, after this time.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Seed of networks and episodes; 0.", show_default=False),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="KEY=VALUE", help="Any field of TrainConfig: ppo.epochs=8."
        ),
    ] = None,
    options: TaskOptions,
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
    page: PageOptions,
) -> None:
    """Train a policy; `--resume` goes on with a training, `--watch` shows it in the browser."""
    from horus_sim.errors import TrainingError
    from horus_sim.rl import training
    from horus_sim.rl.training.run_folder import RunFolder, check_agreement

    options.require(task)
    asked = training_fields(
        fields,
        options.settings,
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
        words |= {"--envs": envs, "--steps": steps, "--minutes": minutes, "--tasks": options.tasks}
        words |= {"--checkpoint": checkpoint, "--option": fields, "--set": options.settings}
        words |= {"--resume": resume}
        watch_training(task, words, target, page)
        return
    try:
        with bar("training") as show:
            result = run(on_progress=_training_line(show))
    except KeyboardInterrupt as stop:
        typer.echo(f"interrupted: {str(stop) or 'nothing was saved now'}", err=True)
        if str(stop):
            line = command_line("train", task, "--folder", target, "--resume", tasks=options.tasks)
            typer.echo(f"go on with: {line}", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    rate = result.success_rate
    success = "" if rate is None else f"success {rate:.1%}, "
    typer.echo(
        f"trained {result.steps:,} steps in {result.duration:.1f} s; best evaluation: {success}"
        f"return {result.mean_return:.2f}"
    )
    _warn_of_divergence(result.diverged)
    resumed = ("train", task, "--folder", target, "--resume", "--steps")
    if result.is_cut_short:
        line = command_line(*resumed, result.total_steps, tasks=options.tasks)
        typer.echo(
            f"cut short: --minutes ended it before its {result.total_steps:,} steps; go on with: "
            f"{line}"
        )
    elif rate == 0:
        typer.echo(_NO_SUCCESS)
        typer.echo(f"more steps: {command_line(*resumed, 3 * result.steps, tasks=options.tasks)}")
    typer.echo(f"policy: {result.policy}")
    typer.echo(
        f"next: {command_line('eval', task, '--policy', result.folder, tasks=options.tasks)}"
    )


@app.command("eval")
def evaluate(
    task: TaskArgument,
    *,
    options: EpisodeOptions,
    episodes: Annotated[int, typer.Option("--episodes", min=1, help="How many.")] = 1000,
    json: Annotated[Path | None, typer.Option("--json", help="Write the figures there.")] = None,
    shown: Annotated[
        list[int] | None, typer.Option("--show", help="Number of an episode in the video.")
    ] = None,
) -> None:
    """Evaluate a policy on episodes that it has not seen."""
    if json is not None:
        from horus_sim.errors import RecordingError
        from horus_sim.files.whole_file import check_writable

        check_writable(json, RecordingError)
    report = _run(task, options, episodes, shown)
    typer.echo(report.text())
    if json is not None:
        report.write(json)


@app.command()
def play(
    context: typer.Context,
    task: TaskArgument,
    *,
    options: EpisodeOptions,
    envs: Annotated[
        int, typer.Option("--envs", min=1, max=64, help="Environments on the page.")
    ] = 9,
    headless: Annotated[
        bool, typer.Option("--headless", help="Without a page, as with --episodes and --video.")
    ] = False,
    episodes: Annotated[
        int | None,
        typer.Option("--episodes", min=1, max=64, help="How many; 4.", show_default=False),
    ] = None,
    page: PageOptions,
) -> None:
    """Show a policy at work: as a page in the browser, or a few episodes as text.

    It is a page unless --headless, --episodes or --video are given.
    """
    if not (headless or episodes or options.video):
        options.require(task)
        settings = parse_settings(options.settings)
        play_page(task, options.policy, options.contract, envs, options.seed, settings, page)
        return
    refuse_page_options(context, {"headless", "episodes", "video"})
    episodes = episodes or _EPISODES
    report = _run(task, options, episodes, list(range(episodes)))
    typer.echo(report.text())
    if options.video is not None:
        typer.echo(f"video: {options.video}")


@app.command()
def watch(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FOLDER]", help="Folder of a training, such as runs/NavigationOpen-ppo-0."
        ),
    ] = None,
    *,
    tasks: TasksOption = None,
    page: PageOptions,
) -> None:
    """Watch a training that runs elsewhere: its curves and its newest policy, in the browser."""
    load_tasks(tasks)
    watch_page(folder, page)


def _run(
    task: str, options: EpisodeOptions, episodes: int, shown: list[int] | None
) -> EvaluationReport:
    from horus_sim.rl import training
    from horus_sim.rl.training.evaluation import UNSEEN_SEED
    from horus_sim.ui.training.model.policies import RANDOM

    options.require(task)
    settings = parse_settings(options.settings)
    first = UNSEEN_SEED if options.seed is None else options.seed
    if options.policy == RANDOM:
        chosen, learned = _random_actions(task, settings, first), {}
    else:
        chosen = find_policy(options.policy, task, options.contract)
        learned = chosen.settings
    with bar("episodes") as show:
        return training.evaluate(
            chosen,
            task,
            episodes,
            settings=settings,
            policy_settings=learned,
            seed=first,
            video=options.video,
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

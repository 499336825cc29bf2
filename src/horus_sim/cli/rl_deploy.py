"""`horus-sim rl deploy`, `check` and `scene`: policies on robots, and how well they do there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from horus_sim.cli.hub_options import TopicOptions
from horus_sim.cli.rl_options import (
    ContractOption,
    PolicyOption,
    TaskArgument,
    TasksOption,
    load_tasks,
)
from horus_sim.cli.rl_page import find_policy
from horus_sim.cli.terminal import bar, progress
from horus_sim.files.printable import printable
from horus_sim.installation import command

if TYPE_CHECKING:
    from horus_sim.rl.contract.contract import Contract

_TASK = "task"
_INTERRUPTED = 130
SceneOption = Annotated[
    str | None,
    typer.Option(
        "--scene",
        metavar="task|SCENE",
        help="Start a world: 'task' for the task's own layouts, or a shipped scene or a file.",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Seed of the first layout; else one never trained."),
]


def deploy(
    task: TaskArgument,
    *,
    policy: PolicyOption = None,
    contract: ContractOption = None,
    scene: SceneOption = None,
    seed: SeedOption = None,
    episodes: Annotated[
        int, typer.Option("--episodes", min=1, help="Layouts to play, with --scene task.")
    ] = 1,
    topics: TopicOptions,
    robot: Annotated[
        str,
        typer.Option("--robot", help="What the robot's topics begin with: burger for burger/scan."),
    ] = "",
    goal: Annotated[
        str | None,
        typer.Option("--goal", metavar="X,Y[,Z]", help="Where to go [m]; else topic goal_pose."),
    ] = None,
    goal_frame: Annotated[
        str | None,
        typer.Option("--goal-frame", help="Frame of --goal; that of the odometry unless given."),
    ] = None,
    clock: Annotated[
        str,
        typer.Option(
            "--time",
            metavar="auto|simulated|wall",
            help="Which clock counts; that of topic clock if there is one.",
        ),
    ] = "auto",
    stale: Annotated[
        float,
        typer.Option("--stale", min=0.01, help="A sensor silent for longer stops the robot [s]."),
    ] = 0.5,
    wait: Annotated[
        float, typer.Option("--wait", min=0.0, help="How long sensors may take to begin [s].")
    ] = 10.0,
    duration: Annotated[
        float | None, typer.Option("--duration", min=0.0, help="Ends it after this time [s].")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="End at the goal.")] = False,
    tasks: TasksOption = None,
) -> None:
    """Let a policy drive a robot by topics: of a running session, or of a world that it starts.

    Without --scene it joins the session, in which a world runs or a robot with ROS 2.
    """
    from horus_sim.errors import DeployError
    from horus_sim.rl.deploy.config import DeployConfig
    from horus_sim.rl.task_files.definitions import task_bases

    load_tasks(tasks)
    if clock not in ("auto", "simulated", "wall"):
        raise typer.BadParameter(f"--time is '{clock}'; give auto, simulated or wall")
    place = _parse_goal(goal)
    task_bases(task)  # an unknown name is refused
    acting, agreed = _find(task, policy, contract)
    rules = DeployConfig(robot=robot, stale=stale, keeps_on=False)
    if scene == _TASK:
        if place is not None:
            raise DeployError("the task's own layouts have goals of their own; leave out --goal")
        _play_layouts(agreed, acting, seed, episodes)
        return
    from horus_sim.rl.deploy.session import Wishes, run_in_scene, run_in_session

    wishes = Wishes(place, goal_frame, duration, once=once)
    if scene is not None:
        with progress(f"loading {scene}"):
            from horus_sim.sim3d import World

            world = World.load(scene, seed=seed or 0)
        typer.echo(printable(run_in_scene(world, agreed, acting, rules, wishes, typer.echo)))
        return
    kind: Literal["auto", "simulated", "wall"] = clock  # pyright: ignore[reportAssignmentType]
    try:
        with topics.open() as hub:
            run_in_session(hub, agreed, acting, rules, wishes, kind, wait, _say)
    except KeyboardInterrupt:
        typer.echo("interrupted; the robot was stopped", err=True)
        raise typer.Exit(_INTERRUPTED) from None


def check(
    policy: Annotated[
        str,
        typer.Argument(
            metavar="POLICY", help="A task with a shipped policy, or a file or folder of a policy."
        ),
    ],
    *,
    scene: Annotated[
        str, typer.Option("--scene", metavar="task", help="The task's own layouts, as worlds.")
    ] = _TASK,
    episodes: Annotated[int, typer.Option("--episodes", min=1, help="How many.")] = 200,
    seed: SeedOption = None,
    contract: ContractOption = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write the figures there.")] = None,
    tasks: TasksOption = None,
) -> None:
    """Play a policy in worlds and in the batch, on the same layouts, and tell where they differ."""
    from horus_sim.errors import DeployError, RecordingError
    from horus_sim.files.whole_file import check_writable
    from horus_sim.rl.deploy.check import check_policy
    from horus_sim.rl.training.evaluation import UNSEEN_SEED

    load_tasks(tasks)
    if scene != _TASK:
        raise DeployError(
            f"the batch has no scene '{scene}' to compare with; a check takes 'task', and "
            f"'{command(f'rl deploy TASK --scene {scene}')}' drives there"
        )
    if json is not None:
        check_writable(json, RecordingError)
    acting, agreed = _find(None, policy, contract)
    with bar("episodes in worlds") as show:
        report = check_policy(
            acting,
            agreed,
            episodes,
            seed=UNSEEN_SEED if seed is None else seed,
            on_episodes=lambda count: show(count / episodes, f"{count} of {episodes}"),
        )
    typer.echo(report.text())
    if json is not None:
        report.write(json)


def scene(
    task: TaskArgument,
    *,
    out: Annotated[Path, typer.Option("--out", help="Scene file to write, .yaml or .json.")],
    seed: SeedOption = None,
    tasks: TasksOption = None,
) -> None:
    """Write a layout of a task as a scene file, to run it and let a policy join."""
    from horus_sim.rl.deploy.layouts import layout_of
    from horus_sim.rl.training.evaluation import UNSEEN_SEED

    load_tasks(tasks)
    made, goal = layout_of(task, UNSEEN_SEED if seed is None else seed)
    made.save(out)
    typer.echo(f"scene: {out}")
    run = command(f"sim3d {out} --headless --ros-names --session {task}")
    typer.echo(f"run it: {run}")
    words = "" if goal is None else f" --goal={goal}"
    typer.echo(f"then: {command(f'rl deploy {task} --session {task}{words}')}")


def _find(task: str | None, policy: str | None, contract: Path | None) -> tuple[Any, Contract]:
    """What acts, and its contract."""
    from horus_sim.errors import PolicyError
    from horus_sim.rl.policies.loading import load_any_policy
    from horus_sim.rl.policies.onnx_export import with_contract
    from horus_sim.rl.training.policy import Policy
    from horus_sim.ui.training.model.policies import RANDOM

    if policy == RANDOM:
        raise PolicyError("random actions have no contract and drive no robot; give a policy")
    found = (
        load_any_policy(policy or "", contract)
        if task is None
        else find_policy(policy, task, contract)
    )
    whole = with_contract(found) if isinstance(found, Policy) else found
    if whole.contract is None:
        raise PolicyError("the policy has no contract; train it anew")
    return whole, whole.contract


def _play_layouts(agreed: Contract, acting: Any, seed: int | None, episodes: int) -> None:  # noqa: ANN401
    from horus_sim.rl.deploy.episode import TaskInWorld
    from horus_sim.rl.training.evaluation import UNSEEN_SEED

    first = UNSEEN_SEED if seed is None else seed
    stage = TaskInWorld(agreed, acting)
    solved = 0
    try:
        for number in range(episodes):
            with progress(f"episode {number}"):
                played = stage.play(number, first + number, 0)
            solved += played.success
            typer.echo(
                f"episode {number}: {played.cause} after {played.steps * agreed.period:.2f} s"
                f"{', solved' if played.success else ''}"
            )
    finally:
        stage.close()
    if episodes > 1:
        typer.echo(f"solved {solved} of {episodes}")


def _parse_goal(text: str | None) -> tuple[float, float, float] | None:
    if text is None:
        return None
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3) or not all(abs(number) < 1e6 for number in numbers):
        raise typer.BadParameter(f"--goal is '{text}'; give metres such as 1.5,0.5 or 1.5,0.5,0.2")
    x, y, z = (*numbers, 0.0)[:3]
    return x, y, z


def _say(line: str) -> None:
    typer.echo(printable(line))

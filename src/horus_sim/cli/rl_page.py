"""The training page from the terminal: play a policy, watch a training."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import typer

from horus_sim.cli.page_options import PageOptions, serve
from horus_sim.cli.terminal import progress
from horus_sim.errors import MissingExtraError, PolicyError, TrainingError

if TYPE_CHECKING:
    from pathlib import Path

    from horus_sim.rl.policies.network_policy import NetworkPolicy
    from horus_sim.rl.training.policy import Policy
    from horus_sim.ui.shell.server import Server

_MAIN = "from horus_sim.cli.app import main; main()"
_END_S = 10.0
_POLL_S = 0.1


def play_page(
    task: str,
    policy: str | None,
    contract: Path | None,
    envs: int,
    seed: int | None,
    settings: Mapping[str, Any],
    options: PageOptions,
) -> None:
    """Opens the page on which a policy drives, once it is known that the policy fits.

    Raises:
        PolicyError: It does not, or there is none.
    """
    from horus_sim.ui.training.model.policies import RANDOM, FoundPolicy
    from horus_sim.ui.training.model.rollout import Choice, Rollout

    found = FoundPolicy(None, {})
    if policy != RANDOM:
        loaded = find_policy(policy, task, contract)
        found = FoundPolicy(loaded, loaded.settings, loaded.task)
    Rollout(Choice(task, policy or task, 1, seed or 0, settings), found, 1).close()
    query = {
        "task": task,
        "policy": policy or task,
        "envs": str(envs),
        "seed": "" if seed is None else str(seed),
        "set": json.dumps(settings) if settings else "",
    }
    _serve(query, options, task)


def find_policy(
    policy: str | None, task: str, contract: Path | None = None
) -> Policy | NetworkPolicy:
    """The policy that was named, or the shipped one; says on stderr if it learned another task.

    Raises:
        PolicyError: There is none.
    """
    from horus_sim.rl.policies.loading import load_any_policy
    from horus_sim.ui.training.model.policies import RANDOM

    try:
        found = load_any_policy(policy or task, contract)
    except PolicyError as error:
        if policy is not None:
            raise
        raise PolicyError(f"{error}; --policy {RANDOM} shows random actions") from error
    if found.task != task:
        typer.echo(f"warning: the policy learned '{found.task}', not '{task}'", err=True)
    return found


def watch_page(folder: Path | None, options: PageOptions) -> None:
    """Opens the page with the curves of a training.

    Raises:
        TrainingError: The folder holds none, or one of a task that is not known.
    """
    query = {}
    if folder is not None:
        from horus_sim.rl.task_files.definitions import task_names
        from horus_sim.ui.training.model.runs import RunWatch

        task = RunWatch(folder).read().task
        if task and task not in task_names():
            raise TrainingError(
                f"'{folder}' is a training of '{task}', and no task is called that; give the file "
                "that defines it with --tasks"
            )
        query = {"task": task, "run": str(folder)}
    _serve(query, options, str(folder or "runs"))


def watch_training(
    task: str, words: Mapping[str, object], folder: Path, options: PageOptions
) -> None:
    """Trains in a process of its own, and shows it.

    Args:
        task: Name of the task.
        words: Options of `horus-sim rl train`; lists are given once for each part, None and False
            are left out.
        folder: Where the files of the training go.
        options: Where the page is served.

    Raises:
        MissingExtraError: The extra [train] is not installed.
    """
    # Before a page opens on which nothing would ever come.
    for package in ("torch", "tensorboard"):
        if find_spec(package) is None:
            raise MissingExtraError(package, "train")
    line = ["rl", "train", task]
    for word, value in words.items():
        if value is True:
            line.append(word)
        elif value is not None and value is not False:
            for part in value if isinstance(value, list) else [value]:
                line += [word, str(part)]
    _serve({"task": task, "run": str(folder)}, options, str(folder), Training(line, folder))


class Training:
    """A training in a process of its own, which stops the pages if it fails.

    Args:
        words: Behind `horus-sim`.
        folder: Where its files go.

    Attributes:
        has_failed: Whether it ended by itself, with an error.
    """

    def __init__(self, words: Sequence[str], folder: Path) -> None:
        self.has_failed = False
        self._words, self._folder = words, folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, server: Server) -> None:
        """Begins it, and waits until there is something to be seen.

        Raises:
            typer.Exit: It failed at once; the code is its own.
        """
        self._server = server
        process = subprocess.Popen([sys.executable, "-c", _MAIN, *self._words])  # noqa: S603
        self._process = process
        with progress("starting the training"):
            while not (self._folder / "config.json").exists():
                if (code := process.poll()) is not None:
                    raise typer.Exit(code)
                time.sleep(_POLL_S)
        threading.Thread(target=self._follow, args=(process,), name="training", daemon=True).start()

    def end(self) -> int:
        """Lets it save what it learned, and waits for that. Gives its exit code."""
        if self._process is None:
            return 0
        if sys.platform == "win32":
            # There it cannot be told; but Ctrl-C reaches it too.
            with suppress(subprocess.TimeoutExpired):
                return self._process.wait(_END_S)
        self._process.terminate()
        return self._process.wait()

    def _follow(self, process: subprocess.Popen[bytes]) -> None:
        code = process.wait()
        if code == 0:
            typer.echo("the training is over; the page stays (Ctrl-C ends)")
        elif not self._server.is_ending:
            self.has_failed = True
            self._server.stop()


def _serve(
    query: Mapping[str, str], options: PageOptions, name: str, training: Training | None = None
) -> None:
    """Serves the training page until Ctrl-C.

    Args:
        query: State of the page; empty values are left out.
        options: Where it is served.
        name: What to print before the address.
        training: What runs beside it, and ends with it.

    Raises:
        typer.Exit: The training failed; the code is its own.
    """
    with progress("loading the page"):
        from horus_sim.ui.serving import open_site
        from horus_sim.ui.training.page import PATH

    with open_site() as site:
        server = options.server(site, PATH, query)
        try:
            if training is not None:
                training.start(server)
            serve(server, name)
        finally:
            code = 0 if training is None else training.end()
        if training is not None and training.has_failed:
            raise typer.Exit(code)

"""Starts programs so that none of them outlives the launch, even where that is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from horus_sim.errors import LaunchError

GRACE_S = 5.0
"""How long [s] programs may take to end after their launch was killed."""
_HERE = Path(__file__).parent
# Neither the user's modules nor those of other packages: they start in some milliseconds.
_SCRIPT = (sys.executable, "-I", "-S")


class Guard:
    """A small process beside the launch that ends the programs when the launch is gone.

    It reads from a pipe whose other end only the launch holds, and each program until it has told
    of itself. So it works wherever there are process groups, and whatever ends the launch.

    Args:
        grace: How long [s] programs may take to end then.

    Raises:
        LaunchError: There are no process groups on this system.
    """

    def __init__(self, grace: float = GRACE_S) -> None:
        if sys.platform == "win32":
            raise LaunchError(
                "launches need process groups, which Windows lacks; run the world and each node in "
                "a terminal of its own, or in WSL"
            )
        theirs, self._pipe = os.pipe()
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            [*_SCRIPT, str(_HERE / "guard.py"), str(grace)],
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(theirs)

    def start(
        self, words: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> subprocess.Popen[bytes]:
        """Starts a program as the leader of a process group; its output comes through one pipe.

        Args:
            words: The command.
            environment: All of its environment.
            folder: Where it runs.
        """
        return subprocess.Popen(  # noqa: S603 - what the user wants to run
            [*_SCRIPT, str(_HERE / "gate.py"), str(self._pipe), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=(self._pipe,),
            env=dict(environment),
            cwd=folder,
        )

    def forget(self, group: int) -> None:
        """Tells it of a process group that has ended, whose number may be that of others soon."""
        with suppress(OSError):
            os.write(self._pipe, b"-%d\n" % group)

    def close(self) -> None:
        """Ends the guard, and with it what it knows to be running."""
        os.close(self._pipe)
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

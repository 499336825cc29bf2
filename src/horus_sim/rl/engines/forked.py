"""MuJoCo's batch in a forked process, where its threads are not.

A fork copies the memory of a process but only the thread that forked. A call to the batch would
wait for its other threads for ever, and so would its end.
"""

from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any, NoReturn, Protocol

from horus_sim.errors import ForkError
from horus_sim.system import after_fork_in_child


class _Holder(Protocol):
    """What has a batch of several threads."""

    batch: Any
    threads: int


class LostBatch:
    """Stands for a batch whose threads stayed in the parent process; every use raises.

    Args:
        parent_pid: The process that made it.
    """

    def __init__(self, parent_pid: int) -> None:
        self._parent_pid = parent_pid

    def __getattr__(self, name: str) -> NoReturn:
        raise ForkError(
            f"these environments were made by process {self._parent_pid}, whose threads did not "
            f"survive the fork to process {os.getpid()}; make the environments in the new process, "
            "start it by 'spawn' (multiprocessing.get_context('spawn')), or make them with "
            "threads=1"
        )


_holders: weakref.WeakSet[Any] = weakref.WeakSet()


def lose_batch_in_forks(holder: _Holder) -> None:
    """Lets uses of `holder.batch` raise in processes that are forked from this one.

    Nothing is looked at in a step: the batch is replaced when a process is forked.
    """
    if holder.threads > 1:
        _holders.add(holder)


def _lose_batches() -> None:
    for holder in list(_holders):
        # Its end would wait for the threads, so it never ends.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(holder.batch._b))
        holder.batch = LostBatch(os.getppid())
    _holders.clear()


after_fork_in_child(_lose_batches)

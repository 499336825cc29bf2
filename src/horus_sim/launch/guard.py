"""Ends the programs of a launch that was killed itself; run as a script by its path.

    guard.py SECONDS

On the standard input come lines: ``+5`` for a process group that begins and ``-5`` for one that has
ended. When the input ends, all who could write there are gone: what is left is asked to end, and
killed after so many seconds. It imports nothing else.
"""

from __future__ import annotations

import os
import signal
import sys
import time

_POLL_S = 0.05


def main() -> None:
    """Waits for the end of the launch, and ends what is left of it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: dict[int, None] = {}  # in the order in which they began
    for line in sys.stdin:
        begins, group = line[0] == "+", int(line[1:])
        if begins:
            groups[group] = None
        else:
            groups.pop(group, None)
    left = [group for group in groups if _tell(group, signal.SIGTERM)]
    end = time.monotonic() + float(sys.argv[1])
    while left and time.monotonic() < end:
        time.sleep(_POLL_S)
        left = [group for group in left if _tell(group, 0)]
    for group in left:
        _tell(group, signal.SIGKILL)


def _tell(group: int, number: int) -> bool:
    """Sends a signal to a process group; False where there is none."""
    try:
        os.killpg(group, number)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()

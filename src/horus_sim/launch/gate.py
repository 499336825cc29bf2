"""What each program of a launch is before it becomes itself; run as a script by its path.

    gate.py NUMBER WORD...

It tells the guard, by the pipe with this file descriptor, that its process group begins, and then
runs the command. So no program runs that the guard does not know of. It imports nothing else.
"""

from __future__ import annotations

import os
import signal
import sys

_NO_PROGRAM = 127


def main() -> None:
    """Tells the guard, and becomes the program."""
    pipe, words = int(sys.argv[1]), sys.argv[2:]
    try:
        os.write(pipe, b"+%d\n" % os.getpid())
    except OSError:
        sys.exit("the launch has ended")
    os.close(pipe)
    # A shell ignores Ctrl-C for what it runs in the background, and Python ignores the others.
    for name in ("SIGINT", "SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execvp(words[0], words)  # noqa: S606 - what the user wants to run
    except OSError as error:
        sys.stderr.write(f"'{words[0]}' cannot be run: {error.strerror}\n")
        sys.exit(_NO_PROGRAM)


if __name__ == "__main__":
    main()

"""The process that simulates: `python -m horus_sim.ui.runner.model.worker CHANNEL`, with pipes.

Controllers and console expressions run here, so that whatever they do the server goes on, and a
process that does not answer any more can be ended. Three threads: one simulates, one listens, one
says ten times a second that all is well, what was printed, and where the first one is if it does
not come back.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import IO

from horus_sim.ui.runner.model.messages import Message, Sender, receive
from horus_sim.ui.runner.model.prints import PrintBuffer
from horus_sim.ui.runner.model.process import SimulatingProcess

_BEAT_S = 0.1
_LONG_S = 0.5


def main(channel: str) -> None:
    """Serves until the other end of the pipe is closed.

    Args:
        channel: Channel of the stream, which texts for it name.
    """
    # These may reach all processes of a terminal or a group; this one ends with the server, when
    # recordings are complete.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # Windows has no SIGHUP
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    source = os.fdopen(os.dup(0), "rb")
    sender = Sender(os.fdopen(os.dup(1), "wb"))
    # Whatever else writes to the file descriptors must not get between the messages.
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    prints = PrintBuffer()
    sys.stdout = prints
    sys.stderr = prints
    process = SimulatingProcess(sender, channel)
    threading.Thread(target=_listen, args=(source, process), daemon=True).start()
    threading.Thread(
        target=_beat, args=(process, sender, prints, threading.get_ident()), daemon=True
    ).start()
    process.run()


def _listen(source: IO[bytes], process: SimulatingProcess) -> None:
    while (received := receive(source)) is not None:
        process.give(*received)
    # The server is gone; a controller that never returns must not outlive it.
    os._exit(0)


def _beat(
    process: SimulatingProcess, sender: Sender, prints: PrintBuffer, main_thread: int
) -> None:
    while True:
        time.sleep(_BEAT_S)
        busy_s = process.busy_s
        message: Message = {"kind": "beat", "busy_s": busy_s if busy_s > _LONG_S else 0.0}
        if busy_s > _LONG_S:
            message["place"] = _place(main_thread, process.files())
        message["lines"], message["left_out"] = prints.take()
        try:
            sender.send(message)
        except OSError:
            os._exit(0)


def _place(thread: int, files: set[str]) -> list[str | int] | None:
    """File and line of a controller in which a thread is."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if frame.f_code.co_filename in files:
            return [frame.f_code.co_filename, frame.f_lineno]
        frame = frame.f_back
    return None


if __name__ == "__main__":
    main(sys.argv[1])

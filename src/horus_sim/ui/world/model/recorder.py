"""Recordings of the running world from a button: everything it publishes, as an MCAP file."""

from __future__ import annotations

import itertools
import re
import time
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.errors import UiError

if TYPE_CHECKING:
    from horus_sim.running.loop.loop import Loop
    from horus_sim.running.recording import McapRecorder
    from horus_sim.sim3d import World


class PageRecorder:
    """Records what sensors, joints and frames say, for as long as wished.

    One recording at a time, whoever of the browsers began it. Another scene ends it.

    Args:
        simulation: The simulation.
        folder: Folder that files are written to.
    """

    def __init__(self, simulation: Loop[World], folder: Path) -> None:
        self._simulation = simulation
        self._folder = folder
        self._present: McapRecorder | None = None
        simulation.running.on_replace.append(lambda _: self.close())

    @property
    def is_recording(self) -> bool:
        """Whether a file is being written."""
        return self._present is not None

    def begin(self) -> Future[Path]:
        """Begins a file that is named after the scene and the time.

        Returns:
            The file.

        Raises:
            MissingExtraError: The packages for recordings are not installed.
        """
        # Loading these takes long: it is done here, and not in the thread of the simulation.
        from horus_sim.running.recording import McapRecorder

        def order(world: World) -> Path:
            if self._present is not None:
                raise UiError("a recording is running already; end it first")
            recorder = McapRecorder(self._free_path(world.scene.name))
            self._simulation.running.add_outlet(recorder)
            self._present = recorder
            return recorder.path

        return self._simulation.call(order)

    def end(self) -> Future[str]:
        """Ends the file.

        Returns:
            What was recorded, in one line.
        """

        def order(_: World) -> str:
            if self._present is None:
                raise UiError("nothing is being recorded")
            return self._finish(self._present)

        return self._simulation.call(order)

    def close(self) -> None:
        """Ends the file, if there is one; in the thread of the simulation, or after its end."""
        if self._present is not None:
            self._finish(self._present)

    def _finish(self, recorder: McapRecorder) -> str:
        self._present = None
        self._simulation.running.remove_outlet(recorder)
        text = recorder.summary()
        self._simulation.log.add(text, "info" if recorder.error is None else "error")
        return text

    def _free_path(self, scene: str) -> Path:
        name = re.sub(r"[^A-Za-z0-9_-]", "_", scene)
        stem = f"{name}_{time.strftime('%Y%m%d_%H%M%S')}"
        ends = itertools.chain(("",), (f"_{number}" for number in itertools.count(2)))
        paths = (self._folder / f"{stem}{end}.mcap" for end in ends)
        return next(path for path in paths if not path.exists())

"""A desk for each open page, with environments of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from horus_sim.ui.shell.sessions import Sessions
from horus_sim.ui.training.model.picture2d import Picture2d
from horus_sim.ui.training.model.picture3d import Picture3d
from horus_sim.ui.training.model.policies import PolicyShelf
from horus_sim.ui.training.model.thread import ShowThread

if TYPE_CHECKING:
    from concurrent.futures import Future

    from horus_sim.ui.shell.site import Site
    from horus_sim.ui.training.model.show import Show
    from horus_sim.ui.training.model.thread import ShowStatus


class TrainingDesk:
    """What one page looks at.

    Args:
        site: What all pages share.
        channel: Of the stream; unique.

    Attributes:
        channel: Of the stream and of the geometry, for 3D tasks.
        plane: Of the stream, for tasks of the 2D simulator.
        thread: Runs the environments.
    """

    address = None

    def __init__(self, site: Site, channel: str) -> None:
        self.channel = channel
        self.plane = f"{channel}_plane"
        self._stream = site.stream
        self.thread = ShowThread(site.log, self._publish, self._announce)

    @property
    def status(self) -> ShowStatus:
        """How it is doing."""
        return self.thread.status

    def export(self) -> Future[bytes]:
        """The geometry of now, as `view3d.js` reads it."""

        def order(show: Show) -> bytes:
            return show.picture.export() if isinstance(show.picture, Picture3d) else b""

        return self.thread.call(order)

    def refresh(self) -> None:
        """Sends a frame, since somebody new looks."""
        self.thread.refresh()

    def close(self) -> None:
        """Ends the environments."""
        self.thread.close()
        self._forget()

    def _forget(self) -> None:
        for channel in (self.channel, self.plane, f"{self.plane}_scene"):
            self._stream.forget(channel)

    def _announce(self, show: Show) -> None:
        self._forget()
        if isinstance(show.picture, Picture2d):
            channel = f"{self.plane}_scene"
            text = json.dumps({"channel": channel, "scene": show.picture.scene()})
            self._stream.publish(channel, text)

    def _publish(self, show: Show) -> None:
        channel = self.plane if show.is_planar else self.channel
        if self._stream.is_wanted(channel):
            self._stream.publish(channel, show.frame())


class TrainingDesks(Sessions[TrainingDesk]):
    """The desks of all pages."""

    name = "training"

    @property
    def shelf(self) -> PolicyShelf:
        """Policies to choose from."""
        return PolicyShelf(self._site.folder, is_local=self._site.is_local)

    def open(self) -> TrainingDesk:
        """A new desk, with nothing to show yet."""
        desk = self.add(lambda channel: TrainingDesk(self._site, channel))
        self._site.exports[desk.channel] = desk.export
        desk.thread.start()
        return desk

    def leave(self, session: TrainingDesk) -> None:
        """Closes a desk."""
        self._site.exports.pop(session.channel, None)
        super().leave(session)

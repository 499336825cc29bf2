"""A desk for each open page, with environments of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from horus_sim.ui.desks import Desks
from horus_sim.ui.training.picture2d import Picture2d
from horus_sim.ui.training.picture3d import Picture3d
from horus_sim.ui.training.policies import PolicyShelf
from horus_sim.ui.training.thread import ShowThread

if TYPE_CHECKING:
    from concurrent.futures import Future

    from horus_sim.ui.session import Session
    from horus_sim.ui.training.show import Show
    from horus_sim.ui.training.thread import ShowStatus


class TrainingDesk:
    """What one page looks at.

    Args:
        session: What all pages share.
        channel: Of the stream; unique.

    Attributes:
        channel: Of the stream and of the geometry, for 3D tasks.
        plane: Of the stream, for tasks of the 2D simulator.
        thread: Runs the environments.
    """

    def __init__(self, session: Session, channel: str) -> None:
        self.channel = channel
        self.plane = f"{channel}_plane"
        self._stream = session.stream
        self.thread = ShowThread(session.log, self._publish, self._announce)

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


class TrainingDesks(Desks[TrainingDesk]):
    """The desks of all pages.

    Args:
        session: What all pages share.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session, "training")

    @classmethod
    def of(cls, session: Session) -> TrainingDesks:
        """Those of a session."""
        return session.share("training", cls)

    @property
    def shelf(self) -> PolicyShelf:
        """Policies to choose from."""
        return PolicyShelf(self._session.folder, is_local=self._session.is_local)

    def open(self) -> TrainingDesk:
        """A new desk, with nothing to show yet."""
        desk = self.add(lambda channel: TrainingDesk(self._session, channel))
        self._session.exports[desk.channel] = desk.export
        desk.thread.start()
        return desk

    def leave(self, desk: TrainingDesk) -> None:
        """Closes a desk."""
        self._session.exports.pop(desk.channel, None)
        super().leave(desk)

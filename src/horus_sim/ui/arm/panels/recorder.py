"""Recording what the arm does, playing it back, and saving it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.running.loop.pacing import FASTEST, SLOWEST
from horus_sim.ui.arm.model.recording import to_json
from horus_sim.ui.arm.panels.workplace import Changed
from horus_sim.ui.kit.fields import NumberField, slid_to
from horus_sim.ui.kit.messages import message_label

if TYPE_CHECKING:
    from nicegui.events import GenericEventArguments

    from horus_sim.ui.arm.model.bench import BenchState
    from horus_sim.ui.arm.panels.workplace import Workplace

_SLIDER_S = 0.04


class RecorderPanel:
    """Buttons, the time and the files.

    Args:
        place: The page.
    """

    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._changed = Changed()
        with ui.row().classes("items-center gap-2 no-wrap full-width"):
            self._record = ui.button("Record", icon="fiber_manual_record", on_click=self.record)
            self._record.props('no-caps unelevated dense color=negative aria-label="Record"')
            self._play = ui.button("Play", icon="play_arrow", on_click=self.play)
            self._play.props('no-caps unelevated dense aria-label="Play"')
            self._time = ui.label().classes("text-caption horus-number")
            self._time.props('aria-label="Recording"')
        self._slider = ui.slider(min=0.0, max=1.0, step=0.001, value=0.0)
        self._slider.props('dense aria-label="Time of the recording"')
        self._slider.on("update:model-value", self.seek, throttle=_SLIDER_S)
        with ui.row().classes("items-center gap-3 no-wrap full-width"):
            self._speed = NumberField("Playback speed", 1.0, SLOWEST, FASTEST)
            self._speed.element.props("hide-bottom-space")
            self._loop = ui.checkbox("Loop").props('dense aria-label="Loop"')
        with ui.row().classes("gap-2 no-wrap full-width"):
            self._csv = ui.button("CSV", icon="download", on_click=lambda: self.export("csv"))
            self._csv.props('no-caps flat dense aria-label="Export CSV"')
            self._json = ui.button("JSON", icon="download", on_click=lambda: self.export("json"))
            self._json.props('no-caps flat dense aria-label="Export JSON"')
        self._wrong = message_label("Recording message")
        place.listen(self.refresh)

    async def record(self) -> None:
        """Begins a recording, or ends it."""
        if self._place.state.is_recording:
            await self._place.order(lambda bench: bench.finish_recording(), self._wrong)
        else:
            await self._place.order(lambda bench: bench.record(), self._wrong)

    async def play(self) -> None:
        """Plays, or pauses."""
        if self._place.state.is_playing:
            await self._place.order(lambda bench: bench.pause(), self._wrong)
            return
        speed = self._speed.number
        if speed is not None:
            loop = bool(self._loop.value)
            await self._place.order(lambda bench: bench.play(speed=speed, loop=loop), self._wrong)

    def seek(self, event: GenericEventArguments) -> None:
        """Goes to a time of the recording."""
        at_s = slid_to(event)
        if at_s is not None and self._place.state.recording is not None:
            self._place.desk.thread.post("seek", lambda bench: bench.seek(at_s))

    async def export(self, kind: str) -> None:
        """Downloads the recording."""
        state = self._place.state
        if state.recording is None:
            return
        text = state.recording.to_csv() if kind == "csv" else to_json(state.arm, state.recording)
        ui.download.content(text, f"{_file_name(state.arm.name)}.{kind}")
        await self._place.order(lambda bench: bench.exported(), self._wrong)

    def refresh(self, state: BenchState) -> None:
        """Shows what can be done, and the time."""
        has_one = state.recording is not None and not state.is_recording
        self._time.text = _time_text(state)
        self._place.view.set_unsaved(unsaved=not state.is_exported)
        if state.goal_by != "seek" or not state.is_moving:
            self._slider.value = round(min(state.played_s, state.recorded_s), 3)
        if not self._changed(
            state.is_recording, state.is_playing, state.recording is None, state.recorded_s
        ):
            return
        self._slider.props["max"] = max(state.recorded_s, 0.001)
        for control in (self._slider, self._play, self._csv, self._json):
            control.set_enabled(has_one)
        name = "Stop recording" if state.is_recording else "Record"
        self._record.text = "Stop" if state.is_recording else "Record"
        self._record.props(f'aria-label="{name}"')
        self._record.icon = "stop" if state.is_recording else "fiber_manual_record"
        name = "Pause" if state.is_playing else "Play"
        self._play.text = name
        self._play.props(f'aria-label="{name}"')
        self._play.icon = "pause" if state.is_playing else "play_arrow"


def _time_text(state: BenchState) -> str:
    if state.is_recording:
        return f"recording {state.recorded_s:.1f} s"
    if state.recording is None:
        return "nothing recorded"
    return f"{state.played_s:.1f} of {state.recorded_s:.1f} s"


def _file_name(name: str) -> str:
    """A name that is fit for a file."""
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)[:60]

"""Recording what the arm does, playing it back, and saving it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.running.loop.pacing import FASTEST, SLOWEST
from horus_sim.ui.arm.model.arm_model import Changed
from horus_sim.ui.arm.model.moving_arm import MovingArm
from horus_sim.ui.arm.model.recording import to_json
from horus_sim.ui.arm.panels.slider_row import on_slide
from horus_sim.ui.kit.controls import text_button
from horus_sim.ui.kit.fields import NumberField
from horus_sim.ui.kit.messages import message_label

if TYPE_CHECKING:
    from horus_sim.ui.arm.model.arm_model import ArmModel
    from horus_sim.ui.arm.model.moving_arm import ArmState


class RecorderPanel:
    """Buttons, the time and the files.

    Args:
        model: What the panels share.
    """

    def __init__(self, model: ArmModel) -> None:
        self._model = model
        self._changed = Changed()
        with ui.row().classes("items-center gap-2 no-wrap full-width"):
            look = "unelevated dense"
            self._record = text_button("Record", self.record, look=f"{look} color=negative")
            self._play = text_button("Play", self.play, look=look)
            self._time = ui.label().classes("text-caption horus-number")
            self._time.props('aria-label="Recording"')
        self._slider = ui.slider(min=0.0, max=1.0, step=0.001, value=0.0)
        self._slider.props('dense aria-label="Time of the recording"')
        on_slide(self._slider, self.seek)
        with ui.row().classes("items-center gap-3 no-wrap full-width"):
            self._speed = NumberField("Playback speed", 1.0, SLOWEST, FASTEST)
            self._speed.element.props("hide-bottom-space")
            self._loop = ui.checkbox("Loop").props('dense aria-label="Loop"')
        with ui.row().classes("gap-2 no-wrap full-width"):
            self._exports = [self._export_button(kind) for kind in ("CSV", "JSON")]
        self._wrong = message_label("Recording message")
        model.listen(self.refresh)

    async def record(self) -> None:
        """Begins a recording, or ends it."""
        is_recording = self._model.state.is_recording
        order = MovingArm.finish_recording if is_recording else MovingArm.record
        await self._model.order(order, self._wrong)

    async def play(self) -> None:
        """Plays, or pauses."""
        if self._model.state.is_playing:
            await self._model.order(lambda moving: moving.pause(), self._wrong)
            return
        speed = self._speed.number
        if speed is not None:
            loop = bool(self._loop.value)
            await self._model.order(lambda moving: moving.play(speed=speed, loop=loop), self._wrong)

    def _export_button(self, kind: str) -> ui.button:
        export = partial(self.export, kind.lower())
        button = text_button(kind, export, "download", look="flat dense")
        return button.props(f'aria-label="Export {kind}"')

    def seek(self, at_s: float) -> None:
        """Goes to a time of the recording [s]."""
        if self._model.state.recording is not None:
            self._model.thread.post("seek", lambda moving: moving.seek(at_s))

    async def export(self, kind: str) -> None:
        """Downloads the recording."""
        state = self._model.state
        if state.recording is None:
            return
        text = state.recording.to_csv() if kind == "csv" else to_json(state.arm, state.recording)
        ui.download.content(text, f"{_file_name(state.arm.name)}.{kind}")
        await self._model.order(lambda moving: moving.exported(), self._wrong)

    def refresh(self, state: ArmState) -> None:
        """Shows what can be done, and the time."""
        has_one = state.recording is not None and not state.is_recording
        self._time.text = _time_text(state)
        self._model.view.set_unsaved(unsaved=not state.is_exported)
        if state.goal_by != "seek" or not state.is_moving:
            self._slider.value = round(min(state.played_s, state.recorded_s), 3)
        if not self._changed(
            state.is_recording, state.is_playing, state.recording is None, state.recorded_s
        ):
            return
        self._slider.props["max"] = max(state.recorded_s, 0.001)
        for control in (self._slider, self._play, *self._exports):
            control.set_enabled(has_one)
        stop, pause = ("Stop", "Stop recording", "stop"), ("Pause", "Pause", "pause")
        record, play = ("Record", "Record", "fiber_manual_record"), ("Play", "Play", "play_arrow")
        for button, (text, name, icon) in (
            (self._record, stop if state.is_recording else record),
            (self._play, pause if state.is_playing else play),
        ):
            button.text, button.icon = text, icon
            button.props(f'aria-label="{name}"')


def _time_text(state: ArmState) -> str:
    if state.is_recording:
        return f"recording {state.recorded_s:.1f} s"
    if state.recording is None:
        return "nothing recorded"
    return f"{state.played_s:.1f} of {state.recorded_s:.1f} s"


def _file_name(name: str) -> str:
    """A name that is fit for a file."""
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)[:60]

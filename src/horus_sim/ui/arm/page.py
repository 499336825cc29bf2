"""The arm: where its tool goes, which joint positions bring it there, and what it reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from horus_sim.errors import HorusError
from horus_sim.ui.arm.model.address import ArmAddress, query_of
from horus_sim.ui.arm.model.arm_model import ArmModel, Changed
from horus_sim.ui.arm.model.arm_thread import ArmThreads
from horus_sim.ui.arm.model.drawing import describe
from horus_sim.ui.arm.panels.arms import build_arm_choice, build_facts, build_upload
from horus_sim.ui.arm.panels.joints import JointRows
from horus_sim.ui.arm.panels.recorder import RecorderPanel
from horus_sim.ui.arm.panels.target import TargetPanel
from horus_sim.ui.arm.panels.teach import TeachSliders
from horus_sim.ui.arm.panels.view import build_readout, build_shown, build_turn
from horus_sim.ui.kit.log import build_log
from horus_sim.ui.kit.messages import message_label
from horus_sim.ui.kit.panel import panel, side_panel
from horus_sim.ui.views.arm_view import ArmView

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from horus_sim.ui.arm.model.moving_arm import ArmState, MovingArm
    from horus_sim.ui.shell.page import Page

PATH = "/arm"
_REFRESH_S = 0.1
_ADDRESS_S = 0.5
STYLE = """
.horus-arm-card { position: absolute; left: 12px; top: 12px; padding: 8px 12px; border-radius: 8px;
  background: rgba(255,255,255,.82); color: #1b2430; font-size: 12px; line-height: 1.45;
  min-width: 262px;
  pointer-events: none; backdrop-filter: blur(4px); box-shadow: 0 1px 4px rgba(0,0,0,.18); }
.body--dark .horus-arm-card { background: rgba(44,54,66,.86); color: #e6edf3; }
.horus-arm-card .horus-number { white-space: pre; font-family: ui-monospace, monospace; }
.horus-arm-note { font: 600 12px system-ui, sans-serif; color: #fff; background: #9c36b5;
  padding: 2px 8px; border-radius: 10px; white-space: nowrap; }
.horus-arm-table td, .horus-arm-table th { padding: 2px 4px !important; font-size: 11px; }
@media (max-width: 599px) { .horus-arm-card { font-size: 11px; padding: 6px 8px; min-width: 0; } }
"""


def build(page: Page) -> None:
    """Fills the page with the state that its address has."""
    ui.add_css(STYLE)
    threads = ArmThreads.of(page.site)
    wrong = ""
    try:
        address = ArmAddress.read(ui.context.client.request.query_params)
        arm = threads.library.get(address.arm)
        positions = address.positions(arm)
    except HorusError as error:
        wrong, address, positions = str(error), ArmAddress(), None
        arm = threads.library.get(address.arm)
    thread = threads.open(arm, lambda moving: _restore(page, moving, address, positions))
    ui.context.client.on_delete(lambda: threads.leave(thread))
    drawer = side_panel(page)
    with ui.column().classes("horus-main gap-0 no-wrap"):
        bar = ui.row().classes("items-center full-width gap-1 q-px-sm q-py-xs")
        with ui.element("div").classes("col full-width").style("min-height:0;position:relative"):
            view = ArmView(thread.channel)
            model = ArmModel(page, thread, threads.library, view, address)
            build_readout(model)
    with bar:
        build_arm_choice(model)
        ui.separator().props("vertical")
        build_shown(model)
    with drawer:
        panel("Target", "my_location", lambda: TargetPanel(model), is_open=True)
        panel("Joints", "tune", lambda: JointRows(model), is_open=True)
        panel("Teach", "pan_tool", lambda: TeachSliders(model))
        panel("View", "3d_rotation", lambda: build_turn(model))
        panel("Recording", "fiber_manual_record", lambda: RecorderPanel(model))
        panel("Arm file", "upload_file", lambda: build_upload(model))
        panel("About this arm", "info", lambda: build_facts(model))
        panel("Log", "notes", lambda: build_log(page))
    _watch(model)
    if wrong:
        page.log.add(wrong, "error")
        with bar:
            message_label("Address message").text = wrong


def _restore(
    page: Page, moving: MovingArm, address: ArmAddress, positions: npt.NDArray[np.float64] | None
) -> None:
    """Brings an arm into the state that an address has."""
    if positions is not None:
        moving.put(moving.arm, positions)
    moving.set_method(address.method)
    if address.T_world_target is None:
        return
    try:
        moving.move_to(address.T_world_target, "pose" if len(address.target) > 3 else "position")
    except HorusError as error:
        page.log.add(str(error), "error")


def _watch(model: ArmModel) -> None:
    """Keeps the view and the address up to date."""
    drawn, noted, addressed = Changed(), Changed(), Changed()

    def show(state: ArmState) -> None:
        if drawn(state.revision):
            model.view.set_arm(describe(state.arm, state.revision))
        if noted(state.goals):
            model.view.set_note(state.answer.reason if state.answer is not None else "")

    def write_address() -> None:
        query = query_of(model.state, model.arm_name, model.turn, model.shown)
        if addressed(query):
            ui.navigate.history.replace(f"{PATH}?{query}")

    model.listen(show)
    model.refresh()
    model.page.every(_REFRESH_S, model.refresh)
    model.page.every(_ADDRESS_S, write_address)

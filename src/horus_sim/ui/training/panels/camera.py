"""How environments are looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.ui.kit.controls import choice
from horus_sim.ui.views.view3d.view3d import CameraMode

if TYPE_CHECKING:
    from collections.abc import Callable

    from horus_sim.ui.training.model.training_model import TrainingModel

_CAMERAS: dict[CameraMode, str] = {"orbit": "Orbit", "follow": "Follow", "top": "Top"}
_PLANAR: dict[CameraMode, str] = {"orbit": "Still", "follow": "Follow"}


def build_camera(model: TrainingModel, apply: Callable[[], object]) -> None:
    """How it is looked at."""

    def change(mode: CameraMode | None) -> None:
        model.camera = mode or "orbit"
        if mode == "follow" and not model.selected:
            model.select(1)
        model.write_address()
        apply()

    camera = choice("Camera", _CAMERAS, model.camera, lambda event: change(event.value))

    def offer() -> None:
        options = _PLANAR if model.status.is_planar else _CAMERAS
        if camera.options != options:
            camera.set_options(options, value=model.camera if model.camera in options else "orbit")

    model.on_show.append(offer)

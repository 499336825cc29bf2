"""The apps of the shell; another one joins by its line here."""

from __future__ import annotations

from horus_sim.ui.arm import page as arm
from horus_sim.ui.designer import page as designer
from horus_sim.ui.frames import page as frames
from horus_sim.ui.runner import page as runner
from horus_sim.ui.shell.page import App
from horus_sim.ui.training import page as training
from horus_sim.ui.world import page as world

APPS: tuple[App, ...] = (
    App("3D", world.PATH, "view_in_ar", world.build),
    App("2D", runner.PATH, "directions_car", runner.build),
    App("Design", designer.PATH, "design_services", designer.build),
    App("Arm", arm.PATH, "precision_manufacturing", arm.build),
    App("Training", training.PATH, "school", training.build),
    App("TF", frames.PATH, "account_tree", frames.build),
)

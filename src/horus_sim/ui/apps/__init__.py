"""The apps of the shell; another one joins by its line here."""

from __future__ import annotations

from horus_sim.ui.apps import arm, design, sim2d, sim3d, tf, training
from horus_sim.ui.shell import App

APPS: tuple[App, ...] = (
    App("3D", "/", "view_in_ar", sim3d.build),
    App("2D", "/sim2d", "directions_car", sim2d.build),
    App("Design", "/design", "design_services", design.build),
    App("Arm", arm.PATH, "precision_manufacturing", arm.build),
    App("Training", training.PATH, "school", training.build),
    App("TF", "/tf", "account_tree", tf.build),
)

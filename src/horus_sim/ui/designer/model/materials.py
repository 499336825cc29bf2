"""Materials to choose from; each of their values can be changed afterwards."""

from __future__ import annotations

from horus_sim.sim2d.scenario.schema import Material

MATERIALS: dict[str, Material] = {
    "plastic": Material(color=(70, 130, 180), friction=0.4, restitution=0.1),
    "wood": Material(color=(193, 154, 107), friction=0.5, restitution=0.2, reflect_distance=0.6),
    "steel": Material(color=(140, 150, 160), friction=0.3, restitution=0.3, reflect_distance=0.9),
    "rubber": Material(color=(60, 60, 66), friction=1.0, restitution=0.6, reflect_distance=0.2),
    "foam": Material(color=(240, 190, 90), friction=0.8, restitution=0.0, reflect_distance=0.4),
    "ice": Material(color=(190, 225, 240), friction=0.05, restitution=0.1, reflect_distance=0.3),
    "tape": Material(color=(20, 20, 20), friction=0.8, custom={"line_intensity": 1.0}),
}


def material_name(material: Material) -> str | None:
    """Under which name a material is listed, or None."""
    return next((name for name, known in MATERIALS.items() if known == material), None)

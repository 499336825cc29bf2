"""Which elements SDF 1.4 to 1.12 define, and which of them have a counterpart here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """The children that SDF defines for an element: those that are read, and the others."""

    read: frozenset[str]
    unread: frozenset[str] = frozenset()


def _known(read: str, unread: str = "") -> Known:
    return Known(frozenset(read.split()), frozenset(unread.split()))


SHAPES = "box sphere cylinder capsule cone ellipsoid plane mesh heightmap polyline image empty"

KNOWN = {
    "sdf": _known("world model light actor"),
    "world": _known(
        "include gravity magnetic_field physics scene light frame joint model plugin actor "
        "spherical_coordinates",
        "audio wind atmosphere gui road state population",
    ),
    "model": _known(
        "static self_collide frame pose link joint plugin include model",
        "allow_auto_disable gripper enable_wind",
    ),
    "include": _known("uri pose name static placement_frame plugin", "namespace"),
    "link": _known(
        "gravity pose inertial collision visual sensor light plugin",
        "enable_wind self_collide kinematic must_be_base_link velocity_decay projector audio_sink "
        "audio_source battery particle_emitter",
    ),
    "joint": _known(
        "parent child pose axis axis2 thread_pitch screw_thread_pitch gearbox_ratio "
        "gearbox_reference_body sensor plugin",
        "physics",
    ),
    "axis": _known("xyz limit dynamics mimic use_parent_model_frame initial_position"),
    "axis2": _known("xyz limit dynamics mimic use_parent_model_frame initial_position"),
    "frame": _known("pose"),
    "inertial": _known("mass pose inertia density", "fluid_added_mass auto_inertia_params"),
    "visual": _known(
        "pose geometry material transparency plugin",
        "cast_shadows laser_retro visibility_flags meta",
    ),
    "collision": _known(
        "pose geometry surface density", "max_contacts laser_retro auto_inertia_params"
    ),
    "geometry": _known(SHAPES),
    "material": _known(
        "ambient diffuse specular emissive script pbr shininess render_order lighting double_sided",
        "shader",
    ),
    "surface": _known("friction bounce contact", "soft_contact"),
    "light": _known(
        "pose cast_shadows diffuse specular attenuation direction spot intensity",
        "visualize light_on plugin",
    ),
}

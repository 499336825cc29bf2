"""What pictures of tasks have besides the robot: sky, sun and a floor with a grid."""

from __future__ import annotations

from horus_sim.robots.engine import mujoco

_GRID = "grid"


def add_sky(spec: mujoco.MjSpec, extent: float, centre: tuple[float, float, float]) -> None:
    """Adds a sky, and says what is to be seen.

    Args:
        spec: The spec of pictures.
        extent: Radius of what is to be seen [m]; what is near and what is far follows from it.
        centre: Its middle [m].
    """
    spec.stat.extent, spec.stat.center = extent, centre
    # The floor beyond the map of shadows is speckled: the map is to reach farther than one sees.
    spec.visual.map.shadowclip = 4.0
    spec.visual.headlight.ambient = (0.25, 0.25, 0.25)
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.75, 0.82, 0.9),
        rgb2=(0.95, 0.96, 0.98),
        width=64,
        height=384,
    )


def add_scenery(
    spec: mujoco.MjSpec,
    extent: float,
    cell: float,
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> None:
    """Adds a sky, light that comes from far above everywhere, and squares on the floor.

    Args:
        spec: The spec of pictures, with a shape called 'floor'.
        extent: Radius of what is to be seen [m].
        cell: Side of a square [m].
        centre: Middle of what is to be seen [m].
    """
    add_sky(spec, extent, centre)
    spec.worldbody.add_light(
        name="sun",
        pos=(0, 0, 4),
        dir=(0.2, 0.1, -1),
        diffuse=(0.6, 0.6, 0.6),
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
    )
    spec.add_texture(
        name=_GRID,
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=(0.62, 0.64, 0.66),
        rgb2=(0.55, 0.57, 0.6),
        width=64,
        height=64,
    )
    repeat = 0.5 / cell
    material = spec.add_material(name=_GRID, texrepeat=(repeat, repeat), texuniform=True)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = _GRID
    spec.geom("floor").material = _GRID

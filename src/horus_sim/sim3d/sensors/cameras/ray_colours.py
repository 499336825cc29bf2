"""Colours without OpenGL: those of the surfaces that rays meet, shaded by a lamp on the camera."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.sensors.rays.caster import RayHits

_AMBIENT = 0.5
_MOST = 255.0


class RayColours:
    """What the surfaces of a model look like.

    A surface has the colour of its material, or its own, times the mean of its texture. It is
    brightest where it is seen head-on; shadows, reflections and transparency are not there.

    Args:
        model: The model.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        rgb = model.geom_rgba[:, :3].astype(np.float64)
        emission = np.zeros(model.ngeom)
        painted = np.flatnonzero(model.geom_matid >= 0)
        materials = model.geom_matid[painted]
        rgb[painted] = model.mat_rgba[materials, :3]
        emission[painted] = model.mat_emission[materials]
        textures = model.mat_texid[materials, int(mujoco.mjtTextureRole.mjTEXROLE_RGB)]
        for texture in np.unique(textures[textures >= 0]):
            rgb[painted[textures == texture]] *= _mean_colour(model, int(texture))
        # The last entry stands for nothing, which has the index -1.
        self._rgb = np.vstack((rgb, _background(model)))
        self._emission = np.append(emission, 1.0)

    def of(self, hits: RayHits) -> npt.NDArray[np.uint8]:
        """Colours of what rays met, shape (n, 3)."""
        lit = _AMBIENT + (1.0 - _AMBIENT) * hits.cosines
        light = np.clip(lit + np.take(self._emission, hits.geoms), 0.0, 1.0)
        colours = np.take(self._rgb, hits.geoms, axis=0) * light[:, None]
        return np.rint(_MOST * np.clip(colours, 0.0, 1.0)).astype(np.uint8)


def _mean_colour(model: mujoco.MjModel, texture: int) -> npt.NDArray[np.float64]:
    """The mean of a texture, each channel from 0 to 1, shape (3,)."""
    channels = int(model.tex_nchannel[texture])
    start = int(model.tex_adr[texture])
    count = int(model.tex_width[texture]) * int(model.tex_height[texture]) * channels
    pixels = model.tex_data[start : start + count].reshape(-1, channels)
    mean = pixels.mean(axis=0) / _MOST
    return mean[:3] if channels >= 3 else np.full(3, mean[0])


def _background(model: mujoco.MjModel) -> npt.NDArray[np.float64]:
    """The colour of the sky, black without one, shape (3,)."""
    skies = np.flatnonzero(model.tex_type == int(mujoco.mjtTexture.mjTEXTURE_SKYBOX))
    return _mean_colour(model, int(skies[0])) if len(skies) else np.zeros(3)

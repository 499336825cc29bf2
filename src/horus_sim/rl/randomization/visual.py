"""What pictures look like: light, colours in HSV and textures, drawn for each episode.

They are written into the model that pictures show, when a picture of the environment is drawn. Each
writes all that is its own, from nominal values, so that nothing of the last picture stays.
"""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from horus_sim.errors import TaskError, UnknownTaskError
from horus_sim.files.names import propose
from horus_sim.rl.randomization.base import KindConfig, Randomization, Randomized
from horus_sim.rl.randomization.images import read_image
from horus_sim.rl.randomization.planar_visual import PlanarColour, PlanarLight, PlanarTexture
from horus_sim.rl.settings import Names, NotNegativeRange, Range
from horus_sim.robots.engine import mujoco

TEXTURES = "texture_"
"""Materials of the picture model whose names begin so are what `texture` chooses from."""
_IMAGE = "image_"
# The colour of a shape that has none of its own: MuJoCo shows that of its material, if it has one.
_UNSET = np.array([0.5, 0.5, 0.5, 1.0], np.float32)


class VisualRandomization(Randomization):
    """A randomization of the model that pictures show."""

    def dress(self, model: mujoco.MjModel, env: int) -> None:
        """Writes the look of one environment into the picture model."""
        raise NotImplementedError


class Light(VisualRandomization):
    """A factor on lights, and where they are."""

    def __init__(self, config: LightConfig, name: str, task: Randomized) -> None:
        model = task.picture_model
        limits = [config.brightness] + [config.shift] * (3 * model.nlight)
        super().__init__(name, task, limits, np.eye(1, len(limits))[0])
        head = model.vis.headlight
        self._head = [(field, np.array(getattr(head, field))) for field in ("ambient", "diffuse")]
        self._diffuse, self._ambient = model.light_diffuse.copy(), model.light_ambient.copy()
        self._places = model.light_pos.copy()

    def dress(self, model: mujoco.MjModel, env: int) -> None:
        """Sets the lights."""
        factor = self.drawn[env, 0]
        for field, nominal in self._head:
            getattr(model.vis.headlight, field)[:] = np.minimum(factor * nominal, 1.0)
        model.light_diffuse[:] = np.minimum(factor * self._diffuse, 1.0)
        model.light_ambient[:] = np.minimum(factor * self._ambient, 1.0)
        model.light_pos[:] = self._places + self.drawn[env, 1:].reshape(-1, 3)


class LightConfig(KindConfig):
    """Brightness and place of lights.

    Attributes:
        kind: 'light'.
        brightness: Least and largest factor on all lights.
        shift: Least and largest shift of each light's place along each axis [m].
    """

    builds = Light
    any_engine: ClassVar[bool] = True

    kind: Literal["light"]
    brightness: NotNegativeRange = (1.0, 1.0)
    shift: Range = (0.0, 0.0)

    def build(self, name: str, task: Randomized) -> Randomization:
        """The randomization of a task.

        Raises:
            TaskError: Lights are to move on the 2D simulator.
        """
        if task.sim.dimensions == 3:
            return super().build(name, task)
        if any(self.shift):
            raise TaskError(
                f"randomization '{name}': the 2D simulator has no lights that could be shifted; "
                "leave out shift"
            )
        return PlanarLight(name, task, self.brightness)


class Colour(VisualRandomization):
    """Shifts of colours in HSV."""

    def __init__(self, config: ColourConfig, name: str, task: Randomized) -> None:
        model = task.picture_model
        self._shapes = _shapes(model, config.names)
        shifts = [config.hue, config.saturation, config.value]
        count = len(self._shapes) if config.each else 1
        super().__init__(name, task, shifts * count)
        self._own = model.geom_rgba[self._shapes].copy()

    def dress(self, model: mujoco.MjModel, env: int) -> None:
        """Sets the colours, from those that the shapes have with their materials of now."""
        shifts = np.broadcast_to(self.drawn[env].reshape(-1, 3), (len(self._shapes), 3))
        for shape, own, shift in zip(self._shapes, self._own, shifts.tolist(), strict=True):
            material = int(model.geom_matid[shape])
            takes_material = material >= 0 and np.array_equal(own, _UNSET)
            red, green, blue, alpha = (model.mat_rgba[material] if takes_material else own).tolist()
            hue, saturation, value = colorsys.rgb_to_hsv(red, green, blue)
            rgb = colorsys.hsv_to_rgb(
                (hue + shift[0]) % 1.0,
                min(1.0, max(0.0, saturation + shift[1])),
                min(1.0, max(0.0, value + shift[2])),
            )
            # Into the shape, which hides its material's colour: others may have the same material.
            model.geom_rgba[shape] = (*rgb, alpha)
            if takes_material and np.array_equal(model.geom_rgba[shape], _UNSET):
                model.geom_rgba[shape, 0] = np.nextafter(_UNSET[0], np.float32(1.0))


class ColourConfig(KindConfig):
    """Colours, in hue, saturation and value, each from 0 to 1; hue goes round.

    Attributes:
        kind: 'colour'.
        names: Shapes of the picture model; all unless given.
        hue: Least and largest shift.
        saturation: Least and largest shift; what leaves 0 to 1 is cut.
        value: Least and largest shift; what leaves 0 to 1 is cut.
        each: Whether each shape gets numbers of its own.
    """

    builds = Colour
    any_engine: ClassVar[bool] = True

    kind: Literal["colour"]
    names: Names | None = None
    hue: Range = (0.0, 0.0)
    saturation: Range = (0.0, 0.0)
    value: Range = (0.0, 0.0)
    each: bool = False

    def build(self, name: str, task: Randomized) -> Randomization:
        """The randomization of a task."""
        if task.sim.dimensions == 3:
            return super().build(name, task)
        shifts = [self.hue, self.saturation, self.value]
        return PlanarColour(name, task, self.names, shifts, each=self.each)


class Texture(VisualRandomization):
    """One of several materials."""

    def __init__(self, config: TextureConfig, name: str, task: Randomized) -> None:
        model = task.picture_model
        self._shapes = _shapes(model, config.names)
        names = [model.mat(k).name for k in range(model.nmat)]
        first = _image_name(name) if config.images else TEXTURES
        self._materials = [k for k, mat in enumerate(names) if mat.startswith(first)]
        if not self._materials:
            raise TaskError(
                f"randomization '{name}': the picture model has no material '{first}*' to "
                "choose from; return a MjSpec from build_picture_model, to which they are added"
            )
        super().__init__(name, task, [(0.0, len(self._materials))] * len(self._shapes))

    def dress(self, model: mujoco.MjModel, env: int) -> None:
        """Sets the materials."""
        last = len(self._materials) - 1
        for shape, number in zip(self._shapes, self.drawn[env].tolist(), strict=True):
            model.geom_matid[shape] = self._materials[min(last, int(number))]


class TextureConfig(KindConfig):
    """One of some textures for each shape.

    Attributes:
        kind: 'texture'.
        names: Shapes of the picture model.
        images: Image files that are chosen from; four patterns unless given.
        image_size: Side of the squares on a floor that an image fills [m].
    """

    builds = Texture
    any_engine: ClassVar[bool] = True

    kind: Literal["texture"]
    names: Names
    images: tuple[Path, ...] = ()
    image_size: Annotated[float, Field(gt=0)] = 1.0

    def build(self, name: str, task: Randomized) -> Randomization:
        """The randomization of a task."""
        if task.sim.dimensions == 3:
            return super().build(name, task)
        return PlanarTexture(name, task, self.names, self.images, self.image_size)

    def add_images(self, spec: mujoco.MjSpec, name: str) -> None:
        """Adds a material for each image.

        Args:
            spec: The spec of pictures.
            name: Name of the randomization.

        Raises:
            TaskError: An image cannot be read.
        """
        for index, path in enumerate(self.images):
            # MuJoCo repeats by half lengths.
            _add_image(spec, f"{_image_name(name)}{index}", path, 2.0 / self.image_size)


def add_all_textures(spec: mujoco.MjSpec, randomization: Mapping[str, KindConfig]) -> None:
    """Adds patterns, and the images that randomizations choose from.

    Args:
        spec: The spec of pictures.
        randomization: The randomizations by name.

    Raises:
        TaskError: An image cannot be read.
    """
    add_textures(spec)
    for name, config in randomization.items():
        if isinstance(config, TextureConfig):
            config.add_images(spec, name)


def _image_name(name: str) -> str:
    return f"{_IMAGE}{name}_"


def _add_image(spec: mujoco.MjSpec, name: str, path: Path, repeat: float) -> None:
    pixels = read_image(path)
    texture = spec.add_texture(
        name=name,
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        width=pixels.shape[1],
        height=pixels.shape[0],
        nchannel=3,
    )
    texture.data = pixels.tobytes()
    material = spec.add_material(name=name, texrepeat=(repeat, repeat), texuniform=True)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name


def add_textures(spec: mujoco.MjSpec) -> None:
    """Adds materials that `texture` chooses from: plain, checkered in two sizes, and speckled."""
    kinds, marks = mujoco.mjtBuiltin, mujoco.mjtMark
    patterns = (
        (kinds.mjBUILTIN_FLAT, marks.mjMARK_NONE, 1.0),
        (kinds.mjBUILTIN_CHECKER, marks.mjMARK_NONE, 2.0),
        (kinds.mjBUILTIN_CHECKER, marks.mjMARK_EDGE, 8.0),
        (kinds.mjBUILTIN_FLAT, marks.mjMARK_RANDOM, 2.0),
    )
    for index, (kind, mark, repeat) in enumerate(patterns):
        name = f"{TEXTURES}{index}"
        spec.add_texture(
            name=name,
            type=mujoco.mjtTexture.mjTEXTURE_2D,
            builtin=kind,
            mark=mark,
            rgb1=(0.55, 0.55, 0.5),
            rgb2=(0.35, 0.4, 0.45),
            markrgb=(0.8, 0.75, 0.7),
            random=0.05,
            width=64,
            height=64,
        )
        material = spec.add_material(name=name, texrepeat=(repeat, repeat), texuniform=True)
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name


def _shapes(model: mujoco.MjModel, names: tuple[str, ...] | None) -> list[int]:
    known = {model.geom(k).name: k for k in range(model.ngeom)}
    for name in names or ():
        if name not in known:
            raise UnknownTaskError(propose(name, known, "the picture model", "shape"))
    return list(range(model.ngeom)) if names is None else [known[name] for name in names]

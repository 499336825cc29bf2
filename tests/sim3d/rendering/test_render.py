"""Pictures, where there is OpenGL, and a clear word where there is none."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from horus_sim.errors import RenderError, SceneError
from horus_sim.sim3d import ObjectConfig, Scene, World
from horus_sim.sim3d.rendering import gl
from horus_sim.tf import Transform


def has_gl() -> bool:
    try:
        gl.choose_backend()
    except RenderError:
        return os.environ.get("CI") == "true"  # there it is required
    return True


needs_gl = pytest.mark.skipif(not has_gl(), reason=f"no OpenGL: {gl.REMEDY}")


@pytest.fixture
def world() -> World:
    return World.load(
        Scene.model_validate(
            {
                "objects": [
                    {
                        "name": "red",
                        "shape": {"kind": "sphere", "radius": 0.5},
                        "material": {"rgba": [1, 0, 0, 1], "emission": 1.0},
                    }
                ],
                "background": [0.0, 0.0, 1.0, 1.0],
                "cameras": [
                    {"name": "side", "position": [0, -4, 0], "target": [0, 0, 0]},
                    {"name": "riding", "mount": "red", "position": [0, -4, 0]},
                ],
            }
        )
    )


def reddish(image: np.ndarray) -> np.ndarray:
    return (image[..., 0] > 150) & (image[..., 2] < 100)


@needs_gl
def test_a_camera_sees_what_is_there(world: World):
    image = world.render("side", 320, 240)
    assert image.shape == (240, 320, 3)
    assert image.dtype == np.uint8
    assert reddish(image)[120, 160]
    assert not reddish(image)[5, 5]
    # A ball of 0.5 m, 4 m away, in a vertical view of 45 degrees.
    rows = np.flatnonzero(reddish(image).any(axis=1))
    half = np.tan(np.arcsin(0.5 / 4)) / np.tan(np.deg2rad(22.5)) * 120
    assert (rows.max() - rows.min() + 1) / 2 == pytest.approx(half, abs=2)


@needs_gl
def test_pictures_follow_what_moves(world: World):
    world.move("red", Transform((1.0, 0.0, 0.0)))
    columns = np.flatnonzero(reddish(world.render("side", 320, 240)).any(axis=0))
    assert columns.mean() > 180
    riding = reddish(world.render("riding", 320, 240))
    assert riding[120, 160]
    world.spawn(ObjectConfig.model_validate({"name": "floor", "shape": {"kind": "plane"}}))
    assert world.render(None, 64, 48).shape == (48, 64, 3)


@needs_gl
def test_wrong_cameras_and_sizes_are_explained(world: World):
    with pytest.raises(SceneError, match="no camera 'sid'; did you mean 'side'"):
        world.render("sid")
    with pytest.raises(SceneError, match="up to 1920 by 1080 pixels, not 5000 by 10"):
        world.render("side", 5000, 10)


@needs_gl
def test_pictures_can_be_taken_in_any_thread(world: World):
    first = world.render()
    with ThreadPoolExecutor(2) as pool:
        others = list(pool.map(lambda _: world.render(), range(4)))
    assert all(np.array_equal(first, other) for other in others)


@needs_gl
def test_worlds_that_were_drawn_are_forgotten_in_any_thread():
    def draw(_: int) -> None:
        World.load("empty_world").render(width=64, height=48)
        gc.collect()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(draw, range(6)))
    gc.collect()


def test_without_opengl_the_error_says_what_to_install(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(gl, "_loads", lambda library: False)
    with pytest.raises(RenderError, match=re.escape(f"cannot be loaded; {gl.REMEDY}")):
        world.render()
    world.step(10)


@pytest.mark.parametrize(
    ("platform", "system", "remedy"),
    [
        (
            "linux",
            "debian",
            "run: sudo apt-get install libegl1 libopengl0 libgl1-mesa-dri",
        ),
        (
            "linux",
            "fedora",
            "run: sudo dnf install mesa-libEGL libglvnd-opengl mesa-dri-drivers",
        ),
        (
            "linux",
            "other",
            "install EGL and OpenGL (libEGL.so.1) with your system's package manager",
        ),
        ("darwin", "macos", "OpenGL is a part of this system: look after its graphics driver"),
        ("win32", "other", "OpenGL is a part of this system: look after its graphics driver"),
    ],
)
def test_the_remedy_is_that_of_the_system(
    platform: str, system: str, remedy: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(gl.probes, "system", lambda: system)
    assert gl._remedy() == remedy


def test_the_environment_decides(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gl, "_failures", {"glfw": None, "osmesa": None})
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    assert gl.choose_backend() == "glfw"
    monkeypatch.setenv("MUJOCO_GL", "off")
    with pytest.raises(RenderError, match=r"MUJOCO_GL=off turns OpenGL off; unset .*"):
        gl.choose_backend()
    monkeypatch.setenv("MUJOCO_GL", "eggl")
    with pytest.raises(RenderError, match=r"MUJOCO_GL=eggl is unknown; unset it or set it to.*egl"):
        gl.choose_backend()
    monkeypatch.delenv("MUJOCO_GL")
    monkeypatch.setattr(gl, "_loads", lambda library: "OSMesa" in library)
    assert gl.choose_backend() == "osmesa"


DEPTH_WITHOUT_A_DRIVER = """
from horus_sim.errors import RenderError
from horus_sim.sim3d import World
from horus_sim.sim3d.sensors import DepthCameraConfig, RgbCameraConfig
world = World.load("tabletop")
colours = world.sensors.add(RgbCameraConfig(mount="world", backend="gl"))
depth = world.sensors.add(DepthCameraConfig(mount="world", pose={"xyz": (-1, 0, 1)}))
plain = world.sensors.add(RgbCameraConfig(name="b", mount="world", pose={"xyz": (-1, 0, 1)}))
world.step(30)
print(depth.backend, depth.read().depth.shape, plain.read().data.shape)
for _ in range(2):
    try:
        colours.read()
    except RenderError as error:
        print(error)
"""


@pytest.mark.parametrize("way", ["", "osmesa", "glfw"])
def test_libraries_that_load_but_do_not_start_are_like_none(way: str, tmp_path: Path):
    hidden = {"__EGL_VENDOR_LIBRARY_DIRS": str(tmp_path), "LIBGL_DRIVERS_PATH": str(tmp_path)}
    kept = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "MUJOCO_GL")}
    result = subprocess.run(
        [sys.executable, "-c", DEPTH_WITHOUT_A_DRIVER],
        capture_output=True,
        text=True,
        check=False,
        env=kept | hidden | ({"MUJOCO_GL": way} if way else {}),
    )
    assert result.returncode == 0, result.stderr
    first, *errors = result.stdout.splitlines()
    assert first == "rays (120, 160) (120, 160, 3)"
    assert len(errors) == 2
    assert all(gl.REMEDY in error for error in errors)


def test_a_camera_on_nothing_is_refused():
    with pytest.raises(SceneError, match=r"camera 'eye'.*no link or object 'nobody'"):
        World.load(Scene.model_validate({"cameras": [{"name": "eye", "mount": "nobody"}]}))


def test_physics_runs_whatever_the_environment_names():
    program = "from horus_sim.sim3d import World; World.load('empty_world').step(2); print('fine')"
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MUJOCO_GL": "nonsense"},
    )
    assert result.stdout == "fine\n", result.stderr


@needs_gl
@pytest.mark.parametrize("casts_shadows", [True, False])
def test_nice_pictures_have_the_shadows_that_lights_cast(*, casts_shadows: bool):
    sphere = {"kind": "sphere", "radius": 0.3}
    world = World.load(
        Scene.model_validate(
            {
                "objects": [
                    {"name": "floor", "shape": {"kind": "plane", "size": [10, 10]}},
                    {"name": "ball", "shape": sphere, "pose": {"xyz": [0, 0, 1]}},
                ],
                "lights": [
                    {"name": "sun", "direction": [0.7, 0, -0.7], "casts_shadows": casts_shadows}
                ],
                "cameras": [{"name": "above", "position": [0, 0, 6], "target": [0, 0, 0]}],
            }
        )
    )
    fast = world.render("above", 160, 120).astype(int)
    nice = world.render("above", 160, 120, quality="nice").astype(int)
    darker = ((fast - nice).sum(axis=2) > 30).sum()
    assert (darker > 50) == casts_shadows
    assert np.array_equal(world.render("above", 160, 120), fast)


@needs_gl
def test_a_quality_is_fast_or_nice(world: World):
    with pytest.raises(SceneError, match="is 'fast' or 'nice', not 'best'"):
        world.render(quality="best")  # type: ignore[arg-type]

"""Colour cameras: what they see, where, in which frames, and without OpenGL."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
from PIL import Image
from pydantic import ValidationError

from horus_sim.errors import RenderError
from horus_sim.sim3d import ObjectConfig, Scene, World
from horus_sim.sim3d.rendering import gl
from horus_sim.sim3d.rendering.distortion import distort
from horus_sim.sim3d.rendering.render_worker import worker
from horus_sim.sim3d.sensors.cameras.camera import RgbCamera, RgbCameraConfig
from horus_sim.sim3d.sensors.noise import NoiseConfig
from horus_sim.tf import Transform

from ..poses import posed


def has_gl() -> bool:
    try:
        gl.choose_backend()
    except RenderError:
        return os.environ.get("CI") == "true"  # there it is required
    return True


needs_gl = pytest.mark.skipif(not has_gl(), reason=f"no OpenGL: {gl.REMEDY}")

STUDIO = {
    "background": [0.0, 0.0, 1.0, 1.0],
    "lights": [
        {"name": "lamp", "direction": [1, 0, 0], "diffuse": [0.4, 0.4, 0.4], "specular": [0, 0, 0]}
    ],
    "objects": [
        {
            "name": "wall",
            "shape": {"kind": "box", "size": [0.2, 8, 4]},
            "pose": {"xyz": [4.1, 0, 1]},
            "material": {"rgba": [0.5, 0.25, 0.75, 1], "roughness": 1.0},
        },
        {
            "name": "ball",
            "shape": {"kind": "sphere", "radius": 0.1},
            "pose": {"xyz": [3, 0.6, 1.4]},
            "material": {"rgba": [1, 0, 0, 1], "emission": 1.0, "roughness": 1.0},
        },
    ],
}


@pytest.fixture
def studio() -> World:
    return World.load(Scene.model_validate(STUDIO))


def camera(world: World, **fields) -> RgbCamera:
    options = {"mount": "world", "xyz": (0, 0, 1), "width": 320, "height": 240} | fields
    return RgbCameraConfig(**posed(**options)).build(world)


def red_middle(image: np.ndarray) -> np.ndarray:
    red = (image[..., 0] > 200) & (image[..., 1] < 60) & (image[..., 2] < 60)
    v, u = np.nonzero(red)
    assert len(u) > 20
    return np.array((u.mean(), v.mean()))


@needs_gl
def test_colours_of_a_lit_wall(studio):
    """Ambient 0.35, the camera's own lamp 0.3 and the scene's 0.4, both head-on."""
    image = camera(studio).measure()
    assert image.encoding == "rgb8"
    assert image.data.shape == (240, 320, 3)
    light = 0.35 + 0.3 + 0.4
    expected = 255 * np.minimum(np.array((0.5, 0.25, 0.75)) * light, 1.0)
    np.testing.assert_allclose(image.data[120, 160], expected, atol=3)
    assert image.data[120, 160].astype(int) == pytest.approx(image.data[60, 60].astype(int), abs=12)


@needs_gl
def test_an_emitting_ball_is_where_the_matrix_projects_it(studio):
    for fields in (
        {"fov_deg": 70.0},
        {"K": ((250.0, 0, 140.0), (0, 200.0, 150.0), (0, 0, 1)), "rpy": (0.1, 0.05, 0.1)},
    ):
        sensor = camera(studio, name=f"c{len(fields)}", **fields)
        ball = sensor.T_world_optical.inverse().transform_point((3.0, 0.6, 1.4))
        (expected,) = sensor.intrinsics.project([ball])
        np.testing.assert_allclose(red_middle(sensor.measure().data), expected, atol=0.6)


@needs_gl
def test_a_lens_bends_the_picture(studio):
    lens = (-0.3, 0.1, 0.002, -0.003, 0.0)
    sensor = camera(studio, fov_deg=50.0, distortion=lens)
    ball = sensor.T_world_optical.inverse().transform_point((3.0, 0.6, 1.4))
    x, y = distort(np.array(ball[0] / ball[2]), np.array(ball[1] / ball[2]), lens)
    focal = sensor.intrinsics
    expected = focal.fx * x + focal.cx, focal.fy * y + focal.cy
    np.testing.assert_allclose(focal.project([ball])[0], expected)
    straight = focal.without_lens().project([ball])[0]
    found = red_middle(sensor.measure().data)
    np.testing.assert_allclose(found, expected, atol=0.6)
    assert np.linalg.norm(straight - found) > 1.0
    assert sensor.info().distortion_model == "plumb_bob"
    np.testing.assert_array_equal(sensor.info().distortion, lens)


@needs_gl
def test_nice_pictures_have_smooth_edges(studio):
    fast = camera(studio).measure().data
    nice = camera(studio, name="nice", quality="nice").measure().data
    assert len(np.unique(nice.reshape(-1, 3), axis=0)) > len(np.unique(fast.reshape(-1, 3), axis=0))
    np.testing.assert_allclose(nice[120, 160], fast[120, 160], atol=2)


def test_both_frames_are_in_the_tree(studio):
    sensor = camera(studio, mount="wall", xyz=(0, 0, 1), rpy=(0, 0, 0.5), name="eye")
    assert sensor.frame == "wall/eye"
    assert sensor.optical_frame == "wall/eye_optical_frame"
    T_eye_optical = studio.tf.frame_pose(sensor.optical_frame, sensor.frame)
    # Right, down and forward of the optical frame are -y, -z and x of the sensor.
    assert T_eye_optical.transform_vector((1, 0, 0)) == pytest.approx((0, -1, 0), abs=1e-12)
    assert T_eye_optical.transform_vector((0, 1, 0)) == pytest.approx((0, 0, -1), abs=1e-12)
    assert T_eye_optical.transform_vector((0, 0, 1)) == pytest.approx((1, 0, 0), abs=1e-12)
    T_world_optical = studio.tf.frame_pose(sensor.optical_frame, "world")
    np.testing.assert_allclose(
        T_world_optical.to_matrix(), sensor.T_world_optical.to_matrix(), atol=1e-12
    )
    info = sensor.info()
    assert (info.frame_id, info.width, info.height) == (sensor.optical_frame, 320, 240)
    np.testing.assert_array_equal(info.K, sensor.intrinsics.K)
    # image_geometry rectifies nothing whose model it does not know.
    assert info.distortion_model == "plumb_bob"
    np.testing.assert_array_equal(info.distortion, np.zeros(5))
    sensor.detach()
    assert not studio.tf.has_frame(sensor.optical_frame)
    assert not studio.tf.has_frame(sensor.frame)


@needs_gl
def test_pictures_follow_their_mount_and_a_world_that_changes(studio):
    cart = {"name": "cart", "shape": {"kind": "box", "size": [0.1, 0.1, 0.1]}}
    studio.spawn(ObjectConfig.model_validate(cart), pose=Transform((0.0, 0.0, 1.0)))
    sensor = camera(studio, mount="cart", xyz=(0.2, 0, 0), fov_deg=60.0)
    before = red_middle(sensor.measure().data)
    studio.move("cart", Transform((0.0, 0.6, 1.4)))
    after = red_middle(sensor.measure().data)
    assert after == pytest.approx((159.5, 119.5), abs=0.6)
    assert before[0] < after[0]
    studio.remove("ball")
    sensor.rebind()
    with pytest.raises(AssertionError):
        red_middle(sensor.measure().data)


@needs_gl
def test_noise_of_pixels(studio):
    noise = NoiseConfig(std=5.0, dropout=0.01)
    sensor = camera(studio, width=64, height=48, fov_deg=20.0, noise=noise)
    errors = sensor.read().data.astype(float) - sensor.measure().data
    black = sensor.read().data == 0
    assert black.mean() == pytest.approx(0.01, abs=4 * 0.1 / np.sqrt(errors.size))
    kept = errors[~black]
    assert kept.std() == pytest.approx(5.0, rel=0.05)
    state = sensor.get_state()
    studio.step(8)
    sensor.update(studio.stamp_ns)
    first = sensor.read()
    sensor.set_state(state)
    sensor.update(studio.stamp_ns)
    assert sensor.read() == first


@needs_gl
def test_threads_share_one_worker(studio):
    sensor = camera(studio)
    expected = sensor.measure()
    found = []
    threads = [threading.Thread(target=lambda: found.append(sensor.measure())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@needs_gl
def test_an_error_in_a_job_reaches_who_asked(studio):
    with pytest.raises(ZeroDivisionError):
        worker.draw(studio.model, "fast", lambda _: 1 // 0)
    worker.close()
    assert camera(studio).measure().data.any()


@needs_gl
def test_a_program_with_a_camera_ends_quietly():
    program = """
from horus_sim.sim3d import World
from horus_sim.sim3d.sensors.cameras.camera import RgbCameraConfig
world = World.load("tabletop")
for quality in ("fast", "nice"):
    config = RgbCameraConfig(mount="world", name=quality, quality=quality, pose={"xyz": (0, 0, 3)})
    print(config.build(world).read().data.shape)
"""
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.stderr) == ("(480, 640, 3)\n(480, 640, 3)\n", "")


@pytest.mark.parametrize(
    ("off", "cause"),
    [
        (False, "pictures need OpenGL, and libEGL.so.1 or libOSMesa.so.8 cannot be loaded; "),
        (
            True,
            (
                "MUJOCO_GL=disabled turns OpenGL off; unset it or set it to egl; where OpenGL is "
                "missing, "
            ),
        ),
    ],
)
def test_without_opengl_rays_take_the_picture(
    studio, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, off, cause
):
    if off:
        monkeypatch.setenv("MUJOCO_GL", "disabled")
    else:
        monkeypatch.delenv("MUJOCO_GL", raising=False)
        monkeypatch.setattr(gl, "_loads", lambda library: False)
    with caplog.at_level(logging.WARNING, "horus_sim.sim3d"):
        sensor = camera(studio, width=640, height=480)
        for _ in range(3):
            studio.step(8)
            sensor.update(studio.stamp_ns)
    (record,) = caplog.records
    assert record.message == (
        "camera 'camera' casts rays for 160 by 120 pixels instead of 640 by 480, in plain colours "
        f"with simple shading: {cause}{gl.REMEDY}"
    )
    assert sensor.sequence == 3
    assert sensor.read().data.shape == (120, 160, 3)


def test_rays_see_the_colours_of_surfaces(studio, caplog: pytest.LogCaptureFixture):
    sensor = camera(studio, backend="rays", fov_deg=100.0)
    assert not caplog.records
    image = sensor.measure().data
    assert image.shape == (240, 320, 3)
    # Head-on the wall has its own colour; beside, less light by the cosine of its ray.
    wall = 255 * np.array((0.5, 0.25, 0.75))
    np.testing.assert_allclose(image[119:121, 159:161].reshape(-1, 3), [wall] * 4, atol=1)
    x, y, _ = sensor.intrinsics.unproject(np.ones((240, 320)))[60, 280]
    cosine = 1.0 / np.sqrt(1.0 + x * x + y * y)
    np.testing.assert_allclose(image[60, 280], (0.5 + 0.5 * cosine) * wall, atol=1)
    # The ball shines by itself, and beyond the wall is the sky.
    ball = sensor.intrinsics.project(
        [sensor.T_world_optical.inverse().transform_point((3.0, 0.6, 1.4))]
    )
    np.testing.assert_allclose(red_middle(image), ball[0], atol=0.6)
    np.testing.assert_array_equal(image[0, 160], (0, 0, 255))


@needs_gl
def test_rays_and_opengl_see_the_same_things(studio):
    drawn = camera(studio, fov_deg=100.0).measure().data.astype(float)
    cast = camera(studio, name="b", fov_deg=100.0, backend="rays").measure().data.astype(float)
    # The light differs, the share of each channel does not; edges may differ by a pixel.
    shares = [image / np.maximum(image.sum(axis=-1, keepdims=True), 1.0) for image in (drawn, cast)]
    differs = np.abs(shares[0] - shares[1]).max(axis=-1) > 0.03
    assert differs.mean() < 0.01


def test_a_mean_colour_stands_for_a_texture(tmp_path):
    pixels = np.zeros((4, 4, 3), np.uint8)
    pixels[:2] = (200, 100, 0)
    Image.fromarray(pixels).save(tmp_path / "stripes.png")
    scene = {
        "objects": [
            {
                "name": "wall",
                "shape": {"kind": "box", "size": [0.2, 8, 4]},
                "pose": {"xyz": [2.1, 0, 1]},
                "material": {"texture": "stripes.png", "rgba": [1, 1, 1, 1]},
            }
        ]
    }
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(scene))
    image = camera(World.load(path), backend="rays").measure().data
    np.testing.assert_allclose(image[120, 160], (100, 50, 0), atol=1)


def test_who_wants_opengl_gets_an_error_without(
    studio, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(gl, "_loads", lambda library: False)
    sensor = camera(studio, backend="gl")
    with caplog.at_level(logging.WARNING, "horus_sim.sim3d"):
        for _ in range(3):
            studio.step(8)
            sensor.update(studio.stamp_ns)
    (record,) = caplog.records
    assert record.message == (
        "camera 'camera' takes no pictures: pictures need OpenGL, and libEGL.so.1 or "
        f"libOSMesa.so.8 cannot be loaded; {gl.REMEDY}"
    )
    assert sensor.sequence == 0
    with pytest.raises(RenderError, match=re.escape(gl.REMEDY)):
        sensor.read()


def test_wrong_configurations_are_explained():
    with pytest.raises(ValidationError, match="give 'fov_deg' or 'K', not both"):
        RgbCameraConfig(mount="world", fov_deg=60.0, K=((1, 0, 1), (0, 1, 1), (0, 0, 1)))
    with pytest.raises(ValidationError, match=r"'K' is \[\[fx, 0, cx\]"):
        RgbCameraConfig(mount="world", K=((1, 2, 1), (0, 1, 1), (0, 0, 1)))
    with pytest.raises(ValidationError, match="'near' must be less than 'far'"):
        RgbCameraConfig(mount="world", near=2.0, far=1.0)

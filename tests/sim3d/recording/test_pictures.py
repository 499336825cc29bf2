"""Videos and datasets."""

from __future__ import annotations

import contextlib
import errno
import json
import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from horus_sim.errors import RecordingError, RenderError, SceneError
from horus_sim.files.whole_file import replacing
from horus_sim.running import RunningWorld
from horus_sim.sim3d import RobotConfig, Scene, World
from horus_sim.sim3d.recording import DatasetConfig, VideoConfig, VideoRecorder, export_dataset
from horus_sim.sim3d.rendering.gl import choose_backend
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.scene import CameraConfig
from horus_sim.sim3d.scene.shapes import BoxShape, MaterialConfig

try:
    choose_backend()
except RenderError as error:
    pytest.skip(str(error), allow_module_level=True)

SMALL = VideoConfig(width=64, height=48)


def small(**changes):
    return SMALL.model_copy(update=changes)


@pytest.fixture
def world():
    """A red wall, 2 m square, whose face is 3 m before the camera 'front'."""
    red = MaterialConfig(rgba=(1.0, 0.0, 0.0, 1.0))
    wall = ObjectConfig(
        name="wall",
        shape=BoxShape(size=(0.2, 2.0, 2.0)),
        pose=PoseConfig(xyz=(3.1, 0.0, 0.0)),
        material=red,
    )
    front = CameraConfig(name="front", position=(0.0, 0.0, 0.0), target=(1.0, 0.0, 0.0))
    return World.load(Scene(name="wall", objects=(wall,), cameras=(front,)))


def decoded(path):
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
        assert stream.average_rate is not None
        return float(stream.average_rate), frames


def test_an_mp4_has_a_picture_for_each_frame_of_simulated_time(world, tmp_path):
    path = tmp_path / "out.mp4"
    config = small(camera="front", fps=20.0)
    with VideoRecorder(world, path, config) as film, RunningWorld(world) as running:
        film.after_step(world)
        running.observers.append(film.after_step)
        running.step(round(1.0 / world.timestep))
    assert film.frames == 21
    assert film.summary() == f"filmed 21 pictures to {path}"
    rate, frames = decoded(path)
    assert (rate, len(frames), frames[0].shape) == (20.0, 21, (48, 64, 3))
    red, green, blue = frames[-1][24, 32].astype(int)
    assert red > green + 60
    assert red > blue + 60


def test_a_gif_moves(world, tmp_path):
    path = tmp_path / "out.gif"
    with VideoRecorder(world, path, small(camera="front", fps=10.0)) as film:
        for _ in range(5):
            film.after_step(world)
            world.step(round(0.1 / world.timestep))
            world.move("wall", world.objects["wall"].pose @ PoseConfig(xyz=(0, 0.1, 0)).transform())
    with Image.open(path) as picture:
        assert picture.size == (64, 48)
        assert getattr(picture, "n_frames", 1) == film.frames == 5


def test_a_full_disk_ends_the_film_and_nothing_else(world, tmp_path):
    path = tmp_path / "out.mp4"
    path.write_bytes(b"the old film")
    with VideoRecorder(world, path, SMALL, full_file) as film:
        film.after_step(world)
        for _ in range(600):
            world.step()
            film.after_step(world)
    assert film.error is not None
    assert film.summary() == (
        f"filmed {film.frames} pictures; the video '{path}' was not written: No space left on "
        "device; free some space or film to another place"
    )
    assert path.read_bytes() == b"the old film"
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@contextlib.contextmanager
def full_file(path):
    # On this device every write fails.
    with replacing(path), open("/dev/full", "wb") as full:  # noqa: PTH123
        yield full


def test_videos_that_cannot_be_made(world, tmp_path):
    with pytest.raises(RecordingError, match=r"a video ends in .mp4 or .gif, not 'out.avi'"):
        VideoRecorder(world, tmp_path / "out.avi")
    with pytest.raises(SceneError, match="has no camera 'frnt'; did you mean 'front'"):
        VideoRecorder(world, tmp_path / "out.mp4", VideoConfig(camera="frnt"))
    with pytest.raises(RecordingError, match="even width and height, not 63 by 48"):
        VideoRecorder(world, tmp_path / "out.mp4", VideoConfig(width=63, height=48))
    with pytest.raises(RecordingError, match="cannot be written: No such file"):
        VideoRecorder(world, tmp_path / "absent" / "out.mp4", SMALL)


def test_a_dataset_agrees_with_geometry(world, tmp_path):
    folder = tmp_path / "data"
    counted = []
    config = DatasetConfig(camera="front", frames=3, every=0.1, width=160, height=120)
    assert export_dataset(world, folder, config, counted.append) == 3
    assert counted == [1, 1, 1]
    K = np.array(json.loads((folder / "camera.json").read_text())["K"])
    names = json.loads((folder / "labels.json").read_text())
    lines = [json.loads(line) for line in (folder / "frames.jsonl").read_text().splitlines()]
    stamps = [line["stamp_ns"] for line in lines]
    assert stamps == [0, 100_000_000, 200_000_000]
    assert lines[0]["poses"]["wall"]["translation"] == [3.1, 0.0, 0.0]
    depth = np.load(folder / "depth" / "000002.npy")
    labels = np.array(Image.open(folder / "labels" / "000002.png"))
    colours = np.array(Image.open(folder / "rgb" / "000002.png"))
    assert depth.shape == labels.shape == colours.shape[:2] == (120, 160)
    wall = int(next(label for label, name in names.items() if name == "wall"))
    # A square of 2 m at 3 m: its edges are at f / 3 pixels from the middle.
    half = K[0, 0] / 3.0
    rows, columns = np.nonzero(labels == wall)
    assert columns.min() == pytest.approx(K[0, 2] - half, abs=1.0)
    assert columns.max() == pytest.approx(K[0, 2] + half, abs=1.0)
    assert rows.min() == pytest.approx(K[1, 2] - half, abs=1.0)
    inside = labels == wall
    np.testing.assert_allclose(depth[inside], 3.0, atol=1e-3)
    assert np.isinf(depth[~inside]).all()
    assert (colours[inside][:, 0] > colours[inside][:, 1]).all()
    # The optical frame: z forward along the world's x, x right along -y, y down.
    x, y, z, w = lines[0]["T_world_optical"]["rotation"]
    assert np.allclose(np.abs([x, y, z, w]), 0.5)


def test_datasets_that_cannot_be_made(world, tmp_path):
    (tmp_path / "something").write_text("x")
    with pytest.raises(RecordingError, match="is not empty; choose another folder"):
        export_dataset(world, tmp_path)
    with pytest.raises(SceneError, match="has no camera 'back'"):
        export_dataset(world, tmp_path / "a", DatasetConfig(camera="back"))
    bare = World.load(Scene(robots=(RobotConfig(name="arm", model="arm6"),)))
    with pytest.raises(SceneError, match="the world has no camera; add one to the scene"):
        export_dataset(bare, tmp_path / "b")


def test_a_dataset_on_a_full_disk_ends_with_the_cause(world, tmp_path, monkeypatch):
    def full(path, data):
        if path.name == "000002.npy":
            raise OSError(errno.ENOSPC, "No space left on device")
        with path.open("wb") as file:
            return file.write(data)

    monkeypatch.setattr(Path, "write_bytes", full)
    text = "cannot be written: No space left on device; 2 of 9 pictures are whole; free some space"
    config = DatasetConfig(width=32, height=24, frames=9)
    with pytest.raises(RecordingError, match=text):
        export_dataset(world, tmp_path / "data", config)
    assert len((tmp_path / "data" / "frames.jsonl").read_text().splitlines()) == 2
    assert (tmp_path / "data" / "labels.json").is_file()


def test_without_opengl_a_video_gives_the_line_to_install_it(tmp_path):
    program = (
        "import ctypes, sys\n"
        "real = ctypes.CDLL\n"
        "def load(name, *arguments, **options):\n"
        "    if any(word in str(name) for word in ('EGL', 'GL.so', 'OSMesa', 'glfw')):\n"
        "        raise OSError(name)\n"
        "    return real(name, *arguments, **options)\n"
        "ctypes.CDLL = load\n"
        "from horus_sim.cli.app import main\n"
        "main(['sim3d', 'empty_world', '--headless', *sys.argv[1:]])\n"
    )
    for option in (("--video", "out.mp4"), ("--dataset", "data")):
        result = subprocess.run(
            [sys.executable, "-c", program, *option],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert result.returncode == 1
        assert "apt" in result.stderr
        assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())

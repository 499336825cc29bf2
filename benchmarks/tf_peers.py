"""The peers of the transform benchmark, each filled with the same samples.

One that is not installed is left out.
"""

from __future__ import annotations

import importlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from measure import call_ns, cpu_ns
from tf_world import SOURCE, STEP_NS, TARGET, Link, random_times_ns

if TYPE_CHECKING:
    import numpy.typing as npt


def horus(links: list[Link]) -> tuple[dict[str, float], npt.NDArray[np.float64]]:
    """`horus-robotics`: measures [ns] by name, and its answer at one time, to compare."""
    module: Any = importlib.import_module("horus")
    count = len(links[0].stamps_ns)
    frames = module.TransformFrame(module.TransformFrameConfig(max_frames=256, history_len=1_024))
    frames.register_frame(TARGET, None)
    for link in links:
        frames.register_frame(link.child, link.parent)
    for link in links:
        for k in range(count):
            value = module.Transform(link.translations[k].tolist(), link.rotations[k].tolist())
            frames.update_transform(link.child, value, int(link.stamps_ns[k]))
    times = random_times_ns().tolist()
    a = module.Transform([1.0, 2.0, 3.0], [0.0, 0.0, 0.6, 0.8])

    def any_time() -> None:
        for time_ns in times:
            frames.tf_at(SOURCE, TARGET, time_ns)

    def unknown() -> None:
        with suppress(module.HorusNotFoundError):
            frames.tf("nowhere", TARGET)

    answer = frames.tf_at(SOURCE, TARGET, times[0])
    stamp = iter(range(int(links[0].stamps_ns[-1]) + STEP_NS, 2**62, STEP_NS))
    measures = {
        "latest": call_ns(frames.tf, SOURCE, TARGET),
        "any_time": cpu_ns(any_time, len(times)),
        "construct": call_ns(module.Transform, [1.0, 2.0, 3.0], [0.0, 0.0, 0.6, 0.8]),
        "compose": call_ns(a.compose, a),
        "inverse": call_ns(a.inverse),
        "error": call_ns(unknown),
        "add": call_ns(lambda: frames.update_transform(SOURCE, a, next(stamp))),
    }
    measures["latest_changed"] = measures[
        "latest"
    ]  # It keeps no answers, so a change makes no difference.
    return measures, np.array([*answer.translation, *answer.rotation])


def pytransform3d(links: list[Link]) -> tuple[dict[str, float], npt.NDArray[np.float64]]:
    """`pytransform3d`: measures [ns] by name, and its answer at one time, to compare."""
    manager: Any = importlib.import_module("pytransform3d.transform_manager")
    transformations: Any = importlib.import_module("pytransform3d.transformations")
    moving = manager.TemporalTransformManager(check=False)
    fixed = manager.TransformManager(check=False)
    for link in links:
        wxyz = np.roll(link.rotations, 1, axis=1)
        poses = np.hstack([link.translations, wxyz])
        series = manager.NumpyTimeseriesTransform(link.stamps_ns * 1e-9, poses)
        moving.add_transform(link.child, link.parent, series)
        newest = transformations.transform_from_pq(poses[-1])
        fixed.add_transform(link.child, link.parent, newest)
    times_s = random_times_ns() * 1e-9
    T = fixed.get_transform(SOURCE, TARGET)
    points = np.hstack([np.random.default_rng(0).normal(size=(100_000, 3)), np.ones((100_000, 1))])

    def any_time() -> None:
        for time_s in times_s[:100]:
            moving.get_transform_at_time(SOURCE, TARGET, float(time_s))

    answer = transformations.pq_from_transform(
        moving.get_transform_at_time(SOURCE, TARGET, float(times_s[0]))
    )
    measures = {
        "latest": call_ns(fixed.get_transform, SOURCE, TARGET, calls=500),
        "any_time": cpu_ns(any_time, 100, repeats=5),
        "batch": cpu_ns(lambda: moving.get_transform_at_time(SOURCE, TARGET, times_s), 1_000),
        "compose": call_ns(lambda: transformations.concat(T, T, check=False), calls=2_000),
        "inverse": call_ns(lambda: transformations.invert_transform(T, check=False), calls=2_000),
        "points": cpu_ns(lambda: transformations.transform(T, points), 100_000),
    }
    return measures, np.array([*answer[:3], *np.roll(answer[3:], -1)])


PEERS = {"horus-robotics": horus, "pytransform3d": pytransform3d}

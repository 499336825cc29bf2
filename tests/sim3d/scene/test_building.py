"""Scenes of any numbers are built and run, or refused with an error of ours."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from horus_sim.errors import HorusError
from horus_sim.sim3d import World, WorldSnapshot
from horus_sim.sim3d.scene.reading import check_scene

sizes = st.floats(1e-3, 10.0) | st.floats(1e-300, 1e6) | st.sampled_from([1e-9, 1e-4, 1e5, 1e6])
anything = st.floats(-1e6, 1e6, allow_subnormal=False) | st.floats(-2.0, 2.0)
points = st.tuples(anything, anything, anything)
shapes = st.one_of(
    st.fixed_dictionaries({"kind": st.just("box"), "size": st.tuples(sizes, sizes, sizes)}),
    st.fixed_dictionaries({"kind": st.just("sphere"), "radius": sizes}),
    st.fixed_dictionaries({"kind": st.just("ellipsoid"), "radii": st.tuples(sizes, sizes, sizes)}),
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["cylinder", "capsule", "cone"]),
            "radius": sizes,
            "length": sizes,
        }
    ),
    st.fixed_dictionaries({"kind": st.just("plane")}),
    st.fixed_dictionaries(
        {
            "kind": st.just("polyline"),
            "outlines": st.lists(
                st.lists(st.tuples(anything, anything), min_size=3, max_size=6),
                min_size=1,
                max_size=2,
            ),
            "height": sizes,
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("heightmap"),
            "size": st.tuples(sizes, sizes, sizes),
            "noise": st.fixed_dictionaries(
                {"seed": st.integers(0, 9), "resolution": st.integers(3, 9), "feature_size": sizes}
            ),
        }
    ),
)
objects = st.fixed_dictionaries(
    {"shape": shapes},
    optional={
        "dynamic": st.booleans(),
        "density": sizes,
        "pose": st.fixed_dictionaries({"xyz": points, "rpy_deg": points}),
        "surface": st.fixed_dictionaries(
            {},
            optional={
                "friction": st.floats(0, 1e6),
                "restitution": st.floats(0, 1),
                "stiffness": sizes,
                "damping": sizes,
                "rolling": st.floats(0, 10),
            },
        ),
    },
)
physics = st.fixed_dictionaries(
    {}, optional={"timestep": st.floats(1e-6, 1.0), "gravity": points, "impratio": sizes}
)


@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(objects, max_size=4), physics)
def test_any_scene_runs_or_is_refused(items: list[dict[str, Any]], settings_: dict[str, Any]):
    named = [{"name": f"thing{i}", **item} for i, item in enumerate(items)]
    for item in named:
        item["dynamic"] = item.get("dynamic") and item["shape"]["kind"] not in {
            "plane",
            "heightmap",
        }
        if not item["dynamic"]:
            item.pop("density", None)
    try:
        world = World.load(check_scene({"objects": named, "physics": settings_}))
        world.step(5)
        state = world.snapshot()
        world.apply_snapshot(WorldSnapshot.from_bytes(state.to_bytes()))
        assert world.snapshot().to_bytes() == state.to_bytes()
        for name in world.objects:
            world.tf.lookup_transform(name, "world")
    except HorusError:
        return

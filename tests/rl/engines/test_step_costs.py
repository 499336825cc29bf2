"""What `rl bench` says of a model that could be faster, and that its remedies do what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from horus_sim.rl.engines import step_costs as module
from horus_sim.rl.engines.mujoco_batch import MujocoBackend
from horus_sim.rl.engines.step_costs import step_costs
from horus_sim.robots.engine import mujoco

CORNERS = " ".join(f"{x} {y} {z}" for x in (-1, 1) for y in (-2, 2) for z in (-3, 5))
# A mesh, 0.2 by 0.4 by 0.8 m, stands 1 cm deep in the floor and overlaps its arm; a ball lies by.
XML = f"""
<mujoco><option tolerance="1e-12" cone="elliptic"><flag speculative="enable"/></option>
<asset><mesh name="hull" vertex="{CORNERS}" scale=".1 .1 .1"/></asset>
<worldbody><geom name="floor" type="plane" size="9 9 1"/>
<body name="trunk" pos="0 0 .29"><freejoint/><geom name="trunk" type="mesh" mesh="hull"/>
<body pos=".1 0 0"><joint axis="0 1 0"/><geom name="hand" size=".05"/></body>
<body pos=".12 0 0"><joint axis="0 1 0"/><geom name="arm" type="box" size=".05 .05 .05"/></body>
</body>
<body pos="3 0 .045"><freejoint/><geom name="ball" size=".05"/></body>
</worldbody></mujoco>
"""
SELF, MESHES = "robot_spec(self_collision=False)", "robot_spec(meshes='box')"


@pytest.fixture
def sim() -> MujocoBackend:
    sim = MujocoBackend(mujoco.MjModel.from_xml_string(XML), 3, 1)
    sim.reset(np.arange(3))
    return sim


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[mujoco.MjModel]:
    """The models that are timed, each as if it took half the time of the one before."""
    models: list[mujoco.MjModel] = []

    def times(starts: Any, candidates: Any, steps: int) -> list[float]:
        assert (len(starts), steps) == (3, 7)
        models.extend(each[0] for each in candidates)
        return [1e-5 * 0.5**place for place in range(len(candidates))]

    monkeypatch.setattr(module, "_times", times)
    return models


def touching(model: mujoco.MjModel) -> set[frozenset[str]]:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return {
        frozenset(model.geom(each).name for each in (contact.geom1, contact.geom2))
        for contact in data.contact
    }


def test_what_may_help_is_tried(sim, tried):
    costs = step_costs(sim, 7)
    options = [remedy.option for remedy in costs.remedies]
    assert {SELF, MESHES, "PhysicsConfig(tolerance=1e-08)"} < set(options)
    assert costs.step == 1e-5
    by_option = dict(zip(reversed(options), tried[1:], strict=False))
    on_floor = {frozenset({"floor", "trunk"}), frozenset({"floor", "ball"})}
    assert touching(sim.model) > on_floor
    assert touching(by_option[SELF]) == on_floor
    # The box is as large as the mesh and where it was.
    boxed = by_option[MESHES]
    assert touching(boxed) == touching(sim.model)
    data = mujoco.MjData(boxed)
    mujoco.mj_forward(boxed, data)
    trunk = boxed.geom("trunk").id
    half = np.abs(data.geom_xmat[trunk].reshape(3, 3)) @ boxed.geom_size[trunk]
    np.testing.assert_allclose(half, [0.1, 0.2, 0.4], atol=1e-6)
    np.testing.assert_allclose(data.geom_xpos[trunk] - half, [-0.1, -0.2, -0.01], atol=1e-6)
    assert by_option["PhysicsConfig(tolerance=1e-08)"].opt.tolerance == 1e-8
    # All of them together, at last.
    assert touching(tried[-1]) == on_floor
    assert tried[-1].opt.tolerance == 1e-8


@pytest.mark.usefixtures("tried")
def test_the_lines_name_causes(sim):
    lines = step_costs(sim, 7).lines()
    assert lines[0].startswith("a physics step of one environment takes 10.0 us")
    text = "\n".join(lines)
    assert f"times as fast: {MESHES} (meshes touch: 1, of up to 8 corners)" in text
    assert "contacts are between links of one robot, most between 'hand' and 'arm'" in text
    assert lines[-1] == "  2.0 times as fast: all of these"


def test_the_simulations_stay_as_they_are(sim):
    before = sim.batch.state.copy()
    model = sim.model.geom_contype.copy(), sim.model.geom_type.copy()
    costs = step_costs(sim, 2)
    assert 0 < costs.step < 1
    np.testing.assert_array_equal(sim.batch.state, before)
    np.testing.assert_array_equal(sim.model.geom_contype, model[0])
    np.testing.assert_array_equal(sim.model.geom_type, model[1])


@pytest.mark.usefixtures("tried")
def test_a_model_without_contacts_needs_nothing():
    xml = '<mujoco><option><flag island="disable"/></option><worldbody><body><joint/>'
    model = mujoco.MjModel.from_xml_string(xml + '<geom size=".1"/></body></worldbody></mujoco>')
    sim = MujocoBackend(model, 3, 1)
    sim.reset(np.arange(3))
    costs = step_costs(sim, 7)
    assert (costs.remedies, costs.together, costs.contacts) == ((), 1.0, 0.0)
    assert len(costs.lines()) == 1

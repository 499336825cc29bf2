"""What crosses into the engine: definitions whose fields have the names of the files."""

from functools import partial
from typing import get_args

import pytest

from horus_sim._native import (
    Sim2dBody,
    Sim2dJoint,
    Sim2dModel,
    Sim2dSensor,
    Sim2dSolver,
    Sim2dWheel,
)
from horus_sim.sim2d import SolverConfig
from horus_sim.sim2d.scenario.schema import JointConfig, SensorConfig


@pytest.mark.parametrize(
    ("definition", "config"), [(Sim2dJoint, JointConfig), (Sim2dSensor, SensorConfig)]
)
def test_engine_knows_every_type_of_the_files(
    definition: type[Sim2dJoint | Sim2dSensor], config: type[JointConfig | SensorConfig]
) -> None:
    kinds = get_args(config.model_fields["type"].annotation)
    assert kinds
    for kind in kinds:
        definition().type = kind


def test_unknown_joint_raises() -> None:
    with pytest.raises(
        ValueError, match=r"no joint of type 'slider'; there are: hinge, rigid, distance"
    ):
        Sim2dJoint().type = "slider"


def test_unknown_sensor_raises() -> None:
    with pytest.raises(ValueError, match=r"no sensor of type 'radar'; there are: line, line_array"):
        Sim2dSensor().type = "radar"


@pytest.mark.parametrize(
    "definition", [Sim2dBody, Sim2dJoint, Sim2dSensor, Sim2dSolver, Sim2dWheel]
)
def test_unknown_field_raises(definition: type[Sim2dBody]) -> None:
    assert "colour" not in definition.FIELDS
    with pytest.raises(AttributeError, match="colour"):
        definition().colour = 1.0


def test_solver_has_the_fields_of_its_configuration_and_their_defaults() -> None:
    solver = Sim2dSolver()
    assert set(Sim2dSolver.FIELDS) == set(SolverConfig.model_fields)
    for name, value in SolverConfig():
        assert getattr(solver, name) == value


def test_parts_of_bodies_that_do_not_exist_are_refused() -> None:
    model = Sim2dModel()
    model.add_body(Sim2dBody(), (), 0.1)
    joint, wheel, sensor = Sim2dJoint(), Sim2dWheel(), Sim2dSensor()
    joint.child = wheel.body = sensor.body = 1
    adding = (partial(model.add_joint, joint), partial(model.add_wheel, wheel))
    for add in (*adding, partial(model.add_sensor, sensor)):
        with pytest.raises(IndexError, match="body 1 does not exist"):
            add()

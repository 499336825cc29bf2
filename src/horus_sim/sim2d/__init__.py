"""The 2D simulator: small robots seen from above, one world or thousands.

`Simulator.load` runs a scenario with its controllers, `BatchSimulator` steps many worlds of it,
`load_scenario` and `save_scenario` read and write its files.
"""

from horus_sim.sim2d.engine.records import Contact, SimWarning
from horus_sim.sim2d.engine.robot import (
    Body,
    DifferentialDrive,
    Robot,
    WheelMotor,
    WheelMotorDetailed,
)
from horus_sim.sim2d.engine.sensors import Reading, Sensor
from horus_sim.sim2d.engine.solver_config import SolverConfig
from horus_sim.sim2d.pose import Pose2D
from horus_sim.sim2d.scenario.devices import EncoderReading, ImuReading, MotorParams, SensorParams
from horus_sim.sim2d.scenario.reading import (
    ScenarioWarning,
    UnknownKeyWarning,
    UnlikelyValueWarning,
)
from horus_sim.sim2d.scenario.scenario import (
    Scenario,
    load_scenario,
    save_scenario,
    scenario_names,
)
from horus_sim.sim2d.scenario.schema import BodyConfig, RobotConfig, ScenarioConfig, WorldConfig
from horus_sim.sim2d.simulation.batch import BatchSimulator, Randomization
from horus_sim.sim2d.simulation.simulator import Simulator
from horus_sim.sim2d.simulation.snapshot import Snapshot

__all__ = [
    "BatchSimulator",
    "Body",
    "BodyConfig",
    "Contact",
    "DifferentialDrive",
    "EncoderReading",
    "ImuReading",
    "MotorParams",
    "Pose2D",
    "Randomization",
    "Reading",
    "Robot",
    "RobotConfig",
    "Scenario",
    "ScenarioConfig",
    "ScenarioWarning",
    "Sensor",
    "SensorParams",
    "SimWarning",
    "Simulator",
    "Snapshot",
    "SolverConfig",
    "UnknownKeyWarning",
    "UnlikelyValueWarning",
    "WheelMotor",
    "WheelMotorDetailed",
    "WorldConfig",
    "load_scenario",
    "save_scenario",
    "scenario_names",
]

"""The 2D simulator: small robots seen from above, one world or thousands.

`Simulator.load` runs a scenario with its controllers, `BatchSimulator` steps many worlds of it,
`load_scenario` and `save_scenario` read and write its files.
"""

from horus_sim.sim2d.batch import BatchSimulator, Randomization
from horus_sim.sim2d.devices import EncoderReading, ImuReading, MotorParams, SensorParams
from horus_sim.sim2d.files import (
    Scenario,
    ScenarioWarning,
    UnknownKeyWarning,
    UnlikelyValueWarning,
    load_scenario,
    save_scenario,
    scenario_names,
)
from horus_sim.sim2d.pose import Pose2D
from horus_sim.sim2d.records import Contact, SimWarning
from horus_sim.sim2d.robot import (
    Body,
    DifferentialDrive,
    Robot,
    WheelMotor,
    WheelMotorDetailed,
)
from horus_sim.sim2d.schema import BodyConfig, RobotConfig, ScenarioConfig, WorldConfig
from horus_sim.sim2d.sensors import Reading, Sensor
from horus_sim.sim2d.simulator import Simulator
from horus_sim.sim2d.snapshot import Snapshot
from horus_sim.sim2d.solver_config import SolverConfig

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

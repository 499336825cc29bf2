"""The robot of the scenario `line_follower`, which is to make a lap on its five line sensors."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from horus_sim.rl.engines.interface import Floats, Ids, Rows
from horus_sim.rl.models.track import Track
from horus_sim.rl.tasks.planar_task import PlanarTask
from horus_sim.rl.tasks.task_config import TaskConfig
from horus_sim.rl.terms.observations import live
from horus_sim.rl.terms.rewards import outcome
from horus_sim.rl.terms.term import Observation, Reward, Termination
from horus_sim.rl.terms.terminations import above, reached
from horus_sim.sim2d import Scenario, load_scenario

_FASTEST_WHEEL = 40.0


class LineFollower2DConfig(TaskConfig):
    """Settings of following a line.

    Attributes:
        track: Shipped scenario, or path of one, whose first line on the floor is the track and
            whose robot has a sensor `line` and two motors.
        lost_distance: Farther from the line than this, the robot has lost it [m].
        laps: How many make a success.
        offset: Largest distance of the start from the line [m].
        yaw: Largest angle of the start to the line [rad].
    """

    physics_steps: Annotated[int, Field(ge=1)] = 4
    episode_duration: Annotated[float, Field(gt=0)] = 40.0
    track: str = "line_follower"
    lost_distance: Annotated[float, Field(gt=0)] = 0.15
    laps: Annotated[float, Field(gt=0)] = 1.0
    offset: Annotated[float, Field(ge=0)] = 0.01
    yaw: Annotated[float, Field(ge=0)] = 0.2


class LineFollower2D(PlanarTask[LineFollower2DConfig]):
    """Actions are the commands of the left and the right wheel, from -1 to 1."""

    Config: ClassVar[type[TaskConfig]] = LineFollower2DConfig

    def scenario(self) -> Scenario:
        """The scenario, of whose sensors only the line sensors are kept."""
        full = load_scenario(self.config.track)
        robot = full.robots[0]
        kept = tuple(sensor for sensor in robot.config.sensors if sensor.name == "line")
        config = robot.config.model_copy(update={"sensors": kept, "measurements": ()})
        return replace(full, robots=(replace(robot, config=config),))

    def bind(self) -> None:
        """Makes the arrays that terms share."""
        scenario = self.scenario()
        marks = [stroke for stroke in scenario.world.drawings if stroke.kind == "mark"]
        self.track = Track(np.array(marks[0].points))
        slot = next(iter(self.sim.layout.sensors.values()))
        self._columns = slice(slot.first, slot.first + slot.width)
        self.line, self._line_before = self.array(slot.width), self.array(slot.width)
        self.wheels, self.place = self.array(2), self.array()
        self.offset, self.advanced, self.travelled = self.array(), self.array(), self.array()
        self._lost = above("lost", self.offset, self.config.lost_distance)
        self._lap = reached("lap", self.travelled, self.config.laps * self.track.length)
        self._body = np.array([self.sim.robot], np.int64)

    def reset(self, ids: Ids) -> None:
        """Anywhere on the line, almost along it."""
        config = self.config
        place = self.random.uniform("place", ids, 1, 0.0, self.track.length)[:, 0]
        aside = self.random.uniform("aside", ids, 1, -config.offset, config.offset)[:, 0]
        turn = self.random.uniform("turn", ids, 1, -config.yaw, config.yaw)[:, 0]
        x, y, heading = self.track.pose(place)
        poses = np.stack(
            [x - aside * np.sin(heading), y + aside * np.cos(heading), heading + turn], axis=1
        )
        self.begin_worlds(ids, self._body, poses[:, None])
        self.place[ids] = self.track.nearest(poses[:, :2])[0]
        self.travelled[ids] = 0.0
        self.line[ids] = self._line_before[ids] = self._read(ids)

    def before_step(self) -> None:
        """Keeps what the sensors saw."""
        self._line_before[:] = self.line

    def act(self) -> None:
        """Commands as they are."""
        self.ctrl[:] = np.clip(self.actions, -1.0, 1.0, out=self.actions)

    def refresh(self, rows: Rows) -> None:
        """Readings, and where on the track the robot is."""
        self.line[rows] = self._read(rows)
        wheels = self.sim.wheel_speeds()[rows] * (1.0 / _FASTEST_WHEEL)
        self.wheels[rows] = np.clip(wheels, -2.0, 2.0)
        place, self.offset[rows] = self.track.nearest(self.sim.states[rows, :2])
        advanced = self.track.way(self.place[rows], place)
        self.place[rows] = place
        self.advanced[rows] = advanced
        self.travelled[rows] += advanced

    def _read(self, rows: Rows) -> Floats:
        # Noise has no end, the space of observations has.
        return np.clip(self.sim.readings()[rows, self._columns], -1.0, 2.0)

    def observations(self) -> tuple[Observation, ...]:
        """The line sensors now and a step ago, from left to right, the wheels, the last action."""
        return (
            live("line", self.line, -1.0, 2.0),
            live("line_before", self._line_before, -1.0, 2.0),
            live("wheels", self.wheels, -2.0, 2.0),
            live("action", self.actions, -1.0, 1.0),
        )

    def rewards(self) -> tuple[Reward, ...]:
        """Way made along the line [m], distance from it [m s], a lap, and losing the line."""
        return (
            Reward("progress", lambda: self.advanced, 5.0),
            Reward("offset", lambda: self.offset * self.dt, -2.0),
            outcome(self._lap, 5.0),
            outcome(self._lost, -5.0),
        )

    def terminations(self) -> tuple[Termination, ...]:
        """A line that is too far away, and the laps made."""
        return self._lost, self._lap

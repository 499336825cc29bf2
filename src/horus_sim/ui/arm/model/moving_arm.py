"""An arm that moves: where it stands, where it shall go, and what is recorded of it.

It has no clock and no thread: `advance` moves it on. `ArmThread` gives it both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from horus_sim.arm import plan_line, singularity
from horus_sim.errors import ArmError, UiError
from horus_sim.running.loop.pacing import checked_speed
from horus_sim.tf import Transform
from horus_sim.ui.arm.model.motions import Along, Chase, Motion, plan_move, sample
from horus_sim.ui.arm.model.recording import Recorder

if TYPE_CHECKING:
    import numpy.typing as npt

    from horus_sim.arm import Arm, IKResult, Trajectory

Mode = Literal["position", "pose"]
Path = Literal["joints", "line"]
Method = Literal["robust", "dls"]
METHODS: dict[Method, str] = {"robust": "robust", "dls": "damped least squares"}
_SINGULAR_BELOW = 0.02


@dataclass(frozen=True, slots=True)
class ArmState:
    """A moving arm at one moment.

    Attributes:
        arm: The arm.
        q: Joint positions [rad, m], shape (dof,).
        goal: Where they are going, shape (dof,).
        T_world_tool: The tool at `q`.
        T_world_target: Where the tool shall be.
        mode: Whether the target is a point or a pose.
        method: The solver of targets; 'dls' has the parameters of the arm's file.
        answer: Answer of inverse kinematics for the target; None where joints were commanded.
        notice: A warning about the last move; '' for none.
        is_moving: Whether the arm moves.
        is_playing: Whether a recording is played.
        is_recording: Whether a recording is made.
        recorded_s: Length of what is recorded, or being recorded [s].
        played_s: Time within the recording [s].
        recording: What was recorded.
        is_exported: Whether the recording was written to a file.
        revision: Counts arms that were put in place.
        goals: Counts goals.
        goal_by: Who set the last goal.
    """

    arm: Arm
    q: npt.NDArray[np.float64]
    goal: npt.NDArray[np.float64]
    T_world_tool: Transform
    T_world_target: Transform
    mode: Mode
    method: Method
    answer: IKResult | None
    notice: str
    is_moving: bool
    is_playing: bool
    is_recording: bool
    recorded_s: float
    played_s: float
    recording: Trajectory | None
    is_exported: bool
    revision: int
    goals: int
    goal_by: str

    @property
    def is_unreachable(self) -> bool:
        """Whether there is a target that the tool cannot be brought to."""
        return self.answer is not None and not self.answer.success


class MovingArm:
    """An arm to move about.

    Args:
        arm: The arm, in its initial configuration.

    Attributes:
        arm: The arm.
        q: Joint positions [rad, m], shape (dof,).
    """

    def __init__(self, arm: Arm) -> None:
        self._revision = self._goals = 0
        self._method: Method = "robust"
        self.put(arm)

    def put(self, arm: Arm, q: npt.NDArray[np.float64] | None = None) -> None:
        """Puts another arm in place.

        Args:
            arm: The arm.
            q: Joint positions (dof,) to begin with, brought within limits; initial by default.
        """
        if q is not None and (q.shape != (arm.dof,) or not np.isfinite(q).all()):
            raise UiError(f"'{arm.name}' has {arm.dof} joints; give a number for each")
        self.arm = arm
        self.q = (arm.initial if q is None else np.clip(q, arm.lower, arm.upper)).copy()
        self._mode: Mode = "position"
        self._player: Along | None = None
        self._recorder: Recorder | None = None
        self._recording: Trajectory | None = None
        self._is_exported = True
        self._revision += 1
        self._aim(self.q, "arm")

    # Commands

    def move_to(
        self, T_world_target: Transform, mode: Mode = "position", path: Path = "joints"
    ) -> IKResult:
        """Moves the tool to a target, or to the closest that it can reach.

        Args:
            T_world_target: Where the tool shall be.
            mode: 'position' ignores the rotation.
            path: In joint space, or on a straight line of the tool; a target that cannot be
                reached is approached in joint space.

        Raises:
            ArmError: The line cannot be followed; nothing changes.
        """
        answer = self.arm.ik(T_world_target, self.q, mode, method=self._method)
        notice = ""
        if path == "line" and answer.success:
            target = T_world_target if mode == "pose" else T_world_target.translation
            # Warnings belong to the whole program, and this runs in a thread: look for ourselves.
            move = plan_line(self.arm, self.q, target, singular_below=0.0)
            if np.min(singularity(self.arm, move.q, mode=mode)) < _SINGULAR_BELOW:
                notice = "the line passes near a singularity; joints move fast there"
        else:
            move = plan_move(self.arm, self.q, answer.q)
        self._mode = mode
        self._aim(move.q[-1], "target", Along(move), answer=answer, T_world_target=T_world_target)
        self._notice = notice
        return answer

    def follow(self, T_world_target: Transform, mode: Mode, by: str) -> IKResult:
        """Goes after a target that is being moved, starting from the last answer."""
        answer = self.arm.ik(T_world_target, self._goal, mode, method=self._method)
        self._mode = mode
        chase = Chase(self.arm, answer.q)
        self._aim(answer.q, by, chase, answer=answer, T_world_target=T_world_target)
        return answer

    def move_joints(self, q: npt.ArrayLike, by: str = "joints") -> None:
        """Moves the joints to positions [rad, m], shape (dof,).

        Raises:
            ArmError: One is outside of its limits; nothing changes.
        """
        goal = np.array(q, float)
        self._aim(goal, by, Along(plan_move(self.arm, self.q, goal)))

    def jog(self, index: int, value: float, by: str) -> None:
        """Lets one joint go after a position [rad, m], as a slider is moved."""
        if (
            not 0 <= index < self.arm.dof
            or not self.arm.lower[index] <= value <= self.arm.upper[index]
        ):
            raise ArmError(f"'{self.arm.name}' has no joint {index} that goes to {value:g}")
        goal = self._goal.copy()
        goal[index] = value
        self._aim(goal, by, Chase(self.arm, goal))

    def set_mode(self, mode: Mode) -> None:
        """Whether the target is a point or a pose."""
        if mode != self._mode:
            self._mode = mode
            self._count("mode")

    def set_method(self, method: Method) -> None:
        """Chooses the solver of the targets to come.

        Raises:
            UiError: There is no such solver.
        """
        if method not in METHODS:
            raise UiError(f"there is no solver '{method}'; choose {' or '.join(METHODS)}")
        if method != self._method:
            self._method = method
            self._count("method")

    def stop(self) -> None:
        """Stops where it is."""
        if self._motions:
            self._aim(self.q, "stop")

    # Recordings

    def record(self) -> None:
        """Begins a recording; the one before is dropped at its end."""
        if self._player in self._motions:
            self.stop()
        self._recorder = Recorder(self.arm)
        self._recorder.add(0.0, self.q)

    def finish_recording(self) -> Trajectory:
        """Ends the recording.

        Raises:
            UiError: None is being made, or it is empty.
        """
        if self._recorder is None:
            raise UiError("nothing is being recorded; press Record first")
        recorder, self._recorder = self._recorder, None
        self._recording = recorder.finish()
        self._is_exported = False
        self._player = Along(self._recording, at_s=self._recording.duration)
        return self._recording

    def play(self, *, speed: float = 1.0, loop: bool = False) -> None:
        """Plays the recording, from its beginning if it is at its end.

        Raises:
            UiError: There is none, or the speed is not from 0.1 to 10.
        """
        player = self._require_player()
        speed = checked_speed(speed)
        if self._recorder is not None:
            raise UiError("a recording is being made; stop it first")
        if player.at_s >= player.trajectory.duration:
            player.at_s = 0.0
        player.speed, player.loop = speed, loop
        first = sample(player.trajectory, player.at_s)
        is_there = np.array_equal(first, self.q)
        approach = () if is_there else (Along(plan_move(self.arm, self.q, first)),)
        self._aim(player.trajectory.q[-1], "play", *approach, player)

    def pause(self) -> None:
        """Stops the playing; `play` goes on from there."""
        if self._player in self._motions:
            self.stop()

    def seek(self, at_s: float) -> None:
        """Goes to a time of the recording [s]."""
        player = self._require_player()
        player.at_s = float(np.clip(at_s, 0.0, player.trajectory.duration))
        goal = sample(player.trajectory, player.at_s)
        self._aim(goal, "seek", Chase(self.arm, goal))

    def exported(self) -> None:
        """The recording was written to a file."""
        self._is_exported = True

    # Time

    @property
    def is_busy(self) -> bool:
        """Whether time matters: something moves, or is recorded."""
        return bool(self._motions) or self._recorder is not None

    def advance(self, passed_s: float) -> None:
        """Lets time pass [s]."""
        if self._motions:
            motion = self._motions[0]
            self.q = motion.advance(self.q, passed_s)
            if motion.is_done:
                self._motions.pop(0)
        if self._recorder is not None:
            self._recorder.add(passed_s, self.q)
            if self._recorder.is_full:
                self.finish_recording()

    @property
    def state(self) -> ArmState:
        """How it is now."""
        recorder, recording, player = self._recorder, self._recording, self._player
        recorded_s = recording.duration if recording is not None else 0.0
        return ArmState(
            arm=self.arm,
            q=self.q,
            goal=self._goal,
            T_world_tool=self.arm.fk(self.q),
            T_world_target=self._T_world_target,
            mode=self._mode,
            method=self._method,
            answer=self._answer,
            notice=self._notice,
            is_moving=bool(self._motions),
            is_playing=player is not None and player in self._motions,
            is_recording=recorder is not None,
            recorded_s=recorder.duration if recorder is not None else recorded_s,
            played_s=player.at_s if player is not None else 0.0,
            recording=recording,
            is_exported=self._is_exported,
            revision=self._revision,
            goals=self._goals,
            goal_by=self._goal_by,
        )

    def _require_player(self) -> Along:
        if self._player is None:
            raise UiError("there is no recording yet; press Record, move the arm, and stop")
        return self._player

    def _aim(
        self,
        goal: npt.NDArray[np.float64],
        by: str,
        *motions: Motion,
        answer: IKResult | None = None,
        T_world_target: Transform | None = None,
    ) -> None:
        """Moves to a goal; the target is where the joints bring the tool, unless given."""
        self._motions, self._notice = list(motions), ""
        self._goal = goal.copy()
        T_world_goal = self.arm.fk(goal)
        if T_world_target is not None and self._mode == "position":
            # A point has the rotation that it will be reached with.
            T_world_target = Transform(T_world_target.translation, T_world_goal.rotation)
        self._T_world_target = T_world_target or T_world_goal
        self._answer = answer
        self._count(by)

    def _count(self, by: str) -> None:
        self._goals += 1
        self._goal_by = by

"""The arm: forward and inverse kinematics of a serial chain."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Literal

import numpy as np

from horus_sim._native import ArmSolver
from horus_sim.arm.checks import (
    as_configuration,
    as_configurations,
    as_count,
    as_positive,
    as_target,
    as_targets,
    check_description,
)
from horus_sim.arm.description import matrix_of
from horus_sim.arm.file_format import read_arm
from horus_sim.arm.result import IKBatchResult, IKResult, ik_result
from horus_sim.errors import ArmError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from horus_sim.arm.description import ArmDescription
    from horus_sim.tf import Transform

Mode = Literal["position", "pose"]
_Solution = tuple["npt.NDArray[np.float64]", int, float, float, int, int, int, int]
TOLERANCE_M = 1e-6
TOLERANCE_RAD = 1e-6
_MOST_STEPS = 1_000_000
_MOST_THREADS = 4096


class Arm:
    """A serial arm. It has no state but its description; safe to use from several threads.

    Joint positions `q` are radians, metres for prismatic joints, in the order of `joint_names`.
    Poses are ``T_world_tool``: the tool in the frame in which the base stands.

    Args:
        description: What the arm is made of; `Arm.load` reads one from a file.

    Raises:
        ArmError: The description contradicts itself.

    Attributes:
        description: What the arm is made of.
        name: Name of the arm.
        joint_names: From the base to the tool.
        dof: Number of joints.
        lower: Smallest positions, shape (dof,); -inf for continuous joints.
        upper: Largest positions, shape (dof,).
        initial: The configuration in which the arm starts, shape (dof,).
    """

    def __init__(self, description: ArmDescription) -> None:
        check_description(description)
        joints = description.joints
        self.description = description
        self.name = description.name
        self.joint_names = tuple(joint.name for joint in joints)
        self.dof = len(joints)
        self.lower = _frozen([joint.lower for joint in joints])
        self.upper = _frozen([joint.upper for joint in joints])
        self.initial = _frozen([joint.initial for joint in joints])
        rows = [(j.is_prismatic, j.theta_offset, j.d, j.lower, j.upper) for j in joints]
        ends = (description.T_world_base.to_matrix(), description.T_flange_tool.to_matrix())
        self._solver = ArmSolver(
            np.array(rows, float),
            np.array([matrix_of(joint.before) for joint in joints]),
            np.array([matrix_of(joint.after) for joint in joints]),
            np.array(ends),
        )
        self._bits = 1 << np.arange(self.dof, dtype=np.uint32)

    @classmethod
    def load(cls, name_or_path: str | Path) -> Arm:
        """A shipped arm by name ('robot_arm', 'ur5e', ...), or an arm from a YAML file.

        Raises:
            ArmFileError: There is no such arm, or the file has a mistake; the text names the key
                and the remedy.
        """
        return cls(read_arm(name_or_path))

    @classmethod
    def from_urdf(
        cls, path: str | Path, *, base_link: str | None = None, tip_link: str | None = None
    ) -> Arm:
        """The serial chain between two links of a URDF file.

        Args:
            path: The file.
            base_link: First link of the chain; the root by default.
            tip_link: Last link of the chain; by default the only leaf.
        """
        from horus_sim.arm.urdf_chain import read_urdf_chain

        return cls(read_urdf_chain(path, base_link, tip_link))

    def __reduce__(self) -> tuple[type[Arm], tuple[ArmDescription]]:
        return Arm, (self.description,)

    def __repr__(self) -> str:
        return f"<Arm '{self.name}', {self.dof} joints>"

    @property
    def reach(self) -> float:
        """A distance from the first joint that the tool cannot exceed [m]."""
        return self._solver.reach

    def fk(self, q: npt.ArrayLike) -> Transform:
        """The tool's pose ``T_world_tool`` at joint positions `q`, shape (dof,)."""
        return self._solver.forward(as_configuration(self.description, q))

    def frames(self, q: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The frame below each joint, then the tool.

        Args:
            q: Joint positions, shape (dof,) or (N, dof).

        Returns:
            Homogeneous matrices in world coordinates, shape (dof + 1, 4, 4) or (N, dof + 1, 4, 4).
        """
        if np.ndim(q) == 1:
            return self._solver.forward_all(as_configuration(self.description, q))
        rows = as_configurations(self.description, q)
        return self._solver.forward_batch(rows, all_frames=True)

    def fk_batch(self, q: npt.ArrayLike, *, threads: int = 0) -> npt.NDArray[np.float64]:
        """The tool's pose for many configurations.

        Args:
            q: Joint positions, shape (N, dof).
            threads: Most threads to use, 0 for one a processor.

        Returns:
            Homogeneous matrices ``T_world_tool``, shape (N, 4, 4).
        """
        rows = as_configurations(self.description, q)
        return self._solver.forward_batch(rows, threads=_threads(threads))

    def jacobian(self, q: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The geometric Jacobian of the tool in world coordinates.

        Args:
            q: Joint positions, shape (dof,) or (N, dof).

        Returns:
            Shape (6, dof) or (N, 6, dof): linear velocity [m/s] above angular velocity [rad/s],
            for unit joint velocities.
        """
        if np.ndim(q) == 1:
            return self._solver.jacobian(as_configuration(self.description, q))
        return self._solver.jacobian_batch(as_configurations(self.description, q))

    def within_limits(self, q: npt.ArrayLike) -> bool:
        """Whether every joint position of `q`, shape (dof,), is within its limits."""
        values = as_configuration(self.description, q)
        return bool(((values >= self.lower) & (values <= self.upper)).all())

    def ik(
        self,
        target: Transform | npt.ArrayLike,
        start: npt.ArrayLike | None = None,
        mode: Mode | None = None,
        *,
        method: Literal["robust", "dls"] = "robust",
        position_tolerance: float | None = None,
        rotation_tolerance: float | None = None,
        rotation_weight: float | None = None,
        seed: int = 0,
        max_starts: int | None = None,
        max_iters: int | None = None,
        damping: float | None = None,
    ) -> IKResult:
        """Joint positions within limits that bring the tool to a target, or closest to it.

        Args:
            target: A point (3,) [m], a `Transform` or a matrix (4, 4), in world coordinates.
            start: Where to begin, shape (dof,), such as the current configuration: the answer stays
                near it where that is possible. Without one, any solution is as good as another
                (``dls`` begins at `initial`).
            mode: 'position' or 'pose'; by default as the target is.
            method: 'robust', or 'dls' for damped least squares with clamping from one start.
            position_tolerance: Distance that counts as reached [m]; 1e-6, or `tolerance_m` of the
                arm's file for ``dls``.
            rotation_tolerance: Angle that counts as reached [rad]; 1e-6.
            rotation_weight: What an error of 1 rad weighs beside position errors [m/rad]; a quarter
                of the arm's reach. It decides which pose is the closest to one out of reach.
            seed: Seed of the random starts; the same seed gives the same bits.
            max_starts: Starts before ``robust`` settles for the closest point.
            max_iters: Most iterations of ``dls``; by default those of the arm's file.
            damping: Damping of ``dls``; by default that of the arm's file.

        Returns:
            The answer, with the reason where the target is not reached.

        Raises:
            ArmError: An argument has a wrong shape or value.
        """
        if method == "robust" and max_iters is None and damping is None:
            answer = self._solver.ask(
                target,
                start,
                mode,
                position_tolerance,
                rotation_tolerance,
                rotation_weight,
                seed,
                max_starts,
            )
            if answer is not None:
                return self._result(
                    answer, (position_tolerance or TOLERANCE_M, rotation_tolerance or TOLERANCE_RAD)
                )
        numbers, is_pose = as_target(target, mode)
        begin = None if start is None else as_configuration(self.description, start, "start")
        dls = self.description.dls
        default = dls.tolerance_m if method == "dls" else TOLERANCE_M
        tolerances = _tolerances(position_tolerance, rotation_tolerance, default)
        weight = _weight(rotation_weight)
        if method == "robust":
            _refuse(method, max_iters=max_iters, damping=damping)
            answer = self._solver.solve(
                numbers, begin, is_pose, *tolerances, weight, _seed(seed), _starts(max_starts)
            )
        elif method == "dls":
            _refuse(method, max_starts=max_starts)
            answer = self._solver.solve_damped(
                numbers,
                self.initial if begin is None else begin,
                is_pose,
                *tolerances,
                weight,
                _count(max_iters, dls.max_iters, "max_iters"),
                dls.damping if damping is None else as_positive(damping, "damping"),
            )
        else:
            raise ArmError(f"method is {method!r}; write 'robust' or 'dls'")
        return self._result(answer, tolerances)

    def ik_batch(
        self,
        targets: npt.ArrayLike | Sequence[Transform],
        starts: npt.ArrayLike | None = None,
        mode: Mode | None = None,
        *,
        position_tolerance: float | None = None,
        rotation_tolerance: float | None = None,
        rotation_weight: float | None = None,
        seed: int = 0,
        max_starts: int | None = None,
        threads: int = 0,
    ) -> IKBatchResult:
        """As `ik` with ``method="robust"`` for many targets: the same bits, at any thread count.

        Args:
            targets: Points (N, 3), matrices (N, 4, 4) or a sequence of transforms.
            starts: One configuration (dof,) for all, or one for each target (N, dof).
            mode: 'position' or 'pose'; by default as the targets are.
            position_tolerance: [m].
            rotation_tolerance: [rad].
            rotation_weight: [m/rad].
            seed: Seed of the random starts.
            max_starts: Starts before the closest point is settled for.
            threads: Most threads to use, 0 for one a processor.
        """
        numbers, is_pose = as_targets(targets, mode)
        begin = None
        if starts is not None:
            begin = as_configurations(self.description, np.atleast_2d(starts), "starts")
            if len(begin) not in {1, len(numbers)}:
                raise ArmError(
                    f"starts has {len(begin)} rows for {len(numbers)} targets; give one "
                    "configuration, or one for each target"
                )
        tolerances = _tolerances(position_tolerance, rotation_tolerance, TOLERANCE_M)
        weight = _weight(rotation_weight)
        answer = self._solver.solve_batch(
            numbers,
            begin,
            is_pose,
            *tolerances,
            weight,
            _seed(seed),
            _starts(max_starts),
            _threads(threads),
        )
        q, codes, position_error, rotation_error, at_limits, blocking, iterations, used = answer
        return IKBatchResult(
            q=q,
            success=codes == 0,
            outcome=codes,
            position_error=position_error,
            rotation_error=rotation_error,
            limits_active=(at_limits[:, np.newaxis] & self._bits) != 0,
            blocking=(blocking[:, np.newaxis] & self._bits) != 0,
            iterations=iterations,
            starts=used,
            joint_names=self.joint_names,
            tolerances=tolerances,
        )

    def reachable(self, point: npt.ArrayLike, *, tolerance: float = 1e-4) -> bool:
        """Whether the tool can be brought within `tolerance` [m] of a point (3,) within limits."""
        return self.ik(point, mode="position", position_tolerance=tolerance).success

    def _result(self, answer: _Solution, tolerances: tuple[float, float]) -> IKResult:
        q, code, position_error, rotation_error, at_limits, blocking, iterations, starts = answer
        return ik_result(
            q,
            code,
            position_error,
            rotation_error,
            self._names(at_limits),
            self._names(blocking),
            iterations,
            starts,
            tolerances,
        )

    def _names(self, bits: int) -> tuple[str, ...]:
        if bits == 0:
            return ()
        return tuple(name for i, name in enumerate(self.joint_names) if bits >> i & 1)


def _frozen(values: list[float]) -> npt.NDArray[np.float64]:
    array = np.array(values, float)
    array.flags.writeable = False
    return array


def _tolerances(
    position: float | None, rotation: float | None, default: float
) -> tuple[float, float]:
    return (
        default if position is None else as_positive(position, "position_tolerance", "m"),
        TOLERANCE_RAD if rotation is None else as_positive(rotation, "rotation_tolerance", "rad"),
    )


def _weight(weight: float | None) -> float:
    return 0.0 if weight is None else as_positive(weight, "rotation_weight", "m/rad")


def _count(value: int | None, default: int, what: str) -> int:
    return default if value is None else as_count(value, what, least=1, most=_MOST_STEPS)


def _starts(max_starts: int | None) -> int:
    return _count(max_starts, 0, "max_starts")


def _seed(seed: int) -> int:
    if isinstance(seed, Integral) and not 0 <= seed < 2**64:
        raise ArmError(f"seed is {seed}; it must be from 0 to 2^64 - 1")
    return as_count(seed, "seed", most=2**64 - 1)


def _threads(threads: int) -> int:
    if isinstance(threads, Integral) and threads < 0:
        raise ArmError(f"threads is {threads}; write 0 for one a processor, or a positive number")
    return as_count(threads, "threads", most=_MOST_THREADS)


def _refuse(method: str, **arguments: object) -> None:
    for name, value in arguments.items():
        if value is not None:
            other = "dls" if method == "robust" else "robust"
            raise ArmError(f"{name} has no meaning for method='{method}'; use method='{other}'")

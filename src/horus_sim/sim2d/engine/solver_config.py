"""Every stability knob of the engine."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from horus_sim.files.config import Config, NotNegative, Positive


class SolverConfig(Config):
    """How contacts, joints and wheels are solved.

    Attributes:
        velocity_iterations: Most passes over all constraints a step.
        velocity_tolerance: Passes end when none changes a velocity by more than this [m/s].
        resting_tolerance: The same for contacts that do not bounce [m/s]; under gravity a tenth
            of it.
        linear_damping: Rate at which velocities fade [1/s].
        angular_damping: Rate at which turning fades [1/s].
        max_linear_speed: Cap [m/s]; what it stops is recorded as a warning.
        max_angular_speed: Cap [rad/s].
        max_step_translation: Farthest that a body moves in one step [m].
        correction_percent: Share of an overlap that a step removes; of the gap of a joint half
            of that share.
        correction_slop: Overlap that is left alone [m].
        max_correction: Most that a step removes [m].
        contact_margin: Bodies nearer than this touch [m].
        restitution_threshold: Slower impacts do not bounce [m/s].
        ground_friction: Factor on the floor's friction under passive bodies; 0 for none.
        ground_gravity: Virtual gravity that presses passive bodies on the floor [m/s^2].
        rigid_stiffness: Joints of at least this stiffness [N/m] are hard constraints.
        warm_starting: Whether a step begins with the impulses of the last one.
        swept_contacts: Whether contacts are found that come about within a step.
    """

    velocity_iterations: Annotated[int, Field(ge=1, le=1000)] = 10
    velocity_tolerance: NotNegative = 1e-10
    resting_tolerance: NotNegative = 1e-5
    linear_damping: NotNegative = 0.0
    angular_damping: NotNegative = 0.0
    max_linear_speed: Positive = 15.0
    max_angular_speed: Positive = 40.0
    max_step_translation: Positive = 0.5
    correction_percent: Annotated[float, Field(ge=0.0, le=1.0)] = 0.5
    correction_slop: NotNegative = 0.002
    max_correction: NotNegative = 0.05
    contact_margin: Positive = 1e-4
    restitution_threshold: NotNegative = 0.01
    ground_friction: NotNegative = 1.0
    ground_gravity: NotNegative = 9.81
    rigid_stiffness: Positive = 1000.0
    warm_starting: bool = True
    swept_contacts: bool = True

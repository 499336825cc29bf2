"""Actions of ROS 2: the types of the services and topics that an action is made of."""

from __future__ import annotations

from dataclasses import dataclass

from horus_sim.errors import MessageError
from horus_sim.files.names import did_you_mean
from horus_sim.hub.ros.definition import ACTION_GOAL, type_names

CANCEL = "action_msgs/srv/CancelGoal"


@dataclass(frozen=True, slots=True)
class ActionType:
    """A type of actions.

    Attributes:
        name: Full name, such as ``simulation_interfaces/action/SimulateSteps``.
        send_goal: Type of the service that takes goals.
        get_result: Type of the service that gives results when they are there.
        feedback: Type of the messages about progress.
    """

    name: str
    send_goal: str
    get_result: str
    feedback: str


def action_type(name: str) -> ActionType:
    """The type of an action by its full name.

    Raises:
        MessageError: It is unknown; the text proposes close ones.
    """
    known = [each.removesuffix(ACTION_GOAL) for each in type_names() if each.endswith(ACTION_GOAL)]
    if name not in known:
        raise MessageError(f"{name!r:.100} is not a known action; {did_you_mean(name, known)}")
    return ActionType(name, f"{name}_SendGoal", f"{name}_GetResult", f"{name}_FeedbackMessage")

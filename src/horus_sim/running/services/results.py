"""What a service of simulation_interfaces answers: a code, and why."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from horus_sim.errors import HorusError


class Code(IntEnum):
    """Results of all services, as in simulation_interfaces/msg/Result."""

    FEATURE_UNSUPPORTED = 0
    OK = 1
    NOT_FOUND = 2
    INCORRECT_STATE = 3
    OPERATION_FAILED = 4


class StateCode(IntEnum):
    """Results of SetSimulationState alone."""

    ALREADY_IN_TARGET_STATE = 101
    STATE_TRANSITION_ERROR = 102
    INCORRECT_TRANSITION = 103


class SpawnCode(IntEnum):
    """Results of SpawnEntity and SpawnEntities alone."""

    NAME_NOT_UNIQUE = 101
    NAME_INVALID = 102
    UNSUPPORTED_FORMAT = 103
    NO_RESOURCE = 104
    NAMESPACE_INVALID = 105
    RESOURCE_PARSE_ERROR = 106
    MISSING_ASSETS = 107
    UNSUPPORTED_ASSETS = 108
    INVALID_POSE = 109
    ENTITIES_SPAWN_FAILED = 150


class LoadCode(IntEnum):
    """Results of LoadWorld alone."""

    UNSUPPORTED_FORMAT = 101
    NO_RESOURCE = 102
    RESOURCE_PARSE_ERROR = 103
    MISSING_ASSETS = 104
    UNSUPPORTED_ELEMENTS = 106


class WorldCode(IntEnum):
    """Results of UnloadWorld and GetCurrentWorld alone."""

    NO_WORLD_LOADED = 101


class MoveCode(IntEnum):
    """Results of SetEntityState alone."""

    INVALID_POSE = 101


class Refused(Exception):  # noqa: N818 - an answer, not an error
    """A request is refused.

    Args:
        code: One of the codes above.
        text: Culprit, cause and remedy.
    """

    def __init__(self, code: IntEnum, text: str) -> None:
        super().__init__(text)
        self.code = code


def refusal(code: IntEnum, error: HorusError) -> Refused:
    """A refusal with the text of an error."""
    return Refused(code, " ".join(str(error).split()))


def done(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of a response
    """A response that says that it was done."""
    return {"result": result(Code.OK), **fields}


def result(code: IntEnum, text: str = "") -> dict[str, Any]:
    """A simulation_interfaces/msg/Result."""
    return {"result": int(code), "error_message": text}

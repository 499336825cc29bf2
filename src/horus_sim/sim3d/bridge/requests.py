"""Requests on topics: pause, step, reset, spawn, remove; each gets a reply."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from horus_sim.errors import HorusError, SceneError
from horus_sim.hub import QoS
from horus_sim.sim3d.bridge.topics import REPLY_TOPIC
from horus_sim.sim3d.bridge.topics import REQUESTS as FIELDS
from horus_sim.sim3d.names import propose
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.scene import RobotConfig

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.sim3d.bridge.world_bridge import WorldBridge

_log = logging.getLogger("horus_sim.hub")
_QOS = QoS(depth=100)
_MOST_STEPS = 1_000_000


class Requests:
    """Serves the topics ``sim/pause``, ``sim/step``, ``sim/reset``, ``sim/spawn``, ``sim/remove``.

    Args:
        bridge: Does what is asked for.
        hub: The connection.
    """

    def __init__(self, bridge: WorldBridge, hub: Hub) -> None:
        self._bridge = bridge
        self._replies = hub.publisher(REPLY_TOPIC, dict, _QOS)
        self._ends = [(verb, hub.subscribe(f"sim/{verb}", dict, _QOS)) for verb in FIELDS]

    def serve(self) -> None:
        """Does what is asked for, and replies; to 'step' when its steps are made."""
        for verb, end in self._ends:
            while (request := end.take()) is not None:
                self._answer(verb, request)

    def _answer(self, verb: str, request: dict[str, Any]) -> None:
        reply: dict[str, Any] = {"request": verb, "id": None, "ok": True, "error": ""}
        try:
            reply["id"] = _identity(request.get("id"))
            outcome = self._do(verb, request, reply)
        except (HorusError, ValidationError, TypeError, ValueError) as error:
            # The asker gets the text; the simulation goes on.
            self._reply(reply, ok=False, error=_one_line(error))
        except Exception as error:  # noqa: BLE001 - no message ends a simulation
            # What nobody foresaw is our mistake: the log has it all.
            _log.exception("request '%s' failed", verb)
            self._reply(reply, ok=False, error=_one_line(error))
        else:
            if outcome is not None:
                self._reply(reply, **outcome)

    def _reply(self, reply: dict[str, Any], **outcome: Any) -> None:  # noqa: ANN401 - plain data
        self._replies.send(reply | outcome | {"stamp_ns": self._bridge.world.stamp_ns})

    def _do(
        self, verb: str, request: dict[str, Any], reply: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Does it. Returns what the reply says besides; None when the reply comes later."""
        for key in request:
            if key not in (*FIELDS[verb], "id"):
                raise SceneError(propose(str(key), FIELDS[verb], f"request '{verb}'", "field"))
        bridge = self._bridge
        match verb:
            case "pause":
                bridge.pause() if _truth(request.get("paused", True)) else bridge.resume()
            case "step":
                steps = _whole(request.get("steps", 1), "steps", 1, _MOST_STEPS)
                bridge.allow_steps(
                    steps,
                    lambda messages, error: self._reply(
                        reply, ok=not error, error=error, messages=dict(messages)
                    ),
                )
                return None
            case "reset":
                seed = request.get("seed")
                bridge.reset(None if seed is None else _whole(seed, "seed", 0, 2**63))
            case "spawn":
                return {"name": bridge.spawn(_spawned(request))}
            case _:
                bridge.remove(str(request.get("name", "")))
        return {}

    def close(self) -> None:
        """Ends subscriptions and replies."""
        for _, end in self._ends:
            end.close()
        self._replies.close()


def _spawned(request: dict[str, Any]) -> RobotConfig | ObjectConfig:
    if ("robot" in request) == ("object" in request):
        raise SceneError(
            "request 'spawn' needs either 'robot' or 'object', with the fields of a scene file: "
            "{'robot': {'name': 'second', 'model': 'turtlebot3_burger'}}"
        )
    what = "robot" if "robot" in request else "object"
    if not isinstance(request[what], dict):
        raise SceneError(
            f"'{what}' must be a mapping with the fields of a scene file, got {request[what]!r:.60}"
        )
    kind = RobotConfig if what == "robot" else ObjectConfig
    return kind.model_validate(request[what])


def _identity(value: object) -> str | int | float | None:
    if value is not None and not isinstance(value, (str, int, float)):
        raise SceneError(f"'id' must be text or a number, got {value!r:.60}")
    return value


def _whole(value: object, what: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SceneError(f"'{what}' must be a whole number from {least} to {most}, got {value!r}")
    return value


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise SceneError(f"'paused' must be true or false, got {value!r:.60}")
    return value


def _one_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(_problem(problem) for problem in error.errors())
    return " ".join(str(error).split())


def _problem(problem: ErrorDetails) -> str:
    place = ".".join(map(str, problem["loc"]))
    return f"{place}: {problem['msg']}" if place else problem["msg"]

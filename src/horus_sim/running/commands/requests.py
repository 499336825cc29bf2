"""Requests on topics: pause, step, reset, spawn, remove; each gets a reply."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from horus_sim.errors import HorusError, SceneError
from horus_sim.files.names import propose
from horus_sim.hub import QoS, sender
from horus_sim.hub.json_form import from_plain
from horus_sim.hub.simulation_client import RobotCommand
from horus_sim.running.topic_plan import COMMAND_TYPES, REPLY_TOPIC
from horus_sim.running.topic_plan import REQUESTS as FIELDS

if TYPE_CHECKING:
    from horus_sim.hub import Hub, Subscription
    from horus_sim.running.world.running_world import RunningWorld

_log = logging.getLogger("horus_sim.hub")
_QOS = QoS(depth=100)
_MOST_STEPS = 1_000_000
_MOST_WAITING = 1000


class Requests:
    """Serves the topics ``sim/pause``, ``sim/step``, ``sim/reset``, ``sim/spawn``, ``sim/remove``.

    Args:
        running: Does what is asked for.
        hub: The connection.

    Attributes:
        wake: Called when a request has arrived, in the thread that brings it.
    """

    def __init__(self, running: RunningWorld, hub: Hub) -> None:
        self._running = running
        self.wake: Callable[[], object] = lambda: None
        self._waiting: deque[tuple[str, dict[str, Any], str]] = deque()
        self._replies = hub.publisher(REPLY_TOPIC, dict, _QOS)
        self._ends = [self._subscribe(hub, verb) for verb in FIELDS]

    def serve(self) -> None:
        """Does what is asked for, and replies; to 'step' when its steps are made."""
        while self._waiting:
            self._answer(*self._waiting.popleft())

    def _subscribe(self, hub: Hub, verb: str) -> Subscription[dict[str, Any]]:
        def arrive(request: dict[str, Any]) -> None:
            if len(self._waiting) < _MOST_WAITING:
                self._waiting.append((verb, request, sender()))
            else:
                _log.warning("request '%s' is lost: too many wait already", verb)
            self.wake()

        return hub.subscribe(f"sim/{verb}", dict, _QOS, arrive)

    def _answer(self, verb: str, request: dict[str, Any], asker: str) -> None:
        reply: dict[str, Any] = {"request": verb, "id": None, "ok": True, "error": ""}
        try:
            identity = request.get("id")
            is_plain = isinstance(identity, str | int | float | None)
            reply["id"] = _checked(identity, "id", "text or a number", fits=is_plain)
            outcome = self._do(verb, request, reply, asker)
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
        self._replies.send(reply | outcome | {"stamp_ns": self._running.world.stamp_ns})

    def _do(
        self, verb: str, request: dict[str, Any], reply: dict[str, Any], asker: str
    ) -> dict[str, Any] | None:
        """Does it. Returns what the reply says besides; None when the reply comes later."""
        for key in request:
            if key not in (*FIELDS[verb], "id"):
                raise SceneError(propose(str(key), FIELDS[verb], f"request '{verb}'", "field"))
        running = self._running
        match verb:
            case "ask":
                return running.status()
            case "pause":
                paused = request.get("paused", True)
                _checked(paused, "paused", "true or false", fits=isinstance(paused, bool))
                running.pause() if paused else running.resume()
            case "step":
                steps = _whole(request.get("steps", 1), "steps", 1, _MOST_STEPS)
                commands = _commands(request.get("commands", {}))
                running.commands.check(commands)
                running.allow_steps(
                    steps,
                    lambda messages, began_ns, error: self._reply(
                        reply,
                        ok=not error,
                        error=error,
                        messages=dict(messages),
                        began_ns=began_ns,
                    ),
                )
                running.commands.obey(commands, asker)
                return None
            case "reset":
                seed = request.get("seed")
                running.reset(None if seed is None else _whole(seed, "seed", 0, 2**63))
            case "spawn":
                return {"name": running.spawn(running.exchange.spawn_request(request))}
            case _:
                name = request.get("name")
                running.remove(_checked(name, "name", "text", fits=isinstance(name, str)))
        return {}

    def close(self) -> None:
        """Ends subscriptions and replies."""
        for end in self._ends:
            end.close()
        self._replies.close()


def _commands(value: object) -> list[tuple[str, RobotCommand]]:
    """The commands of a request: ``{robot: {"cmd_vel": {"linear": 0.2, "angular": 0.1}}}``."""
    if not isinstance(value, dict):
        raise SceneError(
            "'commands' must be a mapping such as {'burger': {'cmd_vel': {'linear': 0.2, "
            f"'angular': 0.0}}}}}}, got {value!r:.60}"
        )
    found: list[tuple[str, RobotCommand]] = []
    for robot, wanted in value.items():
        if not isinstance(wanted, dict):
            raise SceneError(f"the commands of '{robot}' must be a mapping, got {wanted!r:.60}")
        for topic, fields in wanted.items():
            if topic not in COMMAND_TYPES:
                raise SceneError(propose(str(topic), COMMAND_TYPES, f"robot '{robot}'", "command"))
            if not isinstance(fields, dict):
                raise SceneError(f"'{topic}' of '{robot}' must be a mapping, got {fields!r:.60}")
            try:
                command = from_plain(COMMAND_TYPES[topic], fields)
            except (TypeError, ValueError) as error:
                raise SceneError(
                    f"'{topic}' of '{robot}' does not fit {COMMAND_TYPES[topic].NAME}: {error}"
                ) from error
            found.append((str(robot), cast("RobotCommand", command)))
    return found


def _checked(value: Any, what: str, wanted: str, *, fits: bool) -> Any:  # noqa: ANN401
    if not fits:
        raise SceneError(f"'{what}' must be {wanted}, got {value!r:.60}")
    return value


def _whole(value: object, what: str, least: int, most: int) -> int:
    fits = type(value) is int and least <= value <= most
    return _checked(value, what, f"a whole number from {least} to {most}", fits=fits)


def _one_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        found = [(".".join(map(str, each["loc"])), each["msg"]) for each in error.errors()]
        return "; ".join(f"{place}: {text}" if place else text for place, text in found)
    return " ".join(str(error).split())

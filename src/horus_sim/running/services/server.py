"""Takes requests to the services of simulation_interfaces, and serves them between two steps."""

from __future__ import annotations

import functools
import logging
import re
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from horus_sim.errors import HorusError, HubError
from horus_sim.running.services.entities import EntityServices
from horus_sim.running.services.features import features_message
from horus_sim.running.services.results import Code, Refused, result
from horus_sim.running.services.spawning import SpawnServices
from horus_sim.running.services.state import StateServices
from horus_sim.running.services.stepping import SteppingAction
from horus_sim.running.services.worlds import WorldServices

if TYPE_CHECKING:
    from horus_sim.hub import Hub, Service
    from horus_sim.running.services.offer import Offer
    from horus_sim.running.world.running_world import RunningWorld

PACKAGE = "simulation_interfaces"
_log = logging.getLogger("horus_sim.hub")
_WITHOUT_WORLD = {
    "GetSimulatorFeatures",
    "GetSimulationState",
    "SetSimulationState",
    "GetCurrentWorld",
    "GetSpawnables",
    "GetAvailableWorlds",
    "LoadWorld",
    "UnloadWorld",
}
"""What is answered although no world is loaded."""
_MOST_WAITING = 1000
_BORDER = re.compile(r"(?<=[a-z])(?=[A-Z])")


def service_name(kind: str) -> str:
    """Name of the service of a type: ``step_simulation`` for ``StepSimulation``."""
    return _BORDER.sub("_", kind).lower()


class SimulationServices:
    """Serves simulation_interfaces.

    Args:
        running: The world.
        hub: The connection.

    Attributes:
        wake: Called when a request has arrived, in the thread that brings it.
        offers: What is served, by type.
    """

    def __init__(self, running: RunningWorld[Any], hub: Hub) -> None:
        self._running = running
        self.wake: Callable[[], object] = lambda: None
        self._waiting: deque[tuple[str, Mapping[str, Any], Future[dict[str, Any]]]] = deque()
        entities, self._states = EntityServices(running), StateServices(running)
        self.offers: dict[str, Offer] = {
            **self._states.offers(),
            **entities.offers(),
            **SpawnServices(running, entities).offers(),
            **WorldServices(running, self._states, entities).offers(),
            "GetSimulatorFeatures": self.get_features,
        }
        self._services: list[Service] = []
        self._stepping: SteppingAction | None = None
        try:
            for kind in self.offers:
                self._services.append(self._serve(hub, kind))
            self._stepping = SteppingAction(running, hub, self._states, self._wake_loop)
        except HubError as error:
            # Two worlds in one session are told of once more by their clocks.
            _log.warning("the world runs without services: %s", error)
            self.close()

    def get_features(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """GetSimulatorFeatures."""
        del request
        return {
            "features": features_message(
                [*self.offers, "SimulateSteps"], self._running.exchange.model_formats
            )
        }

    def serve(self) -> None:
        """Does what is asked for, in the order of arrival."""
        if self._stepping is not None:
            self._stepping.serve()
        while self._waiting:
            kind, request, answer = self._waiting.popleft()
            try:
                if kind not in _WITHOUT_WORLD:
                    self._states.require_world()
                outcome = self.offers[kind](request)
            except Refused as refused:
                answer.set_result({"result": result(refused.code, str(refused))})
            except HorusError as error:
                text = " ".join(str(error).split())
                answer.set_result({"result": result(Code.OPERATION_FAILED, text)})
            except Exception as error:  # noqa: BLE001 - no request ends a simulation
                # What nobody foresaw is our mistake: the log has it all, the simulation goes on.
                _log.exception("service '%s' failed", service_name(kind))
                answer.set_exception(error)
            else:
                _hand_over(outcome, answer)

    def _wake_loop(self) -> None:
        self.wake()  # which may be set later than the action begins

    def close(self) -> None:
        """Ends the services; who waits is told."""
        for service in self._services:
            service.close()
        self._services.clear()
        if self._stepping is not None:
            self._stepping.close()
            self._stepping = None

    def _serve(self, hub: Hub, kind: str) -> Service:
        arrive = functools.partial(self._arrive, kind)
        return hub.serve(service_name(kind), f"{PACKAGE}/srv/{kind}", arrive, in_own_thread=False)

    def _arrive(self, kind: str, request: Mapping[str, Any]) -> Future[dict[str, Any]]:
        if len(self._waiting) >= _MOST_WAITING:
            raise HubError(f"{_MOST_WAITING} requests wait already; wait for an answer to one")
        answer: Future[dict[str, Any]] = Future()
        self._waiting.append((kind, request, answer))
        self.wake()
        return answer


def _hand_over(
    outcome: dict[str, Any] | Future[dict[str, Any]], answer: Future[dict[str, Any]]
) -> None:
    if isinstance(outcome, Future):
        outcome.add_done_callback(lambda later: answer.set_result(later.result()))
    else:
        answer.set_result(outcome)

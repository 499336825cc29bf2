"""Services about time: play, pause, stop, reset and steps."""

from __future__ import annotations

from concurrent.futures import Future
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from horus_sim.running.services.results import Code, Refused, StateCode, done, result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from horus_sim.running.services.offer import Offer
    from horus_sim.running.world.running_world import RunningWorld
    from horus_sim.running.world.stepped_world import SteppedWorld


class State(IntEnum):
    """States of a simulation, as in simulation_interfaces/msg/SimulationState."""

    STOPPED = 0
    PLAYING = 1
    PAUSED = 2
    QUITTING = 3
    NO_WORLD = 4
    LOADING_WORLD = 5


class Scope(IntEnum):
    """What is reset, as in simulation_interfaces/srv/ResetSimulation; they may be added up."""

    DEFAULT = 0
    TIME = 1
    STATE = 2
    SPAWNED = 4
    ALL = 255


class StateServices:
    """Plays, pauses, stops, resets and steps a world.

    Args:
        running: The world.
    """

    def __init__(self, running: RunningWorld[Any]) -> None:
        self._running = running
        self._stopped_at: tuple[Any, int] | None = None
        self._nothing: Any = None

    def offers(self) -> dict[str, Offer]:
        """What is served, by type."""
        return {
            "GetSimulationState": self.get_state,
            "SetSimulationState": self.set_state,
            "ResetSimulation": self.reset,
            "StepSimulation": self.step,
        }

    @property
    def state(self) -> State:
        """The state that the simulation is in."""
        running = self._running
        if running.world is self._nothing:
            return State.NO_WORLD
        if not running.is_paused:
            return State.PLAYING
        is_as_stopped = self._stopped_at == (running.world, running.world.jumps)
        return State.STOPPED if is_as_stopped and running.world.steps == 0 else State.PAUSED

    def get_state(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """GetSimulationState."""
        del request
        return done(state={"state": int(self.state)})

    def set_state(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """SetSimulationState."""
        wanted, now = request["state"]["state"], self.state
        running = self._running
        if wanted != State.QUITTING:
            self.require_world()
        # Steps that are still to be made are ended by a pause.
        is_stepping = now is State.PAUSED and running.can_step
        if wanted == now and not is_stepping:
            raise Refused(
                StateCode.ALREADY_IN_TARGET_STATE, f"the simulation is in STATE_{now.name} already"
            )
        match wanted:
            case State.PLAYING:
                running.resume()
            case State.PAUSED:
                self._stopped_at = None
                running.pause()
            case State.STOPPED:
                self._stop()
            case State.QUITTING:
                self._quit()
            case _:
                raise Refused(
                    StateCode.INCORRECT_TRANSITION,
                    f"a simulation cannot be put into state {wanted}; choose STATE_STOPPED (0), "
                    "STATE_PLAYING (1), STATE_PAUSED (2) or STATE_QUITTING (3)",
                )
        return done()

    def reset(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """ResetSimulation."""
        scope = request["scope"]
        if scope in (Scope.DEFAULT, Scope.ALL):
            was_stopped = self.state is State.STOPPED
            self._reset_all()
            if was_stopped:
                self._note_stop()
            return done()
        is_whole = scope & Scope.TIME and scope & Scope.STATE
        if scope & ~(Scope.TIME | Scope.STATE | Scope.SPAWNED) or (
            not is_whole and scope != Scope.SPAWNED
        ):
            raise Refused(
                Code.FEATURE_UNSUPPORTED,
                f"scope {scope} is not supported: time and state are reset together; use SCOPE_ALL "
                "(255), SCOPE_SPAWNED (4), SCOPE_TIME | SCOPE_STATE (3), or both of these (7)",
            )
        if scope & Scope.SPAWNED:
            self._running.changes.despawn()
        if is_whole:
            self._running.reset()
        return done()

    def step(self, request: Mapping[str, Any]) -> dict[str, Any] | Future[dict[str, Any]]:
        """StepSimulation: the answer comes when the steps are made and all messages are sent."""
        if self.state is not State.PAUSED:
            raise Refused(
                Code.OPERATION_FAILED,
                f"the simulation is in STATE_{self.state.name}; steps are made in STATE_PAUSED "
                "alone: call SetSimulationState with it before",
            )
        if request["steps"] == 0:
            return done()
        answer: Future[dict[str, Any]] = Future()

        def end(messages: Mapping[str, int], began_ns: int, error: str) -> None:
            del messages, began_ns
            outcome = {"result": result(Code.OPERATION_FAILED, error)} if error else done()
            answer.set_result(outcome)

        self._running.allow_steps(request["steps"], end)
        return answer

    def put(self, world: SteppedWorld, *, is_nothing: bool) -> None:
        """Stops, with another world in the place of this one.

        Args:
            world: The other world.
            is_nothing: Whether it stands for none.
        """
        running = self._running
        running.replace(world)
        self._nothing = world if is_nothing else None
        running.pause()
        self._note_stop()

    def require_world(self) -> None:
        """Refuses what needs a world where there is none."""
        if self.state is State.NO_WORLD:
            raise Refused(Code.INCORRECT_STATE, "no world is loaded; call LoadWorld before")

    def _stop(self) -> None:
        self._running.pause()
        self._reset_all()
        self._note_stop()

    def _reset_all(self) -> None:
        self._running.changes.restore()
        self._running.reset()

    def _note_stop(self) -> None:
        self._stopped_at = (self._running.world, self._running.world.jumps)

    def _quit(self) -> None:
        on_quit = self._running.on_quit
        if on_quit is None:
            raise Refused(
                Code.FEATURE_UNSUPPORTED,
                "this simulation belongs to a program that does more than run it; end that program",
            )
        if self.state not in (State.STOPPED, State.NO_WORLD):
            self._stop()
        on_quit()

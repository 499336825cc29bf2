"""The action SimulateSteps: steps that are told one by one, and can be cancelled."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from horus_sim.hub.actions import ActionServer, Goal, GoalState
from horus_sim.running.services.results import Code, result
from horus_sim.running.services.state import State

if TYPE_CHECKING:
    from horus_sim.hub import Hub
    from horus_sim.running.services.state import StateServices
    from horus_sim.running.world.running_world import RunningWorld

NAME = "simulate_steps"
KIND = "simulation_interfaces/action/SimulateSteps"


class SteppingAction:
    """Serves SimulateSteps.

    Args:
        running: The world.
        hub: The connection.
        states: Tells whether the simulation is paused.
        wake: Called when a goal has arrived, in the thread that brings it.
    """

    def __init__(
        self,
        running: RunningWorld[Any],
        hub: Hub,
        states: StateServices,
        wake: Callable[[], object],
    ) -> None:
        self._running = running
        self._states = states
        self._wake = wake
        self._goals: deque[Goal] = deque()
        self._cancelled: deque[Goal] = deque()
        self._server = ActionServer(
            hub, NAME, KIND, self._note(self._goals), self._note(self._cancelled)
        )

    def serve(self) -> None:
        """Begins goals that arrived, and ends those that were cancelled, between two steps."""
        while self._goals:
            self._begin(self._goals.popleft())
        while self._cancelled:
            goal = self._cancelled.popleft()
            if not goal.is_over:
                # Ends the order of its steps, which ends the goal.
                self._running.pause()

    def close(self) -> None:
        """Ends the action."""
        self._server.close()

    def _note(self, line: deque[Goal]) -> Callable[[Goal], object]:
        def note(goal: Goal) -> None:
            line.append(goal)
            self._wake()

        return note

    def _begin(self, goal: Goal) -> None:
        steps, state = goal.request["steps"], self._states.state
        if state is not State.PAUSED:
            text = (
                f"the simulation is in STATE_{state.name}; steps are made in STATE_PAUSED alone: "
                "call SetSimulationState with it before"
            )
            goal.end(GoalState.ABORTED, result=result(Code.OPERATION_FAILED, text))
            return
        if steps == 0:
            goal.end(GoalState.SUCCEEDED, result=result(Code.OK))
            return
        done = 0

        def on_step() -> None:
            nonlocal done
            done += 1
            goal.tell(completed_steps=done, remaining_steps=steps - done)

        def on_end(messages: Mapping[str, int], began_ns: int, error: str) -> None:
            del messages, began_ns
            if not error:
                goal.end(GoalState.SUCCEEDED, result=result(Code.OK))
                return
            was_cancelled = goal.state is GoalState.CANCELING
            state = GoalState.CANCELED if was_cancelled else GoalState.ABORTED
            goal.end(state, result=result(Code.OPERATION_FAILED, error))

        self._running.allow_steps(steps, on_end, on_step)

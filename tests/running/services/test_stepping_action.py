"""The action SimulateSteps, piece by piece as ROS programs use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from horus_sim.errors import MessageError
from horus_sim.hub import QoS
from horus_sim.hub.actions import CancelCode, GoalState
from horus_sim.hub.ros.action_type import CANCEL, action_type
from horus_sim.hub.ros.binding import ros_message
from horus_sim.hub.ros.definition import definition_of, referenced
from horus_sim.hub.ros.type_hash import hash_of
from horus_sim.running import RunningWorld
from horus_sim.running.services.features import Feature
from horus_sim.running.services.results import Code
from horus_sim.running.services.state import State
from horus_sim.sim3d import World

KIND = action_type("simulation_interfaces/action/SimulateSteps")
FIRST, SECOND = {"uuid": [1] * 16}, {"uuid": [2] * 16}
LATCHED = QoS(depth=1, latched=True)


@pytest.fixture
def running(hub):
    with RunningWorld(World.load("empty_world"), hub) as running:
        running.pause()
        yield running


@pytest.fixture
def action(hub, running):
    """Sends to one of the services of the action, and lets it be served."""
    kinds = {"send_goal": KIND.send_goal, "get_result": KIND.get_result, "cancel_goal": CANCEL}
    clients = {
        name: hub.client(f"simulate_steps/_action/{name}", kind) for name, kind in kinds.items()
    }

    def send(name: str, **fields):
        future = clients[name].call_async(**fields)
        running.poll()
        return future

    return send


def states(heard):
    last = None
    while (message := heard.take()) is not None:
        last = message
    return (
        {}
        if last is None
        else {
            bytes(each["goal_info"]["goal_id"]["uuid"])[0]: GoalState(each["status"])
            for each in last["status_list"]
        }
    )


def test_hashes_of_the_states_are_those_of_the_data(shared: Path):
    known = json.loads((shared / "ros2" / "type_hashes.json").read_text())
    for name in ("GoalInfo", "GoalStatus", "GoalStatusArray"):
        definition = definition_of(f"action_msgs/msg/{name}")
        assert hash_of(definition, referenced(definition)) == known[definition.name]


def test_numbers_are_those_of_the_definitions():
    written = definition_of("action_msgs/msg/GoalStatus").constants
    assert all(int(written[f"STATUS_{state.name}"].value) == state for state in GoalState)
    written = definition_of(f"{CANCEL}_Response").constants
    assert all(int(written[f"ERROR_{code.name}"].value) == code for code in CancelCode)


def test_steps_are_told_one_by_one_and_the_result_comes_at_the_end(hub, running, action, ask):
    features = ask("GetSimulatorFeatures")["features"]["features"].tolist()
    assert Feature.STEP_SIMULATION_ACTION in features
    feedback = hub.subscribe("simulate_steps/_action/feedback", ros_message(KIND.feedback))
    status = hub.subscribe(
        "simulate_steps/_action/status", ros_message("action_msgs/msg/GoalStatusArray"), LATCHED
    )
    assert action("send_goal", goal_id=FIRST, goal={"steps": 3}).result(0)["accepted"]
    assert states(status) == {1: GoalState.EXECUTING}
    result = action("get_result", goal_id=FIRST)
    assert running.step(2) == 2
    assert not result.done()
    assert running.step(5) == 1
    told = result.result(0)
    assert told["status"] == GoalState.SUCCEEDED
    assert told["result"]["result"]["result"] == Code.OK
    assert states(status) == {1: GoalState.SUCCEEDED}
    heard = [feedback.take()["feedback"] for _ in range(3)]
    assert [each["completed_steps"] for each in heard] == [1, 2, 3]
    assert [each["remaining_steps"] for each in heard] == [2, 1, 0]
    # A result may be asked for again, by anybody.
    assert action("get_result", goal_id=FIRST).result(0)["status"] == GoalState.SUCCEEDED


def test_a_running_simulation_aborts_it_with_the_remedy(running, action, ask):
    ask("SetSimulationState", state={"state": int(State.PLAYING)})
    action("send_goal", goal_id=FIRST, goal={"steps": 3})
    told = action("get_result", goal_id=FIRST).result(0)
    assert told["status"] == GoalState.ABORTED
    assert told["result"]["result"]["result"] == Code.OPERATION_FAILED
    assert "call SetSimulationState with it before" in told["result"]["result"]["error_message"]


def test_a_goal_is_cancelled_between_two_steps(hub, running, action):
    status = hub.subscribe(
        "simulate_steps/_action/status", ros_message("action_msgs/msg/GoalStatusArray"), LATCHED
    )
    action("send_goal", goal_id=FIRST, goal={"steps": 100})
    result = action("get_result", goal_id=FIRST)
    running.step(10)
    answer = action("cancel_goal", goal_info={"goal_id": FIRST}).result(0)
    assert answer["return_code"] == CancelCode.NONE
    assert [bytes(each["goal_id"]["uuid"])[0] for each in answer["goals_canceling"]] == [1]
    assert running.step(10) == 0
    told = result.result(0)
    assert told["status"] == GoalState.CANCELED
    assert "after 10 of 100 steps" in told["result"]["result"]["error_message"]
    assert states(status) == {1: GoalState.CANCELED}
    assert running.world.steps == 10
    over = action("cancel_goal", goal_info={"goal_id": FIRST}).result(0)
    assert over["return_code"] == CancelCode.GOAL_TERMINATED
    unknown = action("cancel_goal", goal_info={"goal_id": SECOND}).result(0)
    assert unknown["return_code"] == CancelCode.UNKNOWN_GOAL_ID


def test_all_goals_are_cancelled_at_once(running, action):
    for ident in (FIRST, SECOND):
        action("send_goal", goal_id=ident, goal={"steps": 100})
    results = [action("get_result", goal_id=ident) for ident in (FIRST, SECOND)]
    answer = action("cancel_goal").result(0)
    assert len(answer["goals_canceling"]) == 2
    running.step(1)
    assert [each.result(0)["status"] for each in results] == [GoalState.CANCELED] * 2


def test_nothing_to_do_is_done_and_a_number_is_taken_once(running, action):
    assert action("send_goal", goal_id=FIRST, goal={"steps": 0}).result(0)["accepted"]
    assert not action("send_goal", goal_id=FIRST, goal={"steps": 5}).result(0)["accepted"]
    assert action("get_result", goal_id=FIRST).result(0)["status"] == GoalState.SUCCEEDED
    assert action("get_result", goal_id=SECOND).result(0)["status"] == 0


def test_a_reset_aborts_what_is_under_way(running, action):
    action("send_goal", goal_id=FIRST, goal={"steps": 100})
    result = action("get_result", goal_id=FIRST)
    running.step(3)
    running.reset()
    told = result.result(0)
    assert told["status"] == GoalState.ABORTED
    assert "a reset ended the request" in told["result"]["result"]["error_message"]


def test_an_unknown_action_is_named():
    with pytest.raises(MessageError, match=r"SimulateStep' is not a known action; did you mean"):
        action_type("simulation_interfaces/action/SimulateStep")


def test_a_goal_may_arrive_as_soon_as_its_service_is_there(hub, monkeypatch):
    """Over a network it does: a client waits for the service and asks at once."""
    serve, answers = hub.serve, {}

    def serve_and_ask(name, kind, handler, **more):
        end = serve(name, kind, handler, **more)
        if name.endswith("send_goal"):
            answers[name] = handler({"goal_id": FIRST, "goal": {"steps": 3}})
        return end

    monkeypatch.setattr(hub, "serve", serve_and_ask)
    with RunningWorld(World.load("empty_world"), hub) as running:
        running.pause()
        assert answers["simulate_steps/_action/send_goal"]["accepted"]
        asked = hub.client("simulate_steps/_action/get_result", KIND.get_result)
        outcome = asked.call_async(goal_id=FIRST)
        running.poll()
        assert running.step(3) == 3
        assert outcome.result(timeout=10.0)["status"] == GoalState.SUCCEEDED

"""Pause, step, reset, spawn and remove over topics, and the loop that runs a running."""

from __future__ import annotations

import threading
import uuid

import pytest

from horus_sim.errors import CommandError, PhysicsError
from horus_sim.hub import QoS, connect
from horus_sim.hub.messages import Clock, CmdVel, Odometry
from horus_sim.running import Loop, RunningWorld
from horus_sim.running.commands.requests import FIELDS
from horus_sim.sim3d import World


@pytest.fixture
def hub():
    with connect(session=f"test-{uuid.uuid4().hex[:12]}") as hub:
        yield hub


@pytest.fixture
def running(hub):
    with RunningWorld(World.load("empty_world"), hub) as running:
        running.start()
        yield running


@pytest.fixture
def ask(running, hub):
    """Sends a request, lets it be served, and gives the reply."""
    replies = hub.subscribe("sim/reply", dict)
    publishers = {verb: hub.publisher(f"sim/{verb}", dict) for verb in FIELDS}

    def ask(verb, **fields):
        publishers[verb].send({"id": 7, **fields})
        running.poll()
        reply = replies.take()
        assert (reply["request"], reply["id"]) == (verb, 7)
        return reply

    return ask


def test_pause_step_and_resume(running, hub, ask):
    status = hub.subscribe("sim/status", dict, QoS(latched=True))
    assert status.latest()["paused"] is False
    assert ask("pause")["ok"]
    assert status.latest()["paused"] is True
    assert running.step(10) == 0
    assert not running.can_step
    running.allow_steps(3)
    assert running.step(10) == 3
    assert running.world.steps == 3
    assert ask("pause", paused=False)["ok"]
    assert running.step(10) == 10


@pytest.fixture
def step_replies(running, hub):
    """Asks for steps and gives the replies."""
    replies = hub.subscribe("sim/reply", dict, QoS(depth=100))
    hub.publisher("sim/step", dict).send({"id": 1, "steps": 12})
    return replies


def test_steps_are_answered_when_they_are_made_and_sent(running, hub, step_replies):
    clocks = hub.subscribe("clock", Clock, QoS(depth=100))
    received = []
    hub.subscribe("sim/reply", dict, callback=lambda _: received.append(clocks.received))
    running.poll()
    assert running.is_paused
    assert step_replies.take() is None
    assert running.step(11) == 11
    assert step_replies.take() is None
    before = clocks.received
    assert running.step(100) == 1
    reply = step_replies.take()
    assert (reply["id"], reply["ok"], reply["stamp_ns"]) == (1, True, running.world.stamp_ns)
    assert received == [clocks.received]
    assert reply["messages"]["clock"] == clocks.received
    assert before <= clocks.received


def test_steps_that_a_pause_ends_are_answered_so(running, hub, step_replies):
    running.step(5)
    hub.publisher("sim/step", dict).send({"id": 2, "steps": 2})
    running.poll()
    hub.publisher("sim/pause", dict).send({"id": 3})
    running.poll()
    replies = [step_replies.take() for _ in range(3)]
    assert [(reply["id"], reply["ok"]) for reply in replies] == [(1, False), (2, False), (3, True)]
    assert replies[0]["error"] == "a pause ended the request after 5 of 12 steps"
    assert replies[1]["error"] == "a pause ended the request after 0 of 2 steps"
    assert running.step(5) == 0


def test_steps_that_a_reset_ends_are_answered_so(running, hub, step_replies):
    running.step(5)
    hub.publisher("sim/reset", dict).send({"id": 2})
    running.poll()
    replies = [step_replies.take() for _ in range(2)]
    assert [(reply["id"], reply["ok"]) for reply in replies] == [(1, False), (2, True)]
    assert replies[0]["error"] == "a reset ended the request after 5 of 12 steps"
    assert running.step(5) == 0


def test_steps_that_are_not_made_before_the_end_are_answered_so(running, step_replies):
    running.step(5)
    running.close()
    error = step_replies.take()["error"]
    assert error == "the end of the simulation ended the request after 5 of 12 steps"


def test_only_so_many_orders_of_steps_wait(running):
    for _ in range(1000):
        running.allow_steps(1)
    with pytest.raises(CommandError, match="1000 orders of steps wait already"):
        running.allow_steps(1)


def test_no_request_ends_a_simulation(running, ask, monkeypatch, caplog):
    def fail(_):
        raise OSError("broken disk")

    monkeypatch.setattr(running, "remove", fail)
    assert ask("remove", name="x")["error"] == "broken disk"
    assert "request 'remove' failed" in caplog.text


def test_an_odd_identity_is_refused(running, hub):
    replies = hub.subscribe("sim/reply", dict)
    hub.publisher("sim/pause", dict).send({"id": [1, {}]})
    running.poll()
    reply = replies.take()
    assert reply["id"] is None
    assert reply["error"] == "'id' must be text or a number, got [1, {}]"


def test_reset_takes_a_seed_and_starts_at_zero(running, ask):
    running.step(10)
    reply = ask("reset", seed=5)
    assert reply["ok"]
    assert reply["stamp_ns"] == 0
    assert running.world.steps == 0
    assert running.world.seed == 5


def test_a_spawned_robot_has_topics_until_it_is_removed(running, hub, ask):
    robot = {"name": "second", "model": "turtlebot3_burger", "pose": {"xyz": [1.0, 1.0, 0.01]}}
    reply = ask("spawn", robot=robot)
    assert (reply["ok"], reply["name"]) == (True, "second")
    odom = hub.subscribe("second/odom", Odometry, QoS(depth=1000))
    sender = hub.publisher("second/cmd_vel", CmdVel)
    for _ in range(5):
        sender.send(CmdVel(0.2, 0.0))
        running.step(60)
    assert odom.latest().pose.translation[0] > 0.1
    assert ask("remove", name="second")["ok"]
    assert "second" not in running.world.robots
    assert running.step(10) == 10


def test_a_spawned_object_falls(running, ask):
    box = {
        "name": "box",
        "shape": {"kind": "box", "size": [0.2, 0.2, 0.2]},
        "mass": 1.0,
        "dynamic": True,
        "pose": {"xyz": [0, 0, 1]},
    }
    assert ask("spawn", object=box)["ok"]
    running.step(100)
    assert running.world.objects["box"].pose.translation[2] < 0.9


@pytest.mark.parametrize(
    ("verb", "fields", "text"),
    [
        ("pause", {"paused": "no"}, "'paused' must be true or false, got 'no'"),
        ("pause", {"paused": 0}, "'paused' must be true or false, got 0"),
        ("spawn", {"robot": "burger"}, "'robot' must be a mapping with the fields of a scene file"),
        ("spawn", {"object": {"name": "b"}}, "Value error, an object takes either 'shape' or"),
        ("remove", {"name": "nothing"}, "has no robot or object 'nothing'"),
        ("remove", {"nam": "x"}, "request 'remove' has no field 'nam'; did you mean 'name'?"),
        ("remove", {"name": 5}, "'name' must be text, got 5"),
        (
            "spawn",
            {
                "object": {
                    "name": "b",
                    "shape": {"kind": "sphere", "radius": 0.1},
                    "pose": {"xyz": [1e308, 0, 0]},
                }
            },
            "choose a place within 1e+06 m of the origin",
        ),
        (
            "spawn",
            {"object": {"name": "b", "shape": {"kind": "box", "size": [1e-300, 1, 1]}}},
            "greater than or equal to 0.000001",
        ),
        (
            "spawn",
            {"robot": {"name": "sim", "model": "turtlebot3_burger"}},
            "'sim/' is kept for the simulation itself; give it another 'name'",
        ),
        ("step", {"commands": [1]}, "{'linear': 0.2, 'angular': 0.0}}}, got [1]"),
        ("step", {"commands": {"burger": {"cmd_vell": {}}}}, "did you mean 'cmd_vel'"),
        (
            "step",
            {"commands": {"b": {"cmd_twist": {"angular": None}}}},
            "'cmd_twist' of 'b' does not fit",
        ),
        ("step", {"commands": {"b": {"cmd_vel": {"linear": 1.0}}}}, "has no robot 'b'"),
        ("step", {"steps": 0}, "'steps' must be a whole number from 1"),
        ("step", {"steps": True}, "'steps' must be a whole number from 1"),
        ("reset", {"seed": -1}, "'seed' must be a whole number from 0"),
        ("spawn", {}, "needs either 'robot' or 'object'"),
        ("spawn", {"robot": {"model": "turtlebot3_burger", "nme": "a"}}, "did you mean 'name'"),
        ("spawn", {"robot": {"model": "burgre", "name": "a"}}, "burgre"),
        ("spawn", {"robot": {"model": "/etc/passwd", "name": "a"}}, "/etc/passwd"),
    ],
)
def test_what_cannot_be_done_is_answered_with_the_cause(running, ask, verb, fields, text):
    reply = ask(verb, **fields)
    assert reply["ok"] is False
    assert text in reply["error"]
    assert "\n" not in reply["error"]
    assert not reply["error"].startswith(":")
    assert not running.is_paused
    assert running.step(1) == (1 if not running.is_paused else 0)


def test_a_refused_step_obeys_none_of_its_commands(running, ask):
    for y, name in enumerate("ab"):
        pose = {"xyz": [0, y, 0.01]}
        ask("spawn", robot={"name": name, "model": "turtlebot3_burger", "pose": pose})
    ahead = {"cmd_vel": {"linear": 0.2, "angular": 0.0}}
    before = running.exchange.digest()
    for wrong, text in (
        ({"none": ahead}, "has no robot 'none'"),
        ({"b": {"cmd_vel": {"linear": float("nan")}}}, "not finite"),
        (
            {"b": {"joint_command": {"names": ["knee"], "values": [1.0], "mode": "velocity"}}},
            "knee",
        ),
    ):
        reply = ask("step", commands={"a": ahead, **wrong})
        assert reply["ok"] is False
        assert text in reply["error"]
    assert running.exchange.digest() == before
    assert running.drivers() == {"a": "", "b": ""}
    assert not running.is_paused
    running.step(300)
    assert abs(running.world.robots["a"].velocity[0][0]) < 1e-3


def test_a_step_that_finds_too_many_waiting_obeys_no_command(running, ask):
    ask("spawn", robot={"name": "a", "model": "turtlebot3_burger", "pose": {"xyz": [0, 0, 0.01]}})
    for _ in range(1000):
        running.allow_steps(1)
    reply = ask("step", commands={"a": {"cmd_vel": {"linear": 0.2, "angular": 0.0}}})
    assert "1000 orders of steps wait already" in reply["error"]
    assert running.drivers() == {"a": ""}


def test_a_check_leaves_a_robot_free_that_nothing_controls(running, ask):
    ask("spawn", robot={"name": "a", "model": "turtlebot3_burger", "pose": {"xyz": [0, 0, 0.01]}})
    robot = running.world.robots["a"]
    robot.release()
    running.commands.check([("a", CmdVel(0.2, 0.0))])
    assert not robot.has_control
    running.command("a", CmdVel(0.2, 0.0))
    assert robot.has_control


def test_commands_sent_during_a_pause_do_not_count(running, hub, ask):
    ask("spawn", robot={"name": "b", "model": "turtlebot3_burger", "pose": {"xyz": [0, 0, 0.01]}})
    running.step(10)
    ask("pause")
    hub.publisher("b/cmd_vel", CmdVel).send(CmdVel(0.2, 0.0))
    ask("pause", paused=False)
    running.step(100)
    assert abs(running.world.robots["b"].velocity[0][0]) < 1e-3


def test_the_loop_runs_for_a_simulated_time_and_counts(running):
    done = []
    loop = Loop(running, speed=None, duration=0.5)
    loop.on_steps.append(done.append)
    loop.run()
    assert loop.dropped_time == 0.0
    assert sum(done) == running.world.steps == round(0.5 / running.world.timestep)
    Loop(running, speed=5.0, duration=0.05).run()
    assert running.world.steps == round(0.55 / running.world.timestep)


def test_a_paused_loop_serves_requests(running, hub):
    running.pause()
    resume = hub.publisher("sim/pause", dict)
    timer = threading.Timer(0.1, resume.send, ({"paused": False},))
    timer.start()
    Loop(running, speed=None, duration=0.1).run()
    timer.join()
    assert running.world.steps == round(0.1 / running.world.timestep)


def test_a_world_that_diverges_on_topics_is_paused_and_can_be_reset(hub, ask, running, caplog):
    class Kick:
        def update(self, world, dt):
            world.data.qvel[:] = 1e30

    ask(
        "spawn",
        object={"name": "ball", "shape": {"kind": "sphere", "radius": 0.1}, "dynamic": True},
    )
    running.world.controllers.append(Kick())
    loop = Loop(running, speed=None)
    loop.on_steps.append(lambda _: loop.stop() if running.is_paused else None)
    loop.run()
    assert running.is_paused
    assert "paused: " in caplog.text
    running.world.controllers.clear()
    assert ask("reset")["ok"]
    running.world.controllers.append(Kick())
    running.resume()
    ending = Loop(running, speed=None, duration=1.0)
    with pytest.raises(PhysicsError):
        ending.run()

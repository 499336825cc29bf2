"""The thread that runs a world: pace, orders, errors and its end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from horus_sim.errors import SceneError, SimulationStoppedError, UiError
from horus_sim.running.loop.loop import Loop
from horus_sim.sim3d import ObjectConfig, Scene, World

BALL = ObjectConfig.model_validate(
    {"name": "ball", "shape": {"kind": "sphere", "radius": 0.1}, "dynamic": True}
)
LONGEST_S = 20.0


def ball_world() -> World:
    return World.load(Scene(objects=(BALL,)))


def wait_for(condition: Callable[[], bool]) -> None:
    """Waits until something is so; fails after a long time only."""
    end = time.monotonic() + LONGEST_S
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


@pytest.fixture
def simulation() -> Iterator[Loop]:
    with Loop(ball_world(), running=False) as simulation:
        yield simulation


def test_a_paused_world_stands_still_and_steps_one_by_one(simulation: Loop):
    assert simulation.call(lambda world: world.steps).result(LONGEST_S) == 0
    simulation.step().result(LONGEST_S)
    simulation.step(3).result(LONGEST_S)
    assert simulation.status.steps == 4
    assert simulation.status.time == 4 / 240
    assert not simulation.status.is_running


def test_it_runs_when_told_and_pauses_again(simulation: Loop):
    simulation.play().result(LONGEST_S)
    wait_for(lambda: simulation.status.steps > 10)
    simulation.pause().result(LONGEST_S)
    steps = simulation.status.steps
    time.sleep(0.05)
    assert simulation.call(lambda world: world.steps).result(LONGEST_S) == steps


def test_simulated_time_never_runs_ahead_of_the_clock(simulation: Loop):
    began = time.monotonic()
    simulation.play().result(LONGEST_S)
    wait_for(lambda: simulation.status.time > 0.2)
    simulated = simulation.call(lambda world: world.time).result(LONGEST_S)
    assert simulated <= time.monotonic() - began + 1 / 240


def test_speed_scales_time(simulation: Loop):
    simulation.set_speed(10.0).result(LONGEST_S)
    began = time.monotonic()
    simulation.play().result(LONGEST_S)
    wait_for(lambda: simulation.status.time > 1.0)
    assert simulation.status.speed == 10.0
    simulated = simulation.call(lambda world: world.time).result(LONGEST_S)
    assert simulated <= 10 * (time.monotonic() - began) + 10 / 240


@pytest.mark.parametrize("speed", [0.0, -1.0, 0.05, 10.5, float("nan"), float("inf")])
def test_a_speed_out_of_range_is_refused(simulation: Loop, speed: float):
    with pytest.raises(UiError, match=r"choose one from 0\.1 to 10"):
        simulation.set_speed(speed)
    assert simulation.status.speed == 1.0


def test_reset_goes_back_to_the_start(simulation: Loop):
    simulation.step(24).result(LONGEST_S)
    height = simulation.call(lambda world: world.objects["ball"].pose.translation[2])
    assert height.result(LONGEST_S) < 0
    simulation.reset().result(LONGEST_S)
    assert simulation.status.steps == 0
    height = simulation.call(lambda world: world.objects["ball"].pose.translation[2])
    assert height.result(LONGEST_S) == 0


def test_an_error_of_an_order_comes_back_and_harms_nothing(simulation: Loop):
    with pytest.raises(SceneError, match="no robot or object 'bal'; did you mean 'ball'"):
        simulation.call(lambda world: world.remove("bal")).result(LONGEST_S)
    simulation.step().result(LONGEST_S)
    assert simulation.status.steps == 1


def test_of_posted_orders_the_latest_counts(simulation: Loop):
    seen: list[int] = []
    hold = threading.Event()
    blocked = simulation.call(lambda _: hold.wait(LONGEST_S))
    for i in range(5):
        simulation.post("drag", lambda _, i=i: seen.append(i))
    hold.set()
    blocked.result(LONGEST_S)
    simulation.step().result(LONGEST_S)
    wait_for(lambda: bool(seen))
    assert seen == [4]


def test_an_error_of_a_posted_order_is_logged(simulation: Loop):
    simulation.post("drag", lambda world: world.remove("nothing"))
    wait_for(lambda: bool(simulation.log.since()))
    event = simulation.log.since()[0]
    assert event.level == "error"
    assert "nothing" in event.text


def test_diverging_physics_pauses_with_a_message(simulation: Loop):
    def spoil(world: World) -> None:
        world.data.qvel[0] = float("nan")

    simulation.call(spoil).result(LONGEST_S)
    simulation.play().result(LONGEST_S)
    wait_for(lambda: not simulation.status.is_running)
    assert "paused" in simulation.log.since()[-1].text
    assert "ball" in simulation.log.since()[-1].text


def test_frames_come_while_paused_only_when_something_changed(simulation: Loop):
    frames: list[int] = []
    simulation.call(lambda _: None).result(LONGEST_S)
    time.sleep(0.1)
    simulation.on_frame.append(lambda world: frames.append(world.steps))
    time.sleep(0.1)
    assert frames == []
    simulation.step().result(LONGEST_S)
    wait_for(lambda: frames == [1])


def test_a_failing_view_does_not_stop_the_world(simulation: Loop):
    def fail(_: World) -> None:
        raise ZeroDivisionError("a view")

    simulation.on_frame.append(fail)
    simulation.play().result(LONGEST_S)
    wait_for(lambda: simulation.status.steps > 20)
    assert simulation.log.since()[-1].text == "ZeroDivisionError: a view"


def test_another_world_takes_the_place(simulation: Loop):
    seen: list[str] = []
    simulation.running.on_replace.append(lambda world: seen.append(world.scene.name))
    simulation.replace(World.load("empty_world")).result(LONGEST_S)
    assert seen == ["empty_world"]
    assert simulation.status.scene == "empty_world"


def test_after_the_end_orders_are_refused():
    simulation = Loop(ball_world())
    simulation.start()
    simulation.close()
    with pytest.raises(SimulationStoppedError, match="start the program again"):
        simulation.call(lambda _: None)

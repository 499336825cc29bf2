"""Orders to a thread: their turn, their errors, and its end."""

from __future__ import annotations

import pytest

from horus_sim.errors import SimulationStoppedError, UiError
from horus_sim.running.loop.event_log import EventLog
from horus_sim.running.loop.orders import OrderQueue


def fail(_: list[int]) -> None:
    raise UiError("that does not fit")


def test_orders_are_done_in_turn_and_answered_after_the_state_was_noted():
    queue: OrderQueue[list[int]] = OrderQueue(EventLog())
    owned: list[int] = []
    noted: list[int] = []
    first = queue.call(lambda things: things.append(1))
    failing = queue.call(fail)
    second = queue.call(len)
    second.add_done_callback(lambda _: noted.append(99))
    assert queue.obey(owned, lambda: noted.append(len(owned)))
    assert first.result() is None
    assert second.result() == 1
    assert noted == [1, 1, 99]
    with pytest.raises(UiError, match="that does not fit"):
        failing.result()
    assert not queue.obey(owned)


def test_a_later_post_takes_the_place_of_an_earlier_one_and_errors_are_logged():
    log = EventLog()
    queue: OrderQueue[list[int]] = OrderQueue(log)
    owned: list[int] = []
    for number in (1, 2, 3):
        queue.post("a", lambda things, number=number: things.append(number))
    queue.post("b", fail)
    queue.post("c", lambda things: things[7])
    queue.wait(None)
    assert queue.obey(owned)
    assert owned == [3]
    assert [event.text for event in log.since()] == [
        "that does not fit",
        "IndexError: list index out of range",
    ]


def test_what_was_not_begun_fails_in_the_end():
    queue: OrderQueue[list[int]] = OrderQueue(EventLog())
    left, cancelled = queue.call(len), queue.call(len)
    assert cancelled.cancel()
    queue.close()
    queue.wait(None)
    queue.refuse()
    with pytest.raises(SimulationStoppedError, match="start the program again"):
        left.result()
    with pytest.raises(SimulationStoppedError):
        queue.call(len)

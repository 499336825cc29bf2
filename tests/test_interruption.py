"""Signals end what runs like Ctrl-C, and never in the middle of something."""

from __future__ import annotations

import signal
import sys
import threading

import pytest

from horus_sim.interruption import Interruption, uninterrupted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGHUP")

if sys.platform != "win32":
    ALL = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    ENDING = (signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def usual_handlers():
    """As in a program that was just started, and that they are so again afterwards."""
    before = [signal.getsignal(number) for number in ALL]
    usual = (signal.default_int_handler, signal.SIG_DFL, signal.SIG_DFL)
    for number, handler in zip(ALL, usual, strict=True):
        signal.signal(number, handler)
    yield
    after = tuple(signal.getsignal(number) for number in ALL)
    for number, handler in zip(ALL, before, strict=True):
        signal.signal(number, handler)
    assert after == usual


@pytest.mark.parametrize("number", ALL)
def test_each_of_them_raises_as_ctrl_c_does(number):
    with Interruption() as interruption:
        assert (interruption.is_asked, interruption.exit_code) == (False, None)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert interruption.number == number
    assert interruption.exit_code == {signal.SIGTERM: 143, signal.SIGHUP: 129}.get(number)


def test_later_ones_do_not_disturb_the_end():
    with Interruption() as interruption:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
        for number in (*ENDING, signal.SIGINT, *ENDING):
            signal.raise_signal(number)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert interruption.exit_code == 129


@pytest.mark.parametrize("number", ALL)
def test_a_block_comes_to_its_end_first(number):
    done = []

    def work():
        with uninterrupted():
            with uninterrupted():
                signal.raise_signal(number)
                done.append("inner")
            done.append("outer")

    with Interruption(), pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["inner", "outer"]
    with uninterrupted():
        pass  # nothing is left over


def test_a_third_ctrl_c_breaks_a_block_that_does_not_end():
    done = []

    def work():
        with uninterrupted():
            for _ in range(4):
                signal.raise_signal(signal.SIGINT)
                done.append("press")

    with Interruption(), pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["press", "press"]


def test_a_block_in_another_thread_holds_nothing_up():
    entered, leave = threading.Event(), threading.Event()

    def work():
        with uninterrupted():
            entered.set()
            leave.wait(60)

    thread = threading.Thread(target=work)
    with Interruption():
        thread.start()
        entered.wait(60)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        leave.set()
        thread.join(60)


def test_one_that_waits_tells_the_outer_one():
    with Interruption() as outer:
        with Interruption(waits=True) as inner:
            signal.raise_signal(signal.SIGTERM)
            assert inner.is_asked
        assert outer.exit_code == 143


def test_what_others_handle_or_ignore_is_left_alone():
    heard = []
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    with Interruption() as interruption:
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGTERM)
    assert heard == [signal.SIGTERM]
    assert interruption.number is None
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)


def test_a_server_that_took_sigterm_ends_by_it_when_the_terminal_is_closed():
    heard = []
    with Interruption() as interruption:
        ours = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
        signal.raise_signal(signal.SIGHUP)
        signal.signal(signal.SIGTERM, ours)
        signal.raise_signal(signal.SIGTERM)  # as uvicorn does after its end
    assert heard == [signal.SIGTERM]
    assert interruption.exit_code == 129

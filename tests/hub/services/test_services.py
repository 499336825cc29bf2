"""Services inside one process and over zenoh: answers, failures, ends and time-outs."""

# Arguments that do not fit are given on purpose.
# pyright: reportArgumentType=false

from __future__ import annotations

import re
import threading
import time
import uuid
from concurrent.futures import Future

import pytest

from horus_sim.errors import HubError, MessageError, ServiceError, ServiceTimeoutError
from horus_sim.hub import Service, ServiceClient, connect
from horus_sim.hub.ros.service_type import service_type
from horus_sim.hub.services.values import from_bytes, to_bytes

ADD = "example_interfaces/srv/AddTwoInts"
SET = "std_srvs/srv/SetBool"
LONG = 30.0


@pytest.fixture(params=["inproc://", "zenoh://"])
def url(request):
    return request.param


@pytest.fixture
def hub(url):
    with connect(url, session=f"test-{uuid.uuid4().hex[:12]}", name="here") as hub:
        yield hub


@pytest.fixture
def other(hub, url):
    with connect(url, session=hub.session, name="there") as other:
        yield other


def until(condition):
    """Waits for what the other side brings about."""
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


def add(request):
    return {"sum": request["a"] + request["b"]}


def test_a_call_is_answered(hub, other):
    with hub.serve("/math/add", ADD, add) as service, other.client("math/add", ADD) as client:
        assert client.call(a=2, b=3) == {"sum": 5}
        assert client.call({"a": 2}) == {"sum": 2}
        assert client.call_async(b=7).result(LONG) == {"sum": 7}
        assert service.answered == 3
        assert (
            repr(service) == "<Service 'math/add': example_interfaces/srv/AddTwoInts, 3 answered>"
        )
        assert repr(client) == "<ServiceClient 'math/add': example_interfaces/srv/AddTwoInts>"


def test_requests_are_handled_one_after_the_other_in_another_thread(hub):
    threads, order = set(), []

    def handle(request):
        threads.add(threading.current_thread())
        order.append(request["a"])
        return {"sum": request["a"]}

    hub.serve("add", ADD, handle)
    client = hub.client("add", ADD)
    futures = [client.call_async(a=i) for i in range(20)]
    assert [future.result(LONG)["sum"] for future in futures] == list(range(20)) == order
    assert len(threads) == 1
    assert threading.current_thread() not in threads


@pytest.mark.parametrize("url", ["inproc://"])
def test_a_quick_handler_runs_in_the_thread_that_asks(hub):
    threads = []
    hub.serve("set", SET, lambda _: threads.append(threading.current_thread()), in_own_thread=False)
    assert hub.client("set", SET).call(data=True) == {"success": False, "message": ""}
    assert threads == [threading.current_thread()]


def test_an_answer_may_come_later(hub):
    later: Future = Future()
    hub.serve("add", ADD, lambda _: later, in_own_thread=False)
    asked = hub.client("add", ADD).call_async(a=1)
    assert not asked.done()
    later.set_result({"sum": 9})
    assert asked.result(LONG) == {"sum": 9}


def test_a_later_answer_may_fail(hub):
    later: list[Future] = []
    hub.serve("add", ADD, lambda _: later.append(Future()) or later[-1], in_own_thread=False)
    client = hub.client("add", ADD)
    asked = [client.call_async(a=i) for i in range(2)]
    until(lambda: len(later) == 2)
    later[0].set_exception(ValueError("no such number"))
    later[1].cancel()
    with pytest.raises(ServiceError, match="service 'add' failed: ValueError: no such number"):
        asked[0].result(LONG)
    with pytest.raises(ServiceError, match="service 'add' dropped the request"):
        asked[1].result(LONG)


def test_a_handler_that_raises_tells_the_client(hub, caplog):
    def handle(request):
        raise ValueError(f"no sum of {request['a']}\nat all")

    hub.serve("add", ADD, handle)
    client = hub.client("add", ADD)
    with pytest.raises(ServiceError, match="service 'add' failed: ValueError: no sum of 4 at all"):
        client.call(a=4)
    assert "service 'add': the handler failed" in caplog.text


def test_bytes_that_are_no_request_are_told_to_both_sides(caplog):
    kind = service_type(ADD)
    service = Service("add", kind, add, in_own_thread=False, on_close=lambda _: None)
    cause = "service 'add' was sent what is no request: .* the header is not that of CDR"
    with pytest.raises(ServiceError, match=cause):
        service.answer(b"\xff\xff").result(LONG)
    assert re.search(cause, caplog.text)
    fitting = to_bytes(kind.request, {"a": 1, "b": 2})
    assert from_bytes(kind.response, service.answer(fitting).result(LONG)) == {"sum": 3}


def test_a_response_that_does_not_fit_tells_the_client(hub):
    hub.serve("add", ADD, lambda _: {"summ": 3})
    with pytest.raises(ServiceError, match=r"service 'add' failed: .*did you mean 'sum'\?"):
        hub.client("add", ADD).call()


def test_a_request_that_does_not_fit_is_not_sent(hub):
    service = hub.serve("add", ADD, add)
    client = hub.client("add", ADD)
    with pytest.raises(MessageError, match="AddTwoInts_Request has no field 'c'"):
        client.call(c=1)
    with pytest.raises(MessageError, match="AddTwoInts_Request: a: give a whole number"):
        client.call_async(a="one")
    with pytest.raises(HubError, match="give the request as a dict or by keywords, not both"):
        client.call({"a": 1}, b=2)
    assert service.answered == 0


def test_nobody_serves(hub):
    client = hub.client("add", ADD)
    assert client.wait_for_service(0) is False
    text = (
        r"nobody serves 'add' \(example_interfaces/srv/AddTwoInts\) in session 'test-.*' within "
        r"0.01 s; is the program running"
    )
    with pytest.raises(ServiceTimeoutError, match=text):
        client.call(timeout=0.01)
    with pytest.raises(ServiceError, match=r"nobody serves 'add' .* now; call wait_for_service"):
        client.call_async().result(LONG)
    with pytest.raises(HubError, match="timeout must be seconds or None"):
        client.call(timeout=-1)


def test_a_call_waits_for_the_server(hub, other):
    answers = []
    client = hub.client("add", ADD)
    thread = threading.Thread(target=lambda: answers.append(client.call(a=1, timeout=LONG)))
    thread.start()
    other.serve("add", ADD, add)
    assert client.wait_for_service(LONG)
    thread.join(LONG)
    assert answers == [{"sum": 1}]


def test_no_answer_in_time(hub):
    never: Future = Future()
    hub.serve("add", ADD, lambda _: never)
    with pytest.raises(ServiceTimeoutError, match=r"'add' did not answer within 0.01 s"):
        hub.client("add", ADD).call(timeout=0.01)
    never.set_result({"sum": 1})  # too late, which hurts nobody


def test_a_server_that_closes_tells_those_who_wait(hub, other):
    begun, go_on = threading.Event(), threading.Event()

    def handle(request):
        begun.set()
        go_on.wait(LONG)
        return add(request)

    service = other.serve("add", ADD, handle)
    client = hub.client("add", ADD)
    assert client.wait_for_service(LONG)
    asked = [client.call_async(a=i) for i in range(3)]
    assert begun.wait(LONG)
    until(lambda: len(service._open) == 3)
    service.close()
    go_on.set()
    for future in asked:
        with pytest.raises(ServiceError, match="service 'add' was closed before it answered"):
            future.result(LONG)
    until(lambda: client.wait_for_service(0) is False)
    service.close()


@pytest.mark.parametrize("url", ["inproc://"])
def test_the_end_of_a_connection_ends_its_services_and_clients(hub):
    waiting: Future = Future()
    with connect(session=hub.session) as ending:
        ending.serve("add", ADD, lambda _: waiting)
        hub.serve("set", SET, lambda _: waiting)
        asked = hub.client("add", ADD).call_async()
        mine = ending.client("set", SET)
        my_asking = mine.call_async()
    with pytest.raises(ServiceError, match="service 'add' was closed"):
        asked.result(LONG)
    with pytest.raises(ServiceError, match="the client of service 'set' is closed; make a new one"):
        my_asking.result(LONG)
    with pytest.raises(ServiceError, match="the client of service 'set' is closed"):
        mine.call()
    assert [info.name for info in hub.services() if info.servers] == ["set"]
    with pytest.raises(HubError, match="this connection is closed"):
        ending.serve("add", ADD, add)


def test_a_name_is_served_once(hub, other):
    service = hub.serve("add", ADD, add)
    until(other.services)
    text = "service 'add' is served by 'here' already; close that one, or choose another name"
    with pytest.raises(HubError, match=text):
        other.serve("add", ADD, add)
    service.close()
    until(lambda: not other.services())
    with other.serve("add", ADD, add):
        assert hub.client("add", ADD).call(a=1) == {"sum": 1}


def test_another_type_is_told(hub, other):
    other.serve("add", SET, lambda _: None)
    until(hub.services)
    client = hub.client("add", ADD)
    text = "'there' serves it as std_srvs/srv/SetBool: ask for that type"
    with pytest.raises(ServiceTimeoutError, match=text):
        client.call(timeout=0)
    with pytest.raises(ServiceError, match=text):
        client.call_async().result(LONG)


def test_services_are_listed(hub, other):
    assert hub.services() == []
    hub.serve("b/set", SET, lambda _: None)
    with other.client("b/set", SET), other.client("add", ADD), hub.client("add", SET):
        expected = [("add", (ADD, SET), 0, 2), ("b/set", (SET,), 1, 1)]
        until(lambda: [(i.name, i.kinds, i.servers, i.clients) for i in hub.services()] == expected)
    until(lambda: [info.clients for info in other.services()] == [0])


def test_names_types_and_handlers_are_checked(hub):
    with pytest.raises(HubError, match="'add it' is not a service name; use letters, digits"):
        hub.serve("add it", ADD, add)
    with pytest.raises(MessageError, match="did you mean 'example_interfaces/srv/AddTwoInts'"):
        hub.client("add", "example_interfaces/srv/AddTwoInt")
    with pytest.raises(HubError, match="the handler of service 'add' must be a function, got 3"):
        hub.serve("add", ADD, 3)


def test_calls_from_many_threads(hub, other):
    hub.serve("add", ADD, add)
    sums: dict[int, int] = {}

    def ask(a: int) -> None:
        with other.client("add", ADD) as client:
            sums[a] = sum(client.call(a=a, b=b, timeout=LONG)["sum"] for b in range(20))

    threads = [threading.Thread(target=ask, args=(a,)) for a in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert sums == {a: 20 * a + 190 for a in range(8)}


def test_a_handler_may_ask_another_service(hub, other):
    hub.serve("add", ADD, add)
    inner = other.client("add", ADD)
    other.serve("twice", ADD, lambda r: {"sum": 2 * inner.call(r)["sum"]})
    assert hub.client("twice", ADD).call(a=1, b=2) == {"sum": 6}


def test_public_names():
    assert Service.__module__ == "horus_sim.hub.services.server"
    assert ServiceClient.__module__ == "horus_sim.hub.services.client"

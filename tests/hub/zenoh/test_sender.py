import gc
import struct
import threading
import time
import weakref
from collections.abc import Callable

import pytest

from horus_sim._native import MessageSender
from horus_sim.hub.messages import Twist
from horus_sim.hub.ros.binding import binding_of

GID = bytes(range(16))
# As rmw_zenoh lays it out: number, time, length of the GID, and the GID.
BESIDE = struct.Struct("<qqB16s")


class Connection:
    def __init__(self, epoch=0):
        self._epoch = epoch
        self._clock: Callable[[], int] = lambda: 123_456_789


class RefusedError(Exception):
    pass


def sender_of(kind, put, hub=None):
    binding = binding_of(kind)

    def refuse(message):
        raise RefusedError(repr(message))

    hub = Connection() if hub is None else hub
    return MessageSender(kind, binding.codec, binding.layout.to_fields, hub, GID, put, refuse)


def collecting():
    sent = []
    return sent, lambda data, *, attachment: sent.append((bytes(data), bytes(attachment)))


def test_bytes_are_those_of_the_binding_whatever_the_size_before():
    sent, put = collecting()
    sender = sender_of(dict, put)
    messages = [{"text": "x" * size} for size in (3, 10_000, 1, 400, 100_000, 0)]
    for message in messages:
        sender.send(message)
    assert [data for data, _ in sent] == [binding_of(dict).encode(each) for each in messages]


def test_beside_goes_the_number_the_time_the_sender_and_the_run():
    sent, put = collecting()
    hub = Connection(epoch=0x0102030405060708)
    sender = sender_of(Twist, put, hub)
    sender.send(Twist((1, 0, 0), (0, 0, 0)))
    hub._epoch, hub._clock = 0, lambda: -5
    sender.send(Twist((1, 0, 0), (0, 0, 0)))
    run = bytes(8) + (0x0102030405060708).to_bytes(8, "little")
    mixed = bytes(a ^ b for a, b in zip(GID, run, strict=True))
    assert [BESIDE.unpack(beside) for _, beside in sent] == [
        (1, 123_456_789, 16, mixed),
        (2, -5, 16, GID),
    ]
    assert sender.sent == 2


def test_what_does_not_fit_is_refused_and_not_counted():
    sent, put = collecting()
    sender = sender_of(dict, put)
    with pytest.raises(RefusedError, match="3"):
        sender.send(3)
    with pytest.raises(RefusedError, match="object"):
        sender.send({"text": object()})
    sender.send({})
    assert sender.sent == len(sent) == 1


def test_a_failure_of_the_transport_reaches_the_caller_and_the_number_is_used_again():
    failures = [OSError("the line is down")]
    sent, keep = collecting()

    def put(data, *, attachment):
        if failures:
            raise failures.pop()
        keep(data, attachment=attachment)

    sender = sender_of(dict, put)
    with pytest.raises(OSError, match="the line is down"):
        sender.send({})
    sender.send({})
    assert BESIDE.unpack(sent[0][1])[0] == sender.sent == 1


def test_after_the_end_messages_are_refused():
    sent, put = collecting()
    sender = sender_of(dict, put)
    assert sender.close()
    assert not sender.close()
    with pytest.raises(RefusedError):
        sender.send({})
    assert sent == []


def test_threads_get_numbers_in_the_order_of_sending_and_keep_their_bytes():
    sent = []
    inside = threading.Lock()

    def put(data, *, attachment):
        assert inside.acquire(blocking=False), "two messages are sent at a time"
        before = bytes(data)
        time.sleep(0)  # lets another thread run, as zenoh does
        assert bytes(data) == before
        sent.append((before, BESIDE.unpack(attachment)[0]))
        inside.release()

    sender = sender_of(dict, put)
    messages = [[{"thread": i, "count": k, "pad": "x" * i} for k in range(200)] for i in range(4)]

    def work(own):
        for message in own:
            sender.send(message)

    threads = [threading.Thread(target=work, args=[own]) for own in messages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [number for _, number in sent] == list(range(1, 801))
    encode = binding_of(dict).encode
    assert {data for data, _ in sent} == {encode(each) for own in messages for each in own}


def test_a_message_that_sends_another_one_while_it_is_read():
    sent, put = collecting()

    def to_fields(message):
        if message == {"outer": 1}:
            nested.send({"inner": 2})
        return {"data": str(message)}

    binding = binding_of(dict)
    nested = MessageSender(dict, binding.codec, to_fields, Connection(), GID, put, print)
    nested.send({"outer": 1})
    assert [b"inner" in data for data, _ in sent] == [True, False]
    assert nested.sent == 2


def test_a_forgotten_sender_goes_with_what_it_holds():
    class Publisher:
        sender: MessageSender

        def refuse(self, message):
            raise RefusedError

    publisher = Publisher()
    binding = binding_of(dict)
    publisher.sender = MessageSender(
        dict, binding.codec, None, Connection(), GID, print, publisher.refuse
    )
    gone = weakref.ref(publisher)
    del publisher
    gc.collect()
    assert gone() is None


def test_a_gid_of_another_length_is_refused():
    binding = binding_of(dict)
    with pytest.raises(ValueError, match="16 bytes"):
        MessageSender(dict, binding.codec, None, Connection(), b"short", print, print)

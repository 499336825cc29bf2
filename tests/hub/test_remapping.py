"""Names that a program is given from outside, by an argument or by the environment."""

from __future__ import annotations

import threading
import uuid

import pytest

from horus_sim.errors import HubError
from horus_sim.hub import Node, SimulationClient, connect, run
from horus_sim.hub.messages import CmdVel, Odometry, String
from horus_sim.hub.remapping import remap_of_environment, remap_text
from horus_sim.running import Loop, RunningWorld
from horus_sim.sim3d import World

ADD = "example_interfaces/srv/AddTwoInts"


@pytest.fixture
def session() -> str:
    return f"test-{uuid.uuid4().hex[:12]}"


def test_topics_are_renamed_at_both_ends(session: str, monkeypatch: pytest.MonkeyPatch):
    with connect(session=session) as plain:
        monkeypatch.setenv("HORUS_REMAP", "scan:=burger/scan /cmd:=/burger/cmd_vel")
        with connect(session=session) as renamed:
            heard = renamed.subscribe("/scan", String)
            sent = renamed.publisher("cmd", CmdVel)
            assert (heard.topic, sent.topic) == ("burger/scan", "burger/cmd_vel")
            commands = plain.subscribe("burger/cmd_vel", CmdVel)
            plain.publisher("burger/scan", String).send(String("seen"))
            plain.publisher("scan", String).send(String("of somebody else"))
            sent.send(CmdVel(0.5))
            assert heard.take() == String("seen")
            assert heard.take() is None
            assert commands.take() == CmdVel(0.5)
            assert dict(renamed.remap) == {"scan": "burger/scan", "cmd": "burger/cmd_vel"}


def test_services_are_renamed_at_both_ends(session: str):
    with (
        connect(session=session, remap={"add": "math/add"}) as server,
        connect(session=session, remap={"sum": "math/add"}) as asking,
    ):
        server.serve("add", ADD, lambda request: {"sum": request["a"] + request["b"]})
        assert [info.name for info in asking.services()] == ["math/add"]
        assert asking.client("sum", ADD).call(a=2, b=3) == {"sum": 5}


def test_two_names_may_be_exchanged(session: str):
    with connect(session=session, remap={"a": "b", "b": "a"}) as hub:
        assert hub.publisher("a", String).topic == "b"
        assert hub.publisher("b", String).topic == "a"


def test_a_node_keeps_its_own_names(session: str):
    got: list[object] = []

    def tick(node: Node) -> None:
        node.send("out", String(f"tick {node.ticks}"))
        got.append(node.get("in"))

    node = Node("loop", subs={"in": String}, pubs={"out": String}, tick=tick, rate=100.0)
    with connect(session=session, remap={"in": "wire", "/out": "wire"}) as hub:
        run(node, duration=0.02, hub=hub, mode="deterministic")
    assert got == [String("tick 1"), String("tick 2")]


def test_lockstep_finds_the_messages_of_a_renamed_topic(session: str):
    world = World.load("empty_world")
    world.spawn("turtlebot3_burger", name="burger")
    with connect(session=session) as hub, RunningWorld(world, hub) as running:
        loop = Loop(running)
        thread = threading.Thread(target=loop.run)
        thread.start()
        try:
            with (
                connect(session=session, remap={"odom": "burger/odom"}) as renamed,
                SimulationClient(renamed) as client,
            ):
                heard = client.listen("odom", Odometry)
                client.pause()
                client.reset(seed=0)
                stamp_ns = client.step(24)
                assert heard.latest is not None
                assert 0 < heard.latest.stamp_ns <= stamp_ns
                assert len(heard.news) == 5  # 50 Hz for 0.1 s
        finally:
            loop.stop()
            thread.join()


def test_the_name_of_a_connection_may_come_from_outside(
    session: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HORUS_NODE_NAME", "avoid")
    with connect(session=session) as hub, connect(session=session, name="own") as other:
        assert (hub.name, other.name) == ("avoid", "own")


def test_the_text_of_rules_is_read_again(monkeypatch: pytest.MonkeyPatch):
    names = {"scan": "burger/scan", "cmd_vel": "burger/cmd_vel"}
    monkeypatch.setenv("HORUS_REMAP", remap_text(names))
    assert remap_of_environment() == names
    monkeypatch.setenv("HORUS_REMAP", "")
    assert remap_of_environment() == {}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("scan=burger/scan", r"HORUS_REMAP: 'scan=burger/scan' is not a rule; write from:=to"),
        ("scan:=", r"HORUS_REMAP: rule 'scan:=': '' is not a topic name"),
        ("a b:=c", r"HORUS_REMAP: 'a' is not a rule"),
        ("sc*n:=a", r"rule 'sc\*n:=a': 'sc\*n' is not a topic name"),
        ("a:=b /a:=c", r"HORUS_REMAP renames 'a' twice, to 'b' and 'c'; remove one"),
    ],
)
def test_malformed_rules_are_refused(text: str, error: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HORUS_REMAP", text)
    with pytest.raises(HubError, match=error):
        connect()


@pytest.mark.parametrize(
    ("names", "error"),
    [
        ({"a": "b", "/a": "c"}, "remap renames 'a' twice, to 'b' and 'c'"),
        ({"a": 3}, "remap: 3 is not a topic name"),
        ("a:=b", "remap must be names with other names"),
    ],
)
def test_unfit_names_are_refused(names: dict[str, str], error: str):
    with pytest.raises(HubError, match=error):
        connect(remap=names)

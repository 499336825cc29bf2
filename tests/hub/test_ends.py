"""Who is at the topics and services of a session, inside a process."""

from horus_sim.hub import EndInfo, QoS, connect
from horus_sim.hub.messages import CmdVel, Twist
from horus_sim.hub.ros.service_type import service_hash
from horus_sim.hub.ros.type_hash import type_hash

TWIST = "geometry_msgs/msg/Twist"
TRIGGER = "std_srvs/srv/Trigger"


def test_nodes_and_ends_of_all_connections():
    with (
        connect(session="ends", name="robot") as robot,
        connect(session="ends", name="desk") as desk,
    ):
        robot.subscribe("/cmd_vel", CmdVel, QoS(depth=1, reliable=False))
        robot.serve("stop", TRIGGER, lambda _: None)
        desk.publisher("cmd_vel", Twist, QoS(depth=3, latched=True))
        desk.client("stop", TRIGGER)
        twist, trigger = type_hash(TWIST), service_hash(TRIGGER)
        assert robot.nodes() == desk.nodes() == ["/desk", "/robot"]
        ends = robot.ends()
        assert ends == desk.ends()
        assert ends == [
            EndInfo("cmd_vel", "publisher", "/desk", TWIST, twist, QoS(3, latched=True)),
            EndInfo("cmd_vel", "subscription", "/robot", TWIST, twist, QoS(1, reliable=False)),
            EndInfo("stop", "client", "/desk", TRIGGER, trigger, QoS()),
            EndInfo("stop", "server", "/robot", TRIGGER, trigger, QoS()),
        ]
        assert [end.is_of_topic for end in ends] == [True, True, False, False]
        desk.close()
        assert robot.nodes() == ["/robot"]
        assert [end.role for end in robot.ends()] == ["subscription", "server"]


def test_other_sessions_are_out_of_sight():
    with connect(session="ends1") as here, connect(session="ends2", name="other") as there:
        there.publisher("cmd_vel", CmdVel)
        assert here.ends() == []
        assert "/other" not in here.nodes()

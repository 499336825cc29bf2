"""Keys of topics and of the graph, as rmw_zenoh writes them."""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass
from typing import Literal, Self

import xxhash

from horus_sim.errors import HubError
from horus_sim.hub.ends import EndInfo, EndRole
from horus_sim.hub.qos import QoS

DOMAIN_VARIABLE = "ROS_DOMAIN_ID"
GRAPH = "@ros2_lv"
_MOST_DOMAIN = 232
_NODE_PARTS = 9
_END_PARTS = 13
_USUAL_DEPTH = 42
_MOST_NODE_NAME = 255
_UNFIT = re.compile(r"[^A-Za-z0-9_]|^(?=[0-9])")

EndKind = Literal["MP", "MS", "SS", "SC"]
"""Publisher, subscription, server, client."""
_ROLES: dict[EndKind, EndRole] = {
    "MP": "publisher",
    "MS": "subscription",
    "SS": "server",
    "SC": "client",
}


def domain() -> int:
    """The domain of this process.

    Raises:
        HubError: ``ROS_DOMAIN_ID`` is not a number from 0 to 232.
    """
    text = os.environ.get(DOMAIN_VARIABLE, "") or "0"
    if not text.isdecimal() or int(text) > _MOST_DOMAIN:
        raise HubError(
            f"{DOMAIN_VARIABLE} must be a whole number from 0 to {_MOST_DOMAIN}, got {text!r:.40}"
        )
    return int(text)


def node_name(name: str) -> str:
    """The name of a connection as that of a node, which tools of ROS take as an argument."""
    return _UNFIT.sub("_", name)[:_MOST_NODE_NAME] or "_"


def wire_type(name: str) -> str:
    """``sensor_msgs/msg/Imu`` as it stands in keys."""
    package, part, bare = name.split("/")
    return f"{package}::{part}::dds_::{bare}_"


def type_of_wire(text: str) -> str:
    """The type of what stands in a key; the text itself where it is none."""
    parts = text.split("::")
    if len(parts) != 4:
        return text
    return f"{parts[0]}/{parts[1]}/{parts[3].removesuffix('_')}"


def data_key(domain: int, name: str, ros_type: str, type_hash: str) -> str:
    """Where the messages of a topic, or the requests of a service, travel."""
    return f"{domain}/{name}/{wire_type(ros_type)}/{type_hash}"


def qos_text(qos: QoS) -> str:
    """A quality of service as it stands in keys; what is usual is left out."""
    reliability = "" if qos.reliable else "2"
    durability = "1" if qos.latched else ""
    depth = "" if qos.depth == _USUAL_DEPTH else str(qos.depth)
    return f"{reliability}:{durability}:,{depth}:,:,:,,"


def qos_of_text(text: str) -> QoS:
    """The quality of service that a key tells."""
    reliability, durability, history, *_ = [*text.split(":"), "", "", ""]
    depth = history.partition(",")[2]
    return QoS(
        depth=max(1, int(depth)) if depth.isdecimal() else _USUAL_DEPTH,
        reliable=reliability != "2",
        latched=durability == "1",
    )


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the graph.

    Attributes:
        zid: Number of its zenoh session.
        nid: Number of the node in the session.
        namespace: Its namespace; empty for none.
        name: Its name.
    """

    zid: str
    nid: str
    namespace: str
    name: str

    def key(self, domain: int) -> str:
        """The key of its token."""
        return f"{GRAPH}/{domain}/{self.zid}/{self.nid}/{self.nid}/NN/%/{self._place}/{self.name}"

    @property
    def _place(self) -> str:
        return self.namespace.replace("/", "%") or "%"

    @property
    def full_name(self) -> str:
        """Namespace and name, as ROS tools show them."""
        return f"{self.namespace.rstrip('/')}/{self.name}"


@dataclass(frozen=True, slots=True)
class EndPoint:
    """An end of a topic or a service.

    Attributes:
        node: Whose it is.
        eid: Number of the end in the session.
        kind: What it is.
        name: The topic or service, without the leading slash.
        ros_type: Its type.
        type_hash: The hash of its type.
        qos: How messages are delivered.
    """

    node: Node
    eid: str
    kind: EndKind
    name: str
    ros_type: str
    type_hash: str
    qos: QoS

    def key(self, domain: int) -> str:
        """The key of its token."""
        node = self.node
        name = f"%{self.name.replace('/', '%')}"
        return (
            f"{GRAPH}/{domain}/{node.zid}/{node.nid}/{self.eid}/{self.kind}/%/{node._place}/"
            f"{node.name}/{name}/{wire_type(self.ros_type)}/{self.type_hash}/{qos_text(self.qos)}"
        )

    def info(self) -> EndInfo:
        """The same for those who need not know of keys."""
        return EndInfo(
            self.name,
            _ROLES[self.kind],
            self.node.full_name,
            self.ros_type,
            self.type_hash,
            self.qos,
        )

    @classmethod
    def parse(cls, key: str) -> Self | None:
        """The end that a token tells of, or None."""
        parts = key.split("/")
        # Newer programs of ROS add parts, such as where the bytes of an image may lie.
        if len(parts) < _END_PARTS or parts[5] not in ("MP", "MS", "SS", "SC"):
            return None
        _, _, zid, nid, eid, kind, _, namespace, node, name, ros_type, type_hash, qos = parts[
            :_END_PARTS
        ]
        whose = Node(zid, nid, _unmangled(namespace), node)
        bare = _unmangled(name).removeprefix("/")
        return cls(whose, eid, kind, bare, type_of_wire(ros_type), type_hash, qos_of_text(qos))  # type: ignore[arg-type]


def node_of(key: str) -> Node | None:
    """The node that a token tells of, or None."""
    parts = key.split("/")
    if len(parts) < _NODE_PARTS or parts[5] != "NN":
        return None
    return Node(parts[2], parts[3], _unmangled(parts[7]), parts[8])


def _unmangled(text: str) -> str:
    return "" if text == "%" else text.replace("%", "/")


@functools.lru_cache(maxsize=10_000)
def gid_of(key: str) -> bytes:
    """The 16 bytes by which messages name their sender: the hash of its token's key."""
    number = xxhash.xxh3_128_intdigest(key.encode())
    return number.to_bytes(16, "little")

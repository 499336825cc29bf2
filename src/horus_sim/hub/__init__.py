"""Topics, nodes and transforms between programs, in one process or in several.

`connect` gives a `Hub` with publishers and subscriptions, services and clients of services. `Node`
and `Scheduler` run a program's parts at their rates, `TFBroadcaster` and `TFListener` carry
transforms over topics, also as nodes (`TFBroadcasterNode`, `TFListenerNode`), `SimulationClient`
steps a running simulation from another program.
"""

from horus_sim.hub.connect import connect
from horus_sim.hub.ends import EndInfo
from horus_sim.hub.message import Message, message
from horus_sim.hub.node import Node
from horus_sim.hub.qos import QoS
from horus_sim.hub.scheduler import Scheduler, run
from horus_sim.hub.services.client import ServiceClient
from horus_sim.hub.services.info import ServiceInfo
from horus_sim.hub.services.server import Service
from horus_sim.hub.simulation_client import SimulationClient
from horus_sim.hub.subscription import Subscription, sender
from horus_sim.hub.topic import TopicInfo
from horus_sim.hub.transforms.broadcaster import StaticTFBroadcaster, TFBroadcaster
from horus_sim.hub.transforms.listener import TFListener
from horus_sim.hub.transforms.nodes import (
    StaticTFBroadcasterNode,
    TFBroadcasterNode,
    TFListenerNode,
)
from horus_sim.hub.transport import Hub, Publisher

__all__ = [
    "EndInfo",
    "Hub",
    "Message",
    "Node",
    "Publisher",
    "QoS",
    "Scheduler",
    "Service",
    "ServiceClient",
    "ServiceInfo",
    "SimulationClient",
    "StaticTFBroadcaster",
    "StaticTFBroadcasterNode",
    "Subscription",
    "TFBroadcaster",
    "TFBroadcasterNode",
    "TFListener",
    "TFListenerNode",
    "TopicInfo",
    "connect",
    "message",
    "run",
    "sender",
]

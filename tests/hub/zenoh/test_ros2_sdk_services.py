"""Services between this and an independent implementation of rmw_zenoh's wire format."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from horus_sim.errors import ServiceTimeoutError
from horus_sim.hub import Hub
from horus_sim.hub.messages import Clock

from .ros2_sdk import LONG, Program, Start, until

# With the published definitions and hashes of its own, not ours.
FOREIGN_SERVICES = """
from pathlib import Path
from zenoh_ros2_sdk import ROS2ServiceClient, ROS2ServiceServer, ZenohSession
from zenoh_ros2_sdk.utils import compute_service_type_hash

folder = Path(os.environ["ROS2_DATA"]) / "simulation_interfaces"
session = ZenohSession.get_instance(**port)
known = {}
for name in ("builtin_interfaces/msg/Time", "std_msgs/msg/Header", "geometry_msgs/msg/Point",
             "geometry_msgs/msg/Quaternion", "geometry_msgs/msg/Pose",
             "geometry_msgs/msg/PoseStamped"):
    known[name] = store.generate_msgdef(name, ros_version=2)[0].split("=" * 80)[0]
for name in ("Result", "Resource"):
    known[f"simulation_interfaces/msg/{name}"] = (folder / "msg" / f"{name}.msg").read_text()
for name, text in known.items():
    session.register_message_type(text, name)


def simulation_service(kind):
    text = (folder / "srv" / f"{kind}.srv").read_text()
    for name in ("Result", "Resource"):
        text = text.replace(f"\\n{name} ", f"\\nsimulation_interfaces/{name} ")
    request, response = text.split("---")
    name = f"simulation_interfaces/srv/{kind}"
    return {"srv_type": name, "request_definition": request, "response_definition": response,
            "type_hash": compute_service_type_hash(name, request, response, known), **port}


def made(name, **fields):
    return session.store.types[name](**fields)
"""
WORLD = """
from horus_sim.hub import connect
from horus_sim.running import Loop, RunningWorld
from horus_sim.sim3d import World
with connect("zenoh://", name="world") as hub:
    with RunningWorld(World.load("empty_world"), hub) as running:
        running.pause()
        print('"ready"', flush=True)
        Loop(running, speed=None).run()
"""


@pytest.fixture
def with_services(foreign: Start, shared_data: Callable[[str], Path]) -> Start:
    """Starts programs of the other side that know the services of simulators."""
    folder = str(shared_data("ros2"))
    return lambda code: foreign(FOREIGN_SERVICES + code, ROS2_DATA=folder)


ASK = """
def ask(kind, **fields):
    name = "".join(f"_{c.lower()}" if c.isupper() else c for c in kind).lstrip("_")
    client = ROS2ServiceClient(f"/{name}", timeout=300.0, **simulation_service(kind))
    # Until the way to the server is known, nobody answers.
    while not client.querier.matching_status.matching:
        time.sleep(0.05)
    tell([kind, plain(client.call(**fields))])


"""


def test_its_client_spawns_steps_and_resets_a_world(ros_hub: Hub, with_services: Start):
    stamps_ns: list[int] = []
    ros_hub.subscribe("clock", Clock, callback=lambda clock: stamps_ns.append(clock.stamp_ns))
    world = Program([sys.executable, "-c", WORLD])
    try:
        until(lambda: world.told == ["ready"])
        other = with_services(
            ASK
            + """
time_0 = made("builtin_interfaces/msg/Time", sec=0, nanosec=0)
pose = made(
    "geometry_msgs/msg/PoseStamped",
    header=made("std_msgs/msg/Header", stamp=time_0, frame_id=""),
    pose=made(
        "geometry_msgs/msg/Pose",
        position=made("geometry_msgs/msg/Point", x=1.0, y=2.0, z=0.0),
        orientation=made("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0),
    ),
)
ask(
    "SpawnEntity",
    name="burger",
    allow_renaming=False,
    entity_resource=made("simulation_interfaces/msg/Resource", uri="turtlebot3_burger",
                         resource_string=""),
    entity_namespace="",
    initial_pose=pose,
)
ask("StepSimulation", steps=240)
until_gone()
"""
        )
        until(lambda: other.on("StepSimulation"))
        # Of the second that 240 steps last; a reset would discard what is still on its way.
        until(lambda: max(stamps_ns, default=0) > 900_000_000)
        last = with_services(ASK + 'ask("ResetSimulation", scope=255)\nuntil_gone()\n')
        until(lambda: last.on("ResetSimulation"))
    finally:
        world.close()
    done = {"result": 1, "error_message": ""}
    assert other.on("SpawnEntity") == [{"result": done, "entity_name": "burger"}]
    assert other.on("StepSimulation") == [{"result": done}]
    assert last.on("ResetSimulation") == [{"result": done}]


SERVER = """
kind = simulation_service("StepSimulation")


def step(request):
    tell(["asked", request.steps])
    result = made("simulation_interfaces/msg/Result", result=1, error_message="was möglich ist")
    return server.response_msg_class(result=result)


server = ROS2ServiceServer("/other/step", callback=step, node_name="other", **kind)
until_gone()
"""


def test_its_server_answers_us(ros_hub: Hub, with_services: Start):
    other = with_services(SERVER)
    client = ros_hub.client("/other/step", "simulation_interfaces/srv/StepSimulation")
    assert client.wait_for_service(LONG)
    answer: dict[str, Any] = client.call({"steps": 7}, timeout=LONG)
    assert answer == {"result": {"result": 1, "error_message": "was möglich ist"}}
    until(lambda: other.on("asked") == [7])
    (service,) = [info for info in ros_hub.services() if info.name == "other/step"]
    assert (service.servers, service.kinds) == (1, ("simulation_interfaces/srv/StepSimulation",))


def test_its_server_is_killed(ros_hub: Hub, with_services: Start):
    other = with_services(SERVER)
    client = ros_hub.client("/other/step", "simulation_interfaces/srv/StepSimulation")
    assert client.wait_for_service(LONG)
    other.kill()
    until(lambda: not any(info.servers for info in ros_hub.services()))
    with pytest.raises(ServiceTimeoutError):
        client.call(timeout=0.1)

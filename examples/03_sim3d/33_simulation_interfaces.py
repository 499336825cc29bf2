"""The standard services of simulators: spawn, find, push and step in lockstep.

A program that knows simulation_interfaces, and nothing of this simulator, lets a box slide.
"""

from __future__ import annotations

import threading
from typing import Any

from horus_sim.hub import Hub, connect
from horus_sim.running import Loop, RunningWorld
from horus_sim.sim3d import World

PAUSED, QUITTING = 2, 3
BOX = """<sdf version="1.9"><model name="box"><link name="link">
  <inertial><mass>1</mass></inertial>
  <collision name="shape"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
</link></model></sdf>"""


def ask(hub: Hub, service: str, kind: str, /, **fields: object) -> dict[str, Any]:
    """Calls a service; a refusal is printed."""
    with hub.client(service, f"simulation_interfaces/srv/{kind}") as client:
        response = client.call(fields)
    outcome = response.get("result", {"result": 1})
    if outcome["result"] != 1:
        print(f"{kind} was refused ({outcome['result']}): {outcome['error_message']}")
    return response


def slide(hub: Hub) -> None:
    """What the program wants to know."""
    found = ask(hub, "get_simulator_features", "GetSimulatorFeatures")["features"]
    print(f"{len(found['features'])} features; models as {', '.join(found['spawn_formats'])}")
    ask(hub, "step_simulation", "StepSimulation", steps=10)
    ask(hub, "set_simulation_state", "SetSimulationState", state={"state": PAUSED})
    ask(hub, "reset_simulation", "ResetSimulation")

    for y in (0.0, 1.0):
        pose = {"pose": {"position": {"y": y, "z": 0.1}}}
        resource = {"resource_string": BOX}
        spawned = ask(
            hub,
            "spawn_entity",
            "SpawnEntity",
            entity_resource=resource,
            initial_pose=pose,
            allow_renaming=True,
        )
        print(f"spawned '{spawned['entity_name']}'")
    around = {"type": 3, "points": [{"y": 1.0}, {"x": 0.3}]}
    filters = {"filter": "^box", "bounds": around}
    (name,) = ask(hub, "get_entities", "GetEntities", filters=filters)["entities"]
    print(f"'{name}' is within 0.3 m of (0, 1)")

    push = {"twist": {"linear": {"x": 2.0}}}
    ask(hub, "set_entity_state", "SetEntityState", entity=name, state=push, set_twist=True)
    for _ in range(4):
        ask(hub, "step_simulation", "StepSimulation", steps=12)
        state = ask(hub, "get_entity_state", "GetEntityState", entity=name)["state"]
        seconds = state["header"]["stamp"]["sec"] + state["header"]["stamp"]["nanosec"] * 1e-9
        print(f"after {seconds:.2f} s at {state['pose']['position']['x']:.2f} m")
    ask(hub, "delete_entity", "DeleteEntity", entity="bx")


def main() -> None:
    """The simulator runs in a thread, as it would in another program."""
    with connect() as hub, RunningWorld(World.load("empty_world"), hub) as running:
        simulator = threading.Thread(target=Loop(running).run)
        simulator.start()
        slide(hub)
        ask(hub, "set_simulation_state", "SetSimulationState", state={"state": QUITTING})
        simulator.join()


if __name__ == "__main__":
    main()

"""A world on a page of the browser, driven and changed from the program that serves it.

It runs in a thread of its own at the pace of the clock. `horus_sim.ui.show(world)` does the same
until Ctrl-C, and opens the page.
"""

import time

from horus_sim.sim3d import ObjectConfig, World
from horus_sim.ui import serve

with serve(World.load("warehouse", seed=1), port=0) as served:
    session, simulation = served.session, served.simulation
    print(f"open {served.address.partition('?')[0].rpartition(':')[0]}")

    # Keys and joystick do this: a wish counts for 0.15 s, then the robot stops.
    for _ in range(20):
        session.teleop.drive(client=1, robot="burger", linear=0.2, angular=0.0)
        time.sleep(0.05)
    x = simulation.call(lambda world: world.robots["burger"].pose.translation[0]).result()
    print(f"driven for a second: x is more than 0.05 m: {x > 0.05}")

    # Only the thread of the simulation touches the world; orders are done between two steps.
    simulation.pause().result()
    ball = {"name": "ball", "shape": {"kind": "sphere", "radius": 0.1}, "dynamic": True}
    name = session.editor.add_object(ObjectConfig.model_validate(ball)).result()
    print(f"added '{name}', {session.editor.undo().result()} taken back")
    simulation.step(3).result()
    status = simulation.status
    print(f"running: {status.is_running}, bodies: {status.figures['Bodies']}")

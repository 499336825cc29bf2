"""A world that is paused, stepped, filled and reset by requests on topics."""

from horus_sim.hub import connect
from horus_sim.running import RunningWorld
from horus_sim.sim3d import World

with connect() as hub, RunningWorld(World.load("empty_world"), hub) as running:
    replies = hub.subscribe("sim/reply", dict)

    def ask(verb: str, **fields: object) -> None:
        """Sends a request and prints the reply, as a program elsewhere would."""
        with hub.publisher(f"sim/{verb}", dict) as publisher:
            publisher.send(fields)
            running.poll()  # `run` does this by itself
        tell(verb)

    def tell(verb: str) -> None:
        """Prints the reply if it is there."""
        reply = replies.take()
        if reply is None:
            print(f"{verb}: not yet done")
        else:
            print(f"{verb}: {'done' if reply['ok'] else reply['error']}")

    running.start()
    ask("pause")
    ask("step", steps=10)
    print(f"{running.step(100)} of 100 steps made")
    tell("step")
    ask("pause", paused=False)
    box = {"name": "box", "shape": {"kind": "sphere", "radius": 0.1}, "dynamic": True}
    ask("spawn", object=box | {"pose": {"xyz": [0.0, 0.0, 1.0]}})
    running.step(240)
    print(f"the ball lies at {running.world.objects['box'].pose.translation[2]:.2f} m")
    ask("remove", name="bxo")
    ask("remove", name="box")
    ask("reset", seed=3)
    print(f"{running.world.time:.1f} s")

"""Goes back to a snapshot and finds that the same happens again, to the last bit."""

from horus_sim.sim2d import Simulator

sim = Simulator.load("sumo", seed=2)
sim.run(2.0)
snapshot = sim.snapshot()
ends = []
for _ in range(2):
    sim.apply_snapshot(snapshot)
    sim.run(2.0)
    ends.append(sim.snapshot().world)
    print({name: tuple(round(v, 3) for v in robot.pose) for name, robot in sim.robots.items()})
print("identical:", ends[0] == ends[1])

"""Runs the shipped line follower and counts its laps."""

import math

from horus_sim.sim2d import Simulator

sim = Simulator.load("line_follower", seed=1)
robot = sim.robots["robot"]
turned = 0.0
angle = math.atan2(robot.pose[1], robot.pose[0])
while sim.time < 30.0:
    sim.step()
    x, y, _ = robot.pose
    turned += math.remainder(math.atan2(y, x) - angle, 2.0 * math.pi)
    angle = math.atan2(y, x)
print(f"{turned / (2.0 * math.pi):.1f} laps in {sim.time:.0f} s")
print("line sensors:", sim.readings["line"].round(1))

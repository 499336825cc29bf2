"""A world from a shipped scene: step it, look at it, change it, and go back in time.

Everything here is deterministic: the same program prints the same numbers.
"""

from __future__ import annotations

from horus_sim.sim3d import ObjectConfig, World
from horus_sim.sim3d.scene.base import PoseConfig
from horus_sim.sim3d.scene.shapes import SphereShape


def main() -> None:
    """Run the tabletop for a second, drop a ball on it, and replay that."""
    world = World.load("tabletop", seed=1)
    print(f"robots: {', '.join(world.robots)}; objects: {', '.join(world.objects)}")

    world.step(240)
    x, y, z = world.tf.lookup_transform("can", "arm/base_link").translation
    print(f"after {world.time} s the can is at {x:.3f}, {y:.3f}, {z:.3f} m from the arm's base")
    touching = sorted({" + ".join(contact.bodies) for contact in world.contacts})
    print(f"{len(touching)} pairs touch, among them {touching[0]}")

    world.spawn(
        ObjectConfig(
            name="bouncy",
            shape=SphereShape(radius=0.03),
            dynamic=True,
            mass=0.05,
            pose=PoseConfig(xyz=(0.45, 0.0, 1.2)),
        )
    )
    state = world.snapshot()
    heights = []
    for _ in range(2):
        world.apply_snapshot(state)
        world.step(180)
        heights.append(float(world.objects["bouncy"].pose.translation[2]))
    print(f"the ball came to {heights[0]:.6f} m, twice: {heights[0] == heights[1]}")

    world.remove("bouncy")
    print(f"frames now: {len(world.tf.get_all_frames())}")


if __name__ == "__main__":
    main()

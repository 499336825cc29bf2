"""A world made in the program: a robot, driven by hand, pushes a ball to the wall."""

from horus_sim.sim2d import RobotConfig, Scenario, Simulator, WorldConfig

world = WorldConfig.model_validate(
    {
        "bounds": {"min_x": -1, "min_y": -1, "max_x": 1, "max_y": 1},
        "shape_objects": [
            {
                "name": "ball",
                "body": {
                    "name": "ball",
                    "radius": 0.08,
                    "pose": [0.3, 0, 0],
                    "mass": 0.2,
                    "material": {"friction": 0.2},
                },
            }
        ],
    }
)
robot = RobotConfig.model_validate(
    {
        "bodies": [
            {
                "name": "chassis",
                "points": [[-0.08, -0.06], [0.08, -0.06], [0.08, 0.06], [-0.08, 0.06]],
                "mass": 0.6,
            }
        ],
        "actuators": [
            {"name": "left", "type": "motor", "body": "chassis", "mount_pose": [0, 0.06, 0]},
            {"name": "right", "type": "motor", "body": "chassis", "mount_pose": [0, -0.06, 0]},
        ],
        "sensors": [{"name": "eye", "type": "distance", "body": "chassis"}],
    }
)
sim = Simulator(Scenario.make(world, robot), seed=0)
sim.robots["robot"].drive.drive(0.3, 0.0)
for _ in range(4):
    sim.run(0.5)
    x, y, _ = sim.body("ball").pose
    print(f"{sim.time:.1f} s: ball at ({x:.2f}, {y:.2f}), eye sees {sim.readings['eye']:.2f} m")

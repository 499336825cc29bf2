"""What a world publishes and obeys, when it begins to run: under names that do not clash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from horus_sim.errors import SceneError
from horus_sim.running.naming import Naming
from horus_sim.running.outlets.transforms import check_frames

if TYPE_CHECKING:
    from horus_sim.running.topic_plan import TopicPlan
    from horus_sim.running.world.config import RunningConfig
    from horus_sim.running.world.stepped_world import Exchange, SteppedWorld


def open_exchange(world: SteppedWorld, config: RunningConfig) -> tuple[Exchange, TopicPlan]:
    """What a world publishes and obeys, and on which topics.

    Raises:
        SceneError: Topics or frames clash; the exchange is closed.
    """
    exchange = world.exchange()
    robots = list(exchange.robots())
    if config.ros_names and len(robots) == 1:
        exchange.naming = Naming(robots[0])
    plan = exchange.plan()
    try:
        plan.check()
        check_frames(exchange)
    except SceneError:
        exchange.close()
        raise
    exchange.on_new_sensor(lambda name, plan: plan.check_sensor(name))
    return exchange, plan

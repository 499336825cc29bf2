"""Quality of service as bags hold it."""

from __future__ import annotations

import functools
from typing import Any

import yaml

from horus_sim.hub import QoS
from horus_sim.hub.transforms.broadcaster import TF_STATIC_TOPIC
from horus_sim.running.topic_plan import STATUS_TOPIC

QOS_KEY = "offered_qos_profiles"
"""Key in a channel's metadata: its profiles as YAML."""

_FOREVER = {"sec": 9223372036, "nsec": 854775807}
# Names in metadata of version 9, numbers of rmw before.
_TRANSIENT_LOCAL = ("transient_local", 1)
_BEST_EFFORT = ("best_effort", 2)
_KEEP_ALL = ("keep_all", 2)
_LATCHED_NAMES = (TF_STATIC_TOPIC, "robot_description", "map")
_MOST_KEPT = 1000


def offered_qos(topic: str) -> QoS:
    """How a topic of a world is published, by its name."""
    is_latched = topic == STATUS_TOPIC or topic.rpartition("/")[2] in _LATCHED_NAMES
    return QoS(depth=1 if is_latched else 10, latched=is_latched)


def profiles_of(qos: QoS) -> list[dict[str, Any]]:
    """The profiles of a topic, as metadata of version 9 has them."""
    return [
        {
            "history": "keep_last",
            "depth": qos.depth,
            "reliability": "reliable" if qos.reliable else "best_effort",
            "durability": "transient_local" if qos.latched else "volatile",
            "deadline": dict(_FOREVER),
            "lifespan": dict(_FOREVER),
            "liveliness": "automatic",
            "liveliness_lease_duration": dict(_FOREVER),
            "avoid_ros_namespace_conventions": False,
        }
    ]


def profiles_text(qos: QoS) -> str:
    """The same as YAML, as channels of MCAP files have it."""
    return yaml.safe_dump(profiles_of(qos), sort_keys=False)


def profiles_from(text: str) -> list[dict[str, Any]]:
    """Profiles out of their YAML; none where it is empty or makes no sense."""
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError:
        return []
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def qos_of(profiles: list[dict[str, Any]]) -> QoS | None:
    """How messages were published that a bag holds; None where it does not tell.

    Where several publishers had the topic, it is latched and reliable if one of them was, and all
    that they kept is kept.
    """
    if not profiles:
        return None
    is_latched = any(each.get("durability") in _TRANSIENT_LOCAL for each in profiles)
    is_reliable = any(each.get("reliability") not in _BEST_EFFORT for each in profiles)
    depth = sum(_depth(each) for each in profiles)
    return QoS(min(max(depth, 1), _MOST_KEPT), is_reliable, is_latched)


@functools.lru_cache(maxsize=1024)
def qos_from(text: str) -> QoS | None:
    """The same out of the YAML of a channel."""
    return qos_of(profiles_from(text))


def _depth(profile: dict[str, Any]) -> int:
    depth = profile.get("depth")
    if profile.get("history") in _KEEP_ALL or not isinstance(depth, int):
        return _MOST_KEPT
    return depth

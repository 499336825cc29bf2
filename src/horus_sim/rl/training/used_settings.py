"""Settings of a task as they are told to people: by dotted names, and where each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from horus_sim.rl.settings import merged


@dataclass(frozen=True, slots=True)
class UsedSetting:
    """A setting that is not the task's own.

    Attributes:
        value: Its value.
        source: 'policy' where the policy learned with it, 'given' where someone gave it.
    """

    value: Any
    source: Literal["policy", "given"]


def dotted(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Nested settings by names such as 'lidar.rays'."""
    result = {}
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            result |= {f"{key}.{name}": inner for name, inner in dotted(value).items()}
        else:
            result[str(key)] = value
    return result


def used_settings(learned: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, UsedSetting]:
    """Settings by dotted names, with their sources.

    Args:
        learned: Those of the policy.
        given: Those on top of them.
    """
    on_top = dotted(given)
    return {
        name: UsedSetting(value, "given" if name in on_top else "policy")
        for name, value in dotted(merged(learned, given)).items()
    }

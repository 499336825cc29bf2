"""Services about worlds: which there are, and which one this is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from horus_sim.running.services.filters import tags_filter
from horus_sim.running.services.results import Code, Refused, done

if TYPE_CHECKING:
    from horus_sim.running.services.offer import Offer
    from horus_sim.running.world.entity import NamedFile
    from horus_sim.running.world.running_world import RunningWorld


class WorldServices:
    """Tells about worlds.

    Args:
        running: The world.
    """

    def __init__(self, running: RunningWorld[Any]) -> None:
        self._running = running

    def offers(self) -> dict[str, Offer]:
        """What is served, by type."""
        return {
            "GetAvailableWorlds": self.get_available,
            "GetCurrentWorld": self.get_current,
        }

    def get_available(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """GetAvailableWorlds: those that ship with the simulator, which have no tags."""
        if request["additional_sources"] and not request["continue_on_error"]:
            sources = ", ".join(f"'{source}'" for source in request["additional_sources"])
            raise Refused(
                Code.FEATURE_UNSUPPORTED,
                f"other sources than the simulator's own are not searched: {sources}; leave them "
                "out, or set continue_on_error",
            )
        has_tags = tags_filter(request["filter"])
        worlds = self._running.exchange.worlds() if has_tags(()) else []
        return done(worlds=[_message(world) for world in worlds])

    def get_current(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """GetCurrentWorld."""
        del request
        return done(world=_message(self._running.exchange.world_file()))


def _message(world: NamedFile) -> dict[str, Any]:
    """A simulation_interfaces/msg/WorldResource."""
    return {
        "name": world.name,
        "world_resource": {"uri": world.uri},
        "description": world.description,
    }

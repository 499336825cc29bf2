"""Services about worlds: which there are, and which one this is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from horus_sim.errors import (
    DescriptionError,
    MissingResourceError,
    SceneError,
    UnknownNameError,
    UnsupportedFormatError,
)
from horus_sim.running.services.filters import tags_filter
from horus_sim.running.services.results import Code, LoadCode, Refused, WorldCode, done, refusal
from horus_sim.running.services.state import State

if TYPE_CHECKING:
    from horus_sim.running.services.entities import EntityServices
    from horus_sim.running.services.offer import Offer
    from horus_sim.running.services.state import StateServices
    from horus_sim.running.world.entity import NamedFile
    from horus_sim.running.world.running_world import RunningWorld
    from horus_sim.running.world.stepped_world import SteppedWorld

_MOST_TOLD = 5


class WorldServices:
    """Tells about worlds.

    Args:
        running: The world.
        states: Stops it for another one.
        entities: What is known about its entities.
    """

    def __init__(
        self, running: RunningWorld[Any], states: StateServices, entities: EntityServices
    ) -> None:
        self._running = running
        self._states = states
        self._entities = entities

    def offers(self) -> dict[str, Offer]:
        """What is served, by type."""
        offers: dict[str, Offer] = {
            "GetAvailableWorlds": self.get_available,
            "GetCurrentWorld": self.get_current,
        }
        if self._running.exchange.loads_worlds:
            offers |= {"LoadWorld": self.load, "UnloadWorld": self.unload}
        return offers

    def load(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """LoadWorld: the simulation is stopped afterwards."""
        resource = request["world_resource"]
        if not resource["uri"]:
            if resource["resource_string"]:
                raise Refused(
                    Code.FEATURE_UNSUPPORTED,
                    "worlds are read from files: give the uri of one, or of a shipped world",
                )
            raise Refused(
                LoadCode.NO_RESOURCE, "no uri is given; GetAvailableWorlds lists those that can be"
            )
        world, left_out = self._read(resource["uri"])
        if request["fail_on_unsupported_element"] and left_out:
            text = f"{len(left_out)} elements would be left out: {'; '.join(left_out[:_MOST_TOLD])}"
            raise Refused(LoadCode.UNSUPPORTED_ELEMENTS, text)
        self._put(world)
        return done(world=_message(self._running.exchange.world_file()))

    def unload(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """UnloadWorld: nothing is left, and no time passes."""
        del request
        if self._states.state is State.NO_WORLD:
            raise Refused(WorldCode.NO_WORLD_LOADED, "no world is loaded")
        world, _ = self._read("")
        self._put(world, is_nothing=True)
        return done()

    def _put(self, world: SteppedWorld, *, is_nothing: bool = False) -> None:
        self._states.put(world, is_nothing=is_nothing)
        self._entities.forget_all()

    def _read(self, uri: str) -> tuple[SteppedWorld, list[str]]:
        try:
            return self._running.exchange.load_world(uri)
        except UnsupportedFormatError as error:
            raise refusal(LoadCode.UNSUPPORTED_FORMAT, error) from error
        except MissingResourceError as error:
            raise refusal(LoadCode.MISSING_ASSETS, error) from error
        except UnknownNameError as error:
            raise refusal(Code.NOT_FOUND, error) from error
        except (DescriptionError, SceneError) as error:
            raise refusal(LoadCode.RESOURCE_PARSE_ERROR, error) from error

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
        if self._states.state is State.NO_WORLD:
            raise Refused(WorldCode.NO_WORLD_LOADED, "no world is loaded; call LoadWorld before")
        return done(world=_message(self._running.exchange.world_file()))


def _message(world: NamedFile) -> dict[str, Any]:
    """A simulation_interfaces/msg/WorldResource."""
    return {
        "name": world.name,
        "world_resource": {"uri": world.uri},
        "description": world.description,
    }

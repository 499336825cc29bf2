"""Services by which things come into a world, and leave it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from horus_sim.errors import (
    DescriptionError,
    HorusError,
    MissingExtraError,
    MissingResourceError,
    SceneError,
    UnknownNameError,
    UnsupportedFormatError,
)
from horus_sim.files.names import propose
from horus_sim.running.services.messages import T_world_frame, bounds_message, transform_of
from horus_sim.running.services.results import Code, Refused, SpawnCode, done, refusal, result

if TYPE_CHECKING:
    from horus_sim.running.services.entities import EntityServices
    from horus_sim.running.services.offer import Offer
    from horus_sim.running.world.running_world import RunningWorld

_NAMESPACE = re.compile(r"/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*/?", re.ASCII)
_NO_NAME = "entity"


class SpawnServices:
    """Puts models into a world, and takes them out.

    Args:
        running: The world.
        entities: What is known about its entities.
    """

    def __init__(self, running: RunningWorld[Any], entities: EntityServices) -> None:
        self._running = running
        self._entities = entities

    def offers(self) -> dict[str, Offer]:
        """What is served, by type; nothing where nothing comes or goes."""
        if not self._running.exchange.model_formats:
            return {}
        return {
            "SpawnEntity": self.spawn,
            "SpawnEntities": self.spawn_many,
            "DeleteEntity": self.delete,
            "GetSpawnables": self.get_spawnables,
        }

    def spawn(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """SpawnEntity."""
        return done(entity_name=self._spawn(request))

    def spawn_many(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """SpawnEntities: each by itself, in order; those that can be spawned are."""
        results: list[dict[str, Any]] = []
        for wanted in request["spawn_requests"]:
            try:
                results.append(self.spawn(wanted))
            except Refused as refused:
                results.append({"result": result(refused.code, str(refused)), "entity_name": ""})
            except HorusError as error:
                results.append({"result": result(Code.OPERATION_FAILED, str(error))})
        failed = [
            item["result"]["error_message"] for item in results if not item.get("entity_name")
        ]
        if failed:
            text = f"{len(failed)} of {len(results)} were not spawned: {'; '.join(failed)}"
            return {"result": result(SpawnCode.ENTITIES_SPAWN_FAILED, text), "results": results}
        return done(results=results)

    def delete(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """DeleteEntity."""
        name, known = request["entity"], self._running.exchange.entities()
        if name not in known:
            raise Refused(Code.NOT_FOUND, propose(name, known, "the world", "entity"))
        self._running.remove(name)
        self._entities.forget(name)
        return done()

    def get_spawnables(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """GetSpawnables: what ships with the simulator; other sources are not searched."""
        spawnables = [
            {
                "entity_resource": {"uri": model.uri},
                "description": model.description,
                "spawn_bounds": bounds_message(None),
            }
            for model in self._running.exchange.models()
        ]
        unknown = ", ".join(f"'{source}'" for source in request["sources"])
        text = f"these sources are not known and were not searched: {unknown}" if unknown else ""
        return {"result": result(Code.OK, text), "spawnables": spawnables}

    def _spawn(self, request: Mapping[str, Any]) -> str:
        """Spawns one entity and gives its name."""
        running = self._running
        resource = request["entity_resource"]
        uri = resource["uri"]
        text = "" if uri else resource["resource_string"]
        if not uri and not text:
            raise Refused(
                SpawnCode.NO_RESOURCE,
                "neither uri nor resource_string is given; GetSpawnables lists uris that can be",
            )
        own_name = self._own_name(uri, text)
        name = self._choose_name(request, own_name)
        stamped = request["initial_pose"]
        T_frame = T_world_frame(running, stamped["header"]["frame_id"])
        pose = T_frame @ transform_of(stamped["pose"], SpawnCode.INVALID_POSE)
        spawned = running.spawn(running.exchange.model(name, uri, text, pose))
        self._entities.forget(spawned)
        return spawned

    def _own_name(self, uri: str, text: str) -> str:
        """The name that a model gives itself; whatever is wrong with it is refused by its code."""
        try:
            return self._running.exchange.model_name(uri, text)
        except UnsupportedFormatError as error:
            raise refusal(SpawnCode.UNSUPPORTED_FORMAT, error) from error
        except MissingResourceError as error:
            raise refusal(SpawnCode.MISSING_ASSETS, error) from error
        except UnknownNameError as error:
            raise refusal(Code.NOT_FOUND, error) from error
        except MissingExtraError as error:
            raise refusal(SpawnCode.UNSUPPORTED_FORMAT, error) from error
        except (DescriptionError, SceneError) as error:
            raise refusal(SpawnCode.RESOURCE_PARSE_ERROR, error) from error

    def _choose_name(self, request: Mapping[str, Any], own_name: str) -> str:
        """The full name of an entity, which nothing else has."""
        exchange = self._running.exchange
        namespace, may_rename = request["entity_namespace"], request["allow_renaming"]
        if namespace and not _NAMESPACE.fullmatch(namespace):
            raise Refused(
                SpawnCode.NAMESPACE_INVALID,
                f"'{namespace}' is not a namespace; use letters, digits and underscores in parts "
                "joined by '/', none of which begins with a digit",
            )
        prefix = f"{namespace.strip('/')}/" if namespace else ""
        name = prefix + (request["name"].removeprefix("/") or own_name)
        try:
            exchange.check_name(name)
        except SceneError as error:
            if not may_rename:
                raise refusal(SpawnCode.NAME_INVALID, error) from error
            name = prefix + _NO_NAME
        taken = exchange.parts()
        if name not in taken:
            return name
        if not may_rename:
            raise Refused(
                SpawnCode.NAME_NOT_UNIQUE,
                f"the world has a '{name}' already; give another name, or set allow_renaming",
            )
        return _numbered(name, taken)


def _numbered(name: str, taken: Collection[str]) -> str:
    """The name with the first number behind it under which nothing is known."""
    return next(
        found for number in itertools.count(1) if (found := f"{name}_{number}") not in taken
    )

"""Services about what is in a world: names, kinds, poses, velocities and sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from horus_sim.files.names import propose
from horus_sim.running.services.filters import bounds_filter, name_filter, tags_filter
from horus_sim.running.services.messages import (
    T_world_frame,
    bounds_message,
    state_message,
    transform_of,
    vector_of,
)
from horus_sim.running.services.results import Code, MoveCode, Refused, done
from horus_sim.running.world.entity import AT_REST, Entity, Vector

if TYPE_CHECKING:
    from horus_sim.running.services.offer import Offer
    from horus_sim.running.world.running_world import RunningWorld
    from horus_sim.tf import Transform


class EntityServices:
    """Tells about entities, and moves them.

    Args:
        running: The world.
    """

    def __init__(self, running: RunningWorld[Any]) -> None:
        self._running = running
        self._infos: dict[str, dict[str, Any]] = {}

    def offers(self) -> dict[str, Offer]:
        """What is served, by type."""
        return {
            "GetEntities": self.get_entities,
            "GetEntitiesStates": self.get_states,
            "GetEntityInfo": self.get_info,
            "SetEntityInfo": self.set_info,
            "GetEntityState": self.get_state,
            "SetEntityState": self.set_state,
            "GetEntityBounds": self.get_bounds,
        }

    def forget(self, name: str) -> None:
        """What was set about an entity is forgotten, as when it leaves."""
        self._infos.pop(name, None)

    def forget_all(self) -> None:
        """The same of all entities, as when another world comes."""
        self._infos.clear()

    def get_entities(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """GetEntities."""
        return done(entities=[entity.name for entity in self._matching(request["filters"])])

    def get_states(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """GetEntitiesStates."""
        found = list(self._matching(request["filters"]))
        stamp_ns = self._running.world.stamp_ns
        states = [state_message(entity, stamp_ns) for entity in found]
        return done(entities=[entity.name for entity in found], states=states)

    def get_info(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """GetEntityInfo."""
        return done(info=self._info(self._entity(request["entity"])))

    def set_info(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """SetEntityInfo: it holds until the entity leaves, and moves nothing."""
        entity, info = self._entity(request["entity"]), request["info"]
        self._infos[entity.name] = {
            "category": {"category": info["category"]["category"]},
            "description": info["description"],
            "tags": list(info["tags"]),
        }
        return done()

    def get_state(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """GetEntityState."""
        entity = self._entity(request["entity"])
        return done(state=state_message(entity, self._running.world.stamp_ns))

    def get_bounds(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """GetEntityBounds."""
        name = self._entity(request["entity"]).name
        return done(bounds=bounds_message(self._running.exchange.entity_box(name)))

    def set_state(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """SetEntityState; accelerations follow from forces and cannot be set."""
        entity, state = self._entity(request["entity"]), request["state"]
        T_frame = T_world_frame(self._running, state["header"]["frame_id"])
        pose = entity.pose
        if request["set_pose"]:
            pose = T_frame @ transform_of(state["pose"], MoveCode.INVALID_POSE)
        velocity = (entity.linear, entity.angular)
        if request["set_twist"]:
            velocity = _velocity(state["twist"], T_frame)
        if not entity.is_free:
            if velocity != (AT_REST, AT_REST):
                raise Refused(
                    Code.OPERATION_FAILED,
                    f"'{entity.name}' is held by the world and cannot be given a velocity; leave "
                    "set_twist out, or give zeros",
                )
            if request["set_pose"]:
                self._running.move(entity.name, pose)
        elif request["set_pose"] or request["set_twist"]:
            self._running.move(entity.name, pose, velocity)
        return done()

    def _matching(self, filters: Mapping[str, Any]) -> Iterator[Entity]:
        """The entities that pass all filters."""
        has_name = name_filter(filters["filter"])
        has_tags = tags_filter(filters["tags"])
        overlaps = bounds_filter(filters["bounds"])
        categories = {item["category"] for item in filters["categories"]}
        exchange = self._running.exchange
        for name in exchange.entities():
            if not has_name(name):
                continue
            entity = exchange.entity(name)
            info = self._info(entity)
            if categories and info["category"]["category"] not in categories:
                continue
            if not has_tags(info["tags"]):
                continue
            if overlaps is not None:
                box = exchange.entity_box(name)
                # What has no end is everywhere.
                if box is not None and not overlaps(box, entity.pose):
                    continue
            yield entity

    def _entity(self, name: str) -> Entity:
        exchange = self._running.exchange
        known = exchange.entities()
        if name not in known:
            raise Refused(Code.NOT_FOUND, propose(name, known, "the world", "entity"))
        return exchange.entity(name)

    def _info(self, entity: Entity) -> dict[str, Any]:
        return self._infos.get(entity.name) or {
            "category": {"category": int(entity.category)},
            "description": entity.description,
            "tags": [],
        }


def _velocity(twist: Mapping[str, Any], T_frame: Transform) -> tuple[Vector, Vector]:
    """Linear and angular velocity of a twist that is given in a frame, in that of the world."""
    parts = (vector_of(twist["linear"]), vector_of(twist["angular"]))
    if not all(math.isfinite(value) for part in parts for value in part):
        raise Refused(Code.OPERATION_FAILED, f"the twist {parts} is not finite")
    (a, b, c), (d, e, f) = (T_frame.transform_vector(part).tolist() for part in parts)
    return (a, b, c), (d, e, f)

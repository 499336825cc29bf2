"""What a simulation can be asked for, told by what is served."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from typing import Any


class Feature(IntEnum):
    """Features, as in simulation_interfaces/msg/SimulatorFeatures."""

    SPAWNING = 0
    DELETING = 1
    NAMED_POSES = 2
    POSE_BOUNDS = 3
    ENTITY_TAGS = 4
    ENTITY_BOUNDS = 5
    ENTITY_BOUNDS_BOX = 6
    ENTITY_BOUNDS_CONVEX = 7
    ENTITY_CATEGORIES = 8
    SPAWNING_RESOURCE_STRING = 9
    ENTITY_STATE_GETTING = 10
    ENTITY_STATE_SETTING = 11
    ENTITY_INFO_GETTING = 12
    ENTITY_INFO_SETTING = 13
    SPAWNABLES = 14
    SIMULATION_RESET = 20
    SIMULATION_RESET_TIME = 21
    SIMULATION_RESET_STATE = 22
    SIMULATION_RESET_SPAWNED = 23
    SIMULATION_STATE_GETTING = 24
    SIMULATION_STATE_SETTING = 25
    SIMULATION_STATE_PAUSE = 26
    STEP_SIMULATION_SINGLE = 31
    STEP_SIMULATION_MULTIPLE = 32
    STEP_SIMULATION_ACTION = 33
    WORLD_LOADING = 40
    WORLD_RESOURCE_STRING = 41
    WORLD_TAGS = 42
    WORLD_UNLOADING = 43
    WORLD_INFO_GETTING = 44
    AVAILABLE_WORLDS = 45
    SPAWNING_ENTITIES = 50


_OF_SERVICE: dict[str, tuple[Feature, ...]] = {
    "SpawnEntity": (Feature.SPAWNING, Feature.SPAWNING_RESOURCE_STRING),
    "SpawnEntities": (Feature.SPAWNING_ENTITIES,),
    "DeleteEntity": (Feature.DELETING, Feature.SIMULATION_RESET_SPAWNED),
    "GetSpawnables": (Feature.SPAWNABLES,),
    "GetEntities": (Feature.ENTITY_TAGS, Feature.ENTITY_BOUNDS_BOX, Feature.ENTITY_CATEGORIES),
    "GetEntityBounds": (Feature.ENTITY_BOUNDS,),
    "GetEntityState": (Feature.ENTITY_STATE_GETTING,),
    "SetEntityState": (Feature.ENTITY_STATE_SETTING,),
    "GetEntityInfo": (Feature.ENTITY_INFO_GETTING,),
    "SetEntityInfo": (Feature.ENTITY_INFO_SETTING,),
    # SCOPE_TIME and SCOPE_STATE are taken together alone, so neither is claimed.
    "ResetSimulation": (Feature.SIMULATION_RESET,),
    "GetSimulationState": (Feature.SIMULATION_STATE_GETTING,),
    "SetSimulationState": (Feature.SIMULATION_STATE_SETTING, Feature.SIMULATION_STATE_PAUSE),
    "StepSimulation": (Feature.STEP_SIMULATION_SINGLE, Feature.STEP_SIMULATION_MULTIPLE),
    "LoadWorld": (Feature.WORLD_LOADING,),
    "UnloadWorld": (Feature.WORLD_UNLOADING,),
    "SimulateSteps": (Feature.STEP_SIMULATION_ACTION,),
    "GetCurrentWorld": (Feature.WORLD_INFO_GETTING,),
    "GetAvailableWorlds": (Feature.AVAILABLE_WORLDS,),
}
_INFO = (
    "Horus Sim. ResetSimulation takes SCOPE_ALL, SCOPE_TIME | SCOPE_STATE, SCOPE_SPAWNED, and the "
    "last two together."
)


def features_message(served: Collection[str], formats: Collection[str]) -> dict[str, Any]:
    """A simulation_interfaces/msg/SimulatorFeatures.

    Args:
        served: Types of the services that are served.
        formats: Formats of models that can be spawned.
    """
    found = sorted({int(feature) for kind in served for feature in _OF_SERVICE.get(kind, ())})
    return {"features": found, "spawn_formats": list(formats), "custom_info": _INFO}

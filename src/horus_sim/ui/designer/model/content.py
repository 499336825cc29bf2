"""What is edited: the files of a scenario as frozen models, with places to reach into them.

A place is a tuple of keys and indices such as ``('robots', 0, 'bodies', 1, 'pose')``; as text, with
slashes, it is the id of a thing in the view and in the address of the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from horus_sim.errors import EditError
from horus_sim.sim2d.scenario.checks import robot_problems, world_problems
from horus_sim.sim2d.scenario.schema import RobotConfig, ScenarioConfig, WorldConfig

Place: TypeAlias = tuple[str | int, ...]
M = TypeVar("M", bound=BaseModel)
WORLD_BODIES = ("terrain", "shape_objects", "custom_objects")


@dataclass(frozen=True, slots=True)
class Content:
    """A scenario that is edited.

    Attributes:
        scenario: scenario.json.
        world: world.json.
        robots: What the file of each robot says, in the order of `scenario.robots`.
    """

    scenario: ScenarioConfig
    world: WorldConfig
    robots: tuple[RobotConfig, ...] = ()

    @classmethod
    def empty(cls, name: str) -> Content:
        """A scenario with nothing in it."""
        return cls(ScenarioConfig(name=name, environment="world.json"), WorldConfig(name=name))

    def spawn(self, robot: int) -> tuple[float, float, float]:
        """Where a robot starts: x, y [m], theta [rad], world frame."""
        return self.scenario.robots[robot].spawn_pose or self.robots[robot].spawn_pose

    def ident(self, robot: int) -> str:
        """Name of a robot in the scenario."""
        entry = self.scenario.robots[robot]
        *folders, file = entry.ref.replace("\\", "/").split("/")
        return entry.id or (folders[-1] if folders else file.removesuffix(".json"))


def place_text(place: Place) -> str:
    """A place as text."""
    return "/".join(str(part) for part in place)


def place_of(text: str) -> Place:
    """A place from its text."""
    return tuple(int(part) if part.isdecimal() else part for part in text.split("/") if part)


def get(content: Content, place: Place) -> Any:  # noqa: ANN401 - whatever is there
    """What is at a place.

    Raises:
        EditError: There is nothing.
    """
    found: Any = content
    try:
        for part in place:
            if isinstance(found, dict) or (isinstance(part, int) and part >= 0):
                found = found[part]
            elif isinstance(found, BaseModel | Content) and part in _fields(found):
                found = getattr(found, part)
            else:
                raise KeyError(part)
    except (LookupError, TypeError):
        raise EditError(place, f"there is nothing at '{place_text(place)}' any more") from None
    return found


def _fields(thing: BaseModel | Content) -> tuple[str, ...]:
    if isinstance(thing, Content):
        return ("scenario", "world", "robots")
    return tuple(type(thing).model_fields)


def has(content: Content, place: Place) -> bool:
    """Whether there is something at a place."""
    try:
        get(content, place)
    except EditError:
        return False
    return True


def put(content: Content, place: Place, value: Any) -> Content:  # noqa: ANN401
    """The content with another value at a place; None leaves out a key of a dictionary.

    Raises:
        EditError: The value does not fit, or there is no such place.
    """
    get(content, place[:-1])
    return _put(content, place, (), value)


def _put(thing: Any, place: Place, above: Place, value: Any) -> Any:  # noqa: ANN401
    if not place:
        return value
    key, rest = place[0], place[1:]
    here = (*above, key)
    if isinstance(thing, tuple):
        k = _index(thing, key, here)
        return (*thing[:k], _put(thing[k], rest, here, value), *thing[k + 1 :])
    if isinstance(thing, dict):
        changed = {**thing, str(key): _put(thing.get(key), rest, here, value)}
        return {name: kept for name, kept in changed.items() if kept is not None or name != key}
    if isinstance(thing, Content):
        return _put_content(thing, str(key), _put(getattr(thing, str(key)), rest, here, value))
    if isinstance(thing, BaseModel):
        return rebuilt(
            thing, above, **{str(key): _put(getattr(thing, str(key)), rest, here, value)}
        )
    raise EditError(here, f"'{place_text(here)}' cannot be changed")


def _put_content(content: Content, key: str, value: Any) -> Content:  # noqa: ANN401
    if key != "robots":
        return replace(content, **{key: value})
    # Robots of one file are one description.
    refs = [entry.ref for entry in content.scenario.robots]
    changed = {
        refs[k]: new
        for k, (old, new) in enumerate(zip(content.robots, value, strict=True))
        if old is not new
    }
    return replace(
        content, robots=tuple(changed.get(ref, old) for ref, old in zip(refs, value, strict=True))
    )


def _index(items: tuple[Any, ...], key: str | int, place: Place) -> int:
    if not isinstance(key, int) or not 0 <= key < len(items):
        raise EditError(place, f"there is nothing at '{place_text(place)}' any more")
    return key


def rebuilt(model: M, place: Place = (), /, **changes: Any) -> M:  # noqa: ANN401
    """A model with other values, checked; keys that were not given stay so.

    None leaves out a key that may be left out.

    Raises:
        EditError: A value does not fit.
    """
    given = {name: getattr(model, name) for name in model.model_fields_set}
    fields = type(model).model_fields
    for name, value in changes.items():
        if value is None and name in fields and fields[name].default is None:
            given.pop(name, None)
        else:
            given[name] = value
    return made(type(model), place, **given)


def made(kind: type[M], place: Place = (), /, **values: Any) -> M:  # noqa: ANN401
    """A new model, checked.

    Raises:
        EditError: A value does not fit.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        # Forms have degrees, files radians.
        text = "should be at most a full turn" if first["type"] == "turn" else first["msg"]
        raise EditError((*place, *first["loc"]), _sentence(text)) from None


def _sentence(text: str) -> str:
    """What pydantic says, as the other messages begin: 'Input should be ...' is 'should be ...'."""
    return text.removeprefix("Input ").removeprefix("Value error, ")


def problems(content: Content, before: Content | None = None) -> Iterator[tuple[Place, str]]:
    """What is wrong with a content, beyond what the types say.

    Args:
        content: What to check.
        before: A good one; what both have in common is not checked again.
    """
    if before is None or content.world is not before.world:
        for place, text in world_problems(content.world):
            yield ("world", *place), text
    known = () if before is None else before.robots
    for k, robot in enumerate(content.robots):
        if not any(robot is other for other in known):
            for place, text in robot_problems(robot):
                yield ("robots", k, *place), text
    idents = [content.ident(k) for k in range(len(content.robots))]
    for k, ident in enumerate(idents):
        if ident in idents[:k]:
            place = ("scenario", "robots", k, "id")
            yield place, f"two robots have the id '{ident}'; give each its own"


def check(content: Content, before: Content | None = None) -> None:
    """Raises the first problem.

    Raises:
        EditError: Something is wrong.
    """
    for place, text in problems(content, before):
        raise EditError(place, text)

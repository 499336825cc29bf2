"""What an MJCF file says of the physics of its world."""

from __future__ import annotations

from typing import Any

from horus_sim.errors import DescriptionError
from horus_sim.robots.xml import Element
from horus_sim.robots.xml_values import parse_floats

_NUMBERS = ("timestep", "tolerance", "impratio", "density", "viscosity")
# Not the iterations of the solver: files that are tuned for other engines give it one or two.
_COUNTS = ("noslip_iterations",)
_VECTORS = ("gravity", "wind")
_WORDS = {
    "integrator": ("euler", "implicit", "implicitfast", "rk4", "discrete"),
    "solver": ("newton", "cg", "pgs"),
    "cone": ("elliptic", "pyramidal"),
}


def physics_options(root: Element) -> dict[str, Any]:
    """The options that a scene has, too, by the names that it gives them.

    Args:
        root: The document; of several ``<option>`` the later ones count.

    Returns:
        Numbers, words and tuples of three numbers; what is not to be read is missing, since MuJoCo
        itself refuses it.
    """
    found: dict[str, Any] = {}
    for element in root.find_all("option"):
        for name, text in element.attributes.items():
            value = _value(name, text, element)
            if value is not None:
                found[name] = value
    return found


def _value(name: str, text: str, element: Element) -> Any:  # noqa: ANN401 - of each option's kind
    words = _WORDS.get(name)
    if words is not None:
        return text.strip().lower() if text.strip().lower() in words else None
    if name not in (*_NUMBERS, *_COUNTS, *_VECTORS):
        return None
    count = 3 if name in _VECTORS else 1
    try:
        values = parse_floats(text, count, element=element, what=f"<option> {name}")
    except DescriptionError:
        return None
    if name in _VECTORS:
        return values
    return int(values[0]) if name in _COUNTS else values[0]

"""Specs as MJCF text with all digits.

MuJoCo writes six digits, after which a thin link may have an inertia that no body can have, and
MuJoCo refuses its own file. Here the numbers of named elements are written again, in full.
"""

from __future__ import annotations

import math
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from horus_sim.robots.engine import mujoco
from horus_sim.robots.xml import Element, parse_xml

_SIX_DIGITS = 2e-5
_INERTIAL = {"pos": "ipos", "quat": "iquat", "mass": "mass", "diaginertia": "inertia"}
_FIELDS: dict[str, dict[str, str]] = {
    "body": {"pos": "pos", "quat": "quat"},
    "joint": {
        name: name
        for name in (
            "pos", "axis", "range", "ref", "springref", "armature", "frictionloss", "damping",
            "stiffness",
        )
    },
    "geom": {name: name for name in ("pos", "quat", "size", "friction", "margin", "gap")},
    "site": {name: name for name in ("pos", "quat", "size")},
    "general": {"forcerange": "forcerange"},
}  # fmt: skip


def to_mjcf(spec: mujoco.MjSpec) -> str:
    """A compiled spec as the text of an MJCF file, from which the same model can be read."""
    root = parse_xml(spec.to_xml(), "MJCF")
    for element in root.find_all("option"):
        _rewrite(element, spec.option, {"timestep": "timestep", "gravity": "gravity"})
    for equality in (child for part in root.find_all("equality") for child in part.children):
        _rewrite(equality, spec.equality(equality.get("name") or ""), {"polycoef": "data"})
    for element in root.iter():
        known = _FIELDS.get(element.tag)
        name = element.get("name")
        if known is None or not name:
            continue
        kind = "actuator" if element.tag == "general" else element.tag
        source = getattr(spec, kind)(name)
        _rewrite(element, source, known)
        if element.tag == "body":
            for inertial in element.find_all("inertial"):
                _rewrite(inertial, source, _INERTIAL)
    lines: list[str] = []
    _write(root, 0, lines)
    return "\n".join(lines) + "\n"


def _rewrite(element: Element, source: Any, fields: dict[str, str]) -> None:  # noqa: ANN401
    """Puts the numbers of a spec's element in the place of the same numbers with fewer digits."""
    if source is None:
        return
    for attribute, name in fields.items():
        written = element.get(attribute)
        if written is None:
            continue
        words = written.split()
        values = [float(value) for value in np.ravel(getattr(source, name))[: len(words)]]
        # What differs in more than the last digits was converted on the way: MuJoCo is right.
        if len(values) == len(words) and all(
            math.isclose(float(word), value, rel_tol=_SIX_DIGITS, abs_tol=1e-300)
            for word, value in zip(words, values, strict=True)
        ):
            element.attributes[attribute] = " ".join(_number(value) for value in values)


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _write(element: Element, depth: int, lines: list[str]) -> None:
    indent = "  " * depth
    attributes = "".join(f" {key}={quoteattr(value)}" for key, value in element.attributes.items())
    if not element.children:
        lines.append(f"{indent}<{element.tag}{attributes}/>")
        return
    lines.append(f"{indent}<{element.tag}{attributes}>")
    for child in element.children:
        _write(child, depth + 1, lines)
    lines.append(f"{indent}</{element.tag}>")

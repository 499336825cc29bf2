"""Meshes and textures that an MJCF file names and that are not there: what to do without them."""

# mujoco is a binary module without type stubs.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from horus_sim.errors import MissingResourceError
from horus_sim.robots.mesh.neighbours import LFS_POINTER
from horus_sim.robots.report import NoteKind, Report

if TYPE_CHECKING:
    import mujoco

CAN_BE_LOST = frozenset({"mesh", "texture"})
_MOST_SHOWN = 5
_LIGHT_KG = 0.001
_LIGHT_KG_M2 = 1e-6
_REMEDY = "to load the robot without its collision shapes, pass allow_missing=True"


@dataclass(frozen=True, slots=True, eq=False)
class LostFiles:
    """The meshes and textures of one file that were not found.

    Attributes:
        meshes: The errors, by the names of the meshes.
        textures: The errors, by the names of the textures.
        may_touch: Whether shapes that touch may be lost, too.
    """

    may_touch: bool = False
    meshes: dict[str, MissingResourceError] = field(default_factory=dict)
    textures: dict[str, MissingResourceError] = field(default_factory=dict)

    def add(self, tag: str, name: str, error: MissingResourceError) -> None:
        """Keeps the error of an element that may be lost."""
        (self.meshes if tag == "mesh" else self.textures)[name] = error

    def leave_out(self, spec: mujoco.MjSpec, report: Report | None = None) -> None:
        """Removes from a spec what needs them.

        Raises:
            MissingResourceError: A shape that touches needs one, and may not be lost.
        """
        if self.textures:
            self._leave_out_textures(spec, report)
        if self.meshes:
            self._leave_out_meshes(spec, report)

    def _leave_out_textures(self, spec: mujoco.MjSpec, report: Report | None) -> None:
        for material in spec.materials:
            material.textures = [
                "" if name in self.textures else name for name in material.textures
            ]
        for texture in [each for each in spec.textures if each.name in self.textures]:
            spec.delete(texture)
        if report is not None:
            text = f"{_listed(self.textures)}: what has them is drawn without"
            report.add(NoteKind.WARNING, "<texture>", text)

    def _leave_out_meshes(self, spec: mujoco.MjSpec, report: Report | None) -> None:
        lost = [geom for geom in spec.geoms if geom.meshname in self.meshes]
        names = {geom.name for geom in lost if geom.name}
        pairs = [pair for pair in spec.pairs if {pair.geomname1, pair.geomname2} & names]
        paired = {name for pair in pairs for name in (pair.geomname1, pair.geomname2)}
        touching = [geom for geom in lost if _touches(geom) or geom.name in paired]
        if touching and not self.may_touch:
            error = self.meshes[touching[0].meshname]
            raise MissingResourceError(
                f"{error}; {_REMEDY} (--allow-missing)", error.uri, error.tried
            )
        lighter = {
            geom.parent.name: geom.parent
            for geom in lost
            if not geom.parent.explicitinertial and _weighs(geom)
        }
        for pair in pairs:
            spec.delete(pair)
        for each in (*lost, *(mesh for mesh in spec.meshes if mesh.name in self.meshes)):
            spec.delete(each)
        for body in lighter.values():
            if not any(map(_weighs, body.geoms)):
                # A body that moves must weigh something; it gets what a link of URDF gets.
                body.explicitinertial = True
                body.mass, body.inertia = _LIGHT_KG, (_LIGHT_KG_M2,) * 3
        if report is None:
            return
        text = f"{_listed(self.meshes)}; shapes without it are left out: {len(lost)}"
        if touching:
            text += f", of which {len(touching)} touch"
        if lighter:
            text += (
                f"; bodies without <inertial> that lack their mass: {len(lighter)}, which have "
                f"{_LIGHT_KG:g} kg if nothing is left"
            )
        report.add(NoteKind.WARNING, "<mesh>", text)


def _touches(geom: mujoco.MjsGeom) -> bool:
    return bool(geom.contype or geom.conaffinity)


def _weighs(geom: mujoco.MjsGeom) -> bool:
    """Whether a shape gives its body mass; a mass that is not given is no number."""
    return bool(geom.density if math.isnan(geom.mass) else geom.mass)


def _listed(errors: Mapping[str, MissingResourceError]) -> str:
    uris = [f"'{error.uri}'" for error in errors.values()]
    more = f" and {len(uris) - _MOST_SHOWN} more" if len(uris) > _MOST_SHOWN else ""
    count = "1 file was" if len(uris) == 1 else f"{len(uris)} files were"
    pointers = sum(LFS_POINTER in str(error) for error in errors.values())
    hint = (
        f" (pointers of Git LFS: {pointers}; run 'git lfs pull' in the clone)" if pointers else ""
    )
    return f"{count} not found, {', '.join(uris[:_MOST_SHOWN])}{more}{hint}"

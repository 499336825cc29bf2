"""Arms from YAML files, with errors that name the line, the key and the remedy."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.arm.file_schema import ArmFile
from horus_sim.assets import asset_names, asset_path
from horus_sim.errors import ArmFileError, UnknownArmError, UnknownNameError
from horus_sim.files.document import Document, read_document
from horus_sim.files.explaining import checked

if TYPE_CHECKING:
    from horus_sim.arm.description import ArmDescription

_KIND = "arms"
_SUFFIXES = (".yaml",)


def arm_names() -> tuple[str, ...]:
    """Names of the arms that come with the package."""
    return asset_names(_KIND, _SUFFIXES)


def read_arm(name_or_path: str | Path) -> ArmDescription:
    """Reads a shipped arm by name, or a file.

    Args:
        name_or_path: A name such as 'ur5e', or a path with a suffix or a separator.

    Raises:
        UnknownArmError: No shipped arm has that name.
        ArmFileError: There is no such file, or it does not describe an arm.
    """
    path = Path(name_or_path)
    if path.suffix == ".urdf":
        raise ArmFileError(f"'{path}' is a URDF file; read it with Arm.from_urdf.")
    if path.suffix == "" and path.parent == Path() and not path.is_file():
        try:
            path = asset_path(_KIND, str(name_or_path), _SUFFIXES)
        except UnknownNameError as error:
            raise UnknownArmError(f"{error}; or give the path of a .yaml file") from error
    shipped = f"check the path, or use a shipped arm: {', '.join(arm_names())}"
    description = _parse(read_document(path, ArmFileError, shipped), path)
    return dataclasses.replace(description, path=path)


def parse_arm(content: object, path: str | Path = "arm") -> ArmDescription:
    """The arm that the content of a file describes.

    Args:
        content: Mappings, lists and numbers, as YAML has them.
        path: Name of the file, for errors.

    Raises:
        ArmFileError: A key or value does not fit.
    """
    return _parse(Document(content, str(path)), Path(path))


def _parse(document: Document, path: Path) -> ArmDescription:
    if not isinstance(document.data, dict):
        text = "this is not a mapping; begin it with 'robot:' and its 'joints:'"
        raise ArmFileError(document.problem((), text))
    return checked(ArmFile, document, ArmFileError).build(path.stem)

"""Packages of extras, imported when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from horus_sim.errors import MissingExtraError


def require(package: str, extra: str = "onnx") -> Any:  # noqa: ANN401 - a module
    """A package of an extra.

    Raises:
        MissingExtraError: It is not installed; the text has the line that installs it.
    """
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        root = package.partition(".")[0]
        if error.name != root:
            raise
        raise MissingExtraError(root, extra) from None

"""Errors that every part of the package may raise."""

from __future__ import annotations


class HorusError(Exception):
    """Root of all errors that this package raises on purpose."""


class MissingExtraError(HorusError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(package, extra)
        self.package = package
        self.extra = extra

    def __str__(self) -> str:
        from horus_sim.installation import install_command

        return f"{self.package} is not installed; run: {install_command(self.extra)}"


class NativeVersionError(HorusError, ImportError):
    """The compiled extension is absent or does not belong to this version of the Python sources."""


class UnknownNameError(HorusError, KeyError):
    """Something was asked for by a name that nothing has; the text proposes close names."""

    # KeyError would show the text in quotes.
    __str__ = Exception.__str__

"""Arms to choose from: the shipped ones, and those whose files were uploaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from horus_sim.arm import Arm, arm_names
from horus_sim.errors import HorusError, UiError

if TYPE_CHECKING:
    from horus_sim.ui.shell.uploads import UploadFolder

SUFFIXES = (".yaml", ".yml", ".urdf")


class ArmLibrary:
    """Arms by name; those of files go by the name of their file.

    Args:
        dropped: Where uploaded files are kept.
    """

    def __init__(self, dropped: UploadFolder) -> None:
        self._dropped = dropped
        self._own: dict[str, Arm] = {}

    @property
    def names(self) -> list[str]:
        """What can be chosen."""
        return [*arm_names(), *self._own]

    def get(self, name: str) -> Arm:
        """An arm by its name.

        Raises:
            UiError: There is none of that name.
            ArmFileError: Its file has a mistake.
        """
        if name in self._own:
            return self._own[name]
        if name not in arm_names():
            raise UiError(
                f"there is no arm '{name[:80]}' here; choose one, or upload its file again"
            )
        return Arm.load(name)

    def put(self, name: str, arm: Arm) -> str:
        """Adds an arm; gives its name in the library."""
        self._own[name] = arm
        return name

    def upload(self, name: str, data: bytes, base_link: str = "", tip_link: str = "") -> str:
        """Adds the arm of an uploaded file; gives its name in the library.

        Args:
            name: Name of the file.
            data: Its content.
            base_link: First link of the chain in a URDF; '' for the root.
            tip_link: Last link of the chain in a URDF; '' for the only leaf.

        Raises:
            HorusError: It is not an arm; the text names the key and the remedy.
        """
        suffix = Path(name).suffix.lower()
        if suffix not in SUFFIXES:
            raise UiError(f"'{name[:80]}' is not an arm; choose a file that ends in .yaml or .urdf")
        path = self._dropped.keep(name, data)
        try:
            if suffix == ".urdf":
                arm = Arm.from_urdf(path, base_link=base_link or None, tip_link=tip_link or None)
            else:
                arm = Arm.load(path)
        except HorusError as error:
            # Where the file lies on the server says nothing to the user.
            raise type(error)(str(error).replace(str(path), name)) from error
        return self.put(name, arm)

"""What a run simulates, as the address of a page says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

if TYPE_CHECKING:
    from horus_sim.ui.kit.scenarios import Place

PATH = "/sim2d"


@dataclass(frozen=True, slots=True)
class Options:
    """How a scenario is run.

    Attributes:
        seed: Seed of all random numbers; None for the scenario's own.
        top_down: Seen from above: without gravity.
        ignore_terrain: Only robots, on an empty plane.
    """

    seed: int | None = None
    top_down: bool = True
    ignore_terrain: bool = False


@dataclass(frozen=True, slots=True)
class RunAddress:
    """What the address of a page asks for.

    Attributes:
        place: The scenario.
        options: How it is run.
    """

    place: Place
    options: Options = field(default_factory=Options)

    @property
    def query(self) -> dict[str, str]:
        """As it stands in the address; '' for what is as usual."""
        return {
            "scenario": self.place.name,
            "seed": "" if self.options.seed is None else str(self.options.seed),
            "side": "" if self.options.top_down else "1",
            "empty": "1" if self.options.ignore_terrain else "",
        }

    @property
    def link(self) -> str:
        """The address."""
        return f"{PATH}?{urlencode({key: value for key, value in self.query.items() if value})}"

    @property
    def title(self) -> str:
        """In a few words."""
        seed = self.options.seed
        words = [] if seed is None else [f"seed {seed}"]
        words += [] if self.options.top_down else ["from the side"]
        words += ["no terrain"] if self.options.ignore_terrain else []
        return self.place.folder.name + (f" ({', '.join(words)})" if words else "")

"""The contract of a policy: what its numbers mean, so that they can be had from a robot.

A task states its parts (`Observation.source`, `Task.action_parts`, `Task.drives`); the contract of
a policy is generated from them, and travels in its file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from horus_sim.errors import ContractError
from horus_sim.files.document import Document
from horus_sim.files.explaining import checked
from horus_sim.files.whole_file import write_whole
from horus_sim.rl.contract.action import ActionPart
from horus_sim.rl.contract.drives.kinds import DriveConfig
from horus_sim.rl.contract.sources.kinds import SourceConfig
from horus_sim.rl.contract.sources.source import Need
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.settings import Config

FORMAT = 1
_MOST_COLUMNS = 1_000_000
_LARGEST_FILE = 10_000_000


class ObservationPart(Config):
    """Columns of the observation.

    Attributes:
        name: What they are.
        size: How many.
        unit: Unit of the values; '1' where they have none.
        frame: Frame in which they are; '' where they have none.
        low: Least value; None for no bound.
        high: Largest value; None for no bound.
        source: Where they come from on a robot; None where only the simulation knows them.
    """

    name: Annotated[str, Field(min_length=1)]
    size: Annotated[int, Field(ge=1, le=_MOST_COLUMNS)]
    unit: str = "1"
    frame: str = ""
    low: float | None = None
    high: float | None = None
    source: SourceConfig | None = None


class Normalization(Config):
    """How observations are scaled before the network sees them.

    Attributes:
        place: 'inside' where the policy itself does it, as our files do; 'before' where whoever
            runs a network of another tool must do it.
        mean: Is taken off, by columns.
        variance: By whose root it is divided, by columns.
        epsilon: Added to the variance.
        clip: Afterwards values are within plus and minus this.
    """

    place: Literal["inside", "before"]
    mean: tuple[float, ...]
    variance: tuple[Annotated[float, Field(ge=0)], ...]
    epsilon: Annotated[float, Field(ge=0)] = 1e-8
    clip: Annotated[float, Field(gt=0)] = 10.0

    def apply(self, observations: Floats) -> Floats:
        """Scaled observations, shape (n, columns)."""
        deviation = np.sqrt(np.asarray(self.variance) + self.epsilon)
        return np.clip((observations - np.asarray(self.mean)) / deviation, -self.clip, self.clip)


class RobotFact(Config):
    """The robot that the policy learned on.

    Attributes:
        name: Its name, as `load_robot` takes it.
        sha256: Of its file; '' where there is none.
    """

    name: str
    sha256: str = ""


class Contract(Config):
    """What a policy observes and does, and how it was made.

    Attributes:
        format: Version of this form.
        task: Name of the task.
        settings: Settings of the task with which it learned.
        robot: The robot, or None where the model is no robot of ours.
        control_rate: Actions a second [Hz].
        observations: Parts of the observation, in the order of its columns.
        normalization: How observations are scaled, or None where they are not.
        actions: Parts of the action, in the order of its columns.
        drives: What the parts move on a robot; empty where only the simulation is moved.
        arrival: Nearer to its goal than this [m] the robot is there, and the policy has nothing
            left to do; None where it never is, or where more belongs to it.
        origin: How it was made: algorithm, seed, steps.
        versions: Versions of what made it, by package.
    """

    format: Literal[1] = FORMAT
    task: Annotated[str, Field(min_length=1)]
    settings: dict[str, Any] = Field(default_factory=dict)
    robot: RobotFact | None = None
    control_rate: Annotated[float, Field(gt=0)]
    observations: Annotated[tuple[ObservationPart, ...], Field(min_length=1)]
    normalization: Normalization | None = None
    actions: Annotated[tuple[ActionPart, ...], Field(min_length=1)]
    drives: tuple[DriveConfig, ...] = ()
    arrival: Annotated[float, Field(gt=0)] | None = None
    origin: dict[str, Any] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for what, parts in (("observations", self.observations), ("actions", self.actions)):
            names = [part.name for part in parts]
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f"two {what} are called '{name}'; give each its own name")
        names = [part.name for part in self.actions]
        for drive in self.drives:
            for part in drive.parts():
                if part not in names:
                    raise ValueError(
                        f"drive '{drive.kind}' obeys '{part}', which is no action; there are "
                        f"{', '.join(names)}"
                    )
        scaled = self.normalization
        if scaled is not None and not len(scaled.mean) == len(scaled.variance) == self.columns:
            raise ValueError(
                f"normalization is for {len(scaled.mean)} and {len(scaled.variance)} columns, and "
                f"observations have {self.columns}; give one mean and one variance for each"
            )
        return self

    @property
    def columns(self) -> int:
        """Columns of an observation."""
        return sum(part.size for part in self.observations)

    @property
    def action_columns(self) -> int:
        """Columns of an action."""
        return sum(part.size for part in self.actions)

    @property
    def period(self) -> float:
        """Time between two actions [s]."""
        return 1.0 / self.control_rate

    def needs(self) -> tuple[Need, ...]:
        """The topics that a robot must tell, each once; those that are said once come last."""
        found: dict[str, Need] = {}
        for part in self.observations:
            for need in part.source.needs() if part.source is not None else ():
                found.setdefault(need.topic, need)
        for drive in self.drives:
            for need in drive.needs():
                found.setdefault(need.topic, need)
        return tuple(sorted(found.values(), key=lambda need: need.is_command))

    def text(self) -> str:
        """As JSON, with keys in the order of the attributes."""
        return json.dumps(self.model_dump(mode="json"), indent=2)

    def write(self, path: str | Path) -> None:
        """Writes it as a JSON file.

        Raises:
            ContractError: The file cannot be written.
        """
        write_whole(Path(path), self.text() + "\n", ContractError)


def contract_of_text(text: str, place: str) -> Contract:
    """A contract from JSON.

    Args:
        text: The JSON.
        place: Where it stands, for errors.

    Raises:
        ContractError: It is not JSON, or a key or a value does not fit; the text says which.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ContractError(
            f"{place} is not JSON ({error}); give a contract as 'rl export --contract' writes it"
        ) from None
    if isinstance(data, dict) and data.get("format") not in (FORMAT, None):
        raise ContractError(
            f"{place} is a contract of format {data['format']!r:.20} and this version reads "
            f"{FORMAT}; install the horus-sim that wrote it"
        )
    return checked(Contract, Document(data, place), ContractError)


def read_contract(path: str | Path) -> Contract:
    """A contract from a file.

    Raises:
        ContractError: The file cannot be read, or does not hold one.
    """
    file = Path(path)
    try:
        if file.stat().st_size > _LARGEST_FILE:
            raise ContractError(f"{path} is larger than any contract; give a file of JSON")
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ContractError(
            f"{path} cannot be read ({error.strerror}); give a contract as 'rl export --contract' "
            "writes it"
        ) from None
    except UnicodeDecodeError:
        raise ContractError(f"{path} is not text; give a file of JSON") from None
    return contract_of_text(text, str(path))

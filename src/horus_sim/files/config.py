"""Configurations that users write: strict about keys, and frozen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from horus_sim.files.names import did_you_mean

Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class Config(BaseModel):
    """A frozen configuration; unknown keys, NaN and infinity are refused."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, validate_default=False
    )

    @model_validator(mode="before")
    @classmethod
    def _suggest_keys(cls, data: Any) -> Any:  # noqa: ANN401 - anything that a file may hold
        """Refuses an unknown key with the keys that may have been meant."""
        if cls.model_config.get("extra") != "forbid" or not isinstance(data, Mapping):
            return data
        for key in data:
            if key not in cls.model_fields:
                hint = did_you_mean(str(key), cls.model_fields, most=1)
                context = {"key": str(key)[:80], "hint": hint}
                raise PydanticCustomError("unknown_key", "unknown key '{key}'; {hint}", context)
        return data

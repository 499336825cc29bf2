"""Configurations that users write: strict about keys, and frozen."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

Finite = Annotated[float, Field(allow_inf_nan=False)]


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
                close = difflib.get_close_matches(str(key), cls.model_fields, n=1, cutoff=0.5)
                hint = (
                    f"did you mean '{close[0]}'?"
                    if close
                    else f"known are {', '.join(cls.model_fields)}"
                )
                context = {"key": str(key)[:80], "hint": hint}
                raise PydanticCustomError("unknown_key", "unknown key '{key}'; {hint}", context)
        return data

"""What all configurations of controllers share."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class ControlConfig(BaseModel):
    """Base of the configurations: frozen, and strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

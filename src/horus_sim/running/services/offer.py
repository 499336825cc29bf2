"""What a service does with a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

Offer = Callable[[Mapping[str, Any]], "dict[str, Any] | Future[dict[str, Any]]"]
"""Takes the fields of a request in the thread that steps the world. Gives those of the response, at
once or later, or raises `Refused`."""

"""What buttons share: wait for an order, and say what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from horus_sim.errors import HorusError

if TYPE_CHECKING:
    from nicegui.elements.mixins.validation_element import ValidationElement

    from horus_sim.running.loop.event_log import EventLog

_Result = TypeVar("_Result")


async def obey(
    log: EventLog,
    order: Callable[[], Future[_Result]],
    done: str = "",
    field: ValidationElement | None = None,
) -> _Result | None:
    """Gives an order and waits for it; an error is shown beside the field and in the log.

    Args:
        log: Where it goes.
        order: Gives the order.
        done: What to write to the log afterwards; ``{}`` stands for the result.
        field: Where an error is shown; as a note on the page unless given.

    Returns:
        The result, or None after an error.
    """
    try:
        result = await asyncio.wrap_future(order())
    except HorusError as error:
        complain(log, str(error), field)
        return None
    if field is not None:
        field.error = None
    if done:
        log.add(done.format(result))
    return result


def complain(log: EventLog, text: str, field: ValidationElement | None = None) -> None:
    """Shows an error beside a field, or as a note on the page."""
    from nicegui import ui

    log.add(text, "error")
    if field is not None:
        field.error = text
    else:
        ui.notify(text, type="negative", multi_line=True)

"""Numbers and words inside XML, with errors that name the element, the text and the remedy."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from horus_sim.errors import DescriptionError
from horus_sim.robots.xml import Element

Vector = tuple[float, float, float]

_LONGEST_SHOWN = 60
# float() accepts underscores and other scripts' digits, which no robot file means.
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_SPECIAL = re.compile(r"[+-]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE)


def parse_floats(
    text: str,
    count: int | Sequence[int],
    *,
    element: Element,
    what: str,
    culprit: str = "",
    finite: bool = True,
) -> tuple[float, ...]:
    """Numbers that white space separates.

    Args:
        text: The text of an attribute or an element.
        count: How many there must be, or the counts that are allowed.
        element: Where the text stands; errors give its file and line.
        what: What the text is, such as "<origin> xyz".
        culprit: Whose it is, such as "joint 'j'".
        finite: Whether NaN and infinity are errors.

    Returns:
        The numbers.

    Raises:
        DescriptionError: A word is not a number, or there are too few or too many.
    """
    counts = (count,) if isinstance(count, int) else tuple(count)
    words = text.split()
    if len(words) not in counts:
        wanted = " or ".join(str(number) for number in counts)
        plural = "" if counts == (1,) else "s"
        raise _error(element, culprit, what, text, f"needs {wanted} number{plural}")
    return tuple(_float(word, text, element, what, culprit, finite=finite) for word in words)


def read_floats(
    element: Element,
    attribute: str,
    count: int | Sequence[int],
    *,
    culprit: str = "",
    default: tuple[float, ...] | None = None,
    finite: bool = True,
) -> tuple[float, ...]:
    """The numbers in an attribute.

    Args:
        element: The element.
        attribute: Name of the attribute.
        count: How many there must be, or the counts that are allowed.
        culprit: Whose element it is, such as "link 'base'".
        default: Taken when the attribute is absent; None makes it required.
        finite: Whether NaN and infinity are errors.

    Raises:
        DescriptionError: The attribute is missing or holds something else.
    """
    text = element.get(attribute)
    if text is None:
        if default is not None:
            return default
        raise missing(element, attribute, culprit)
    return parse_floats(
        text,
        count,
        element=element,
        what=f"<{element.tag}> {attribute}",
        culprit=culprit,
        finite=finite,
    )


def read_float(
    element: Element,
    attribute: str,
    *,
    culprit: str = "",
    default: float | None = None,
    finite: bool = True,
) -> float:
    """The number in an attribute; see `read_floats`."""
    given = None if default is None else (default,)
    return read_floats(element, attribute, 1, culprit=culprit, default=given, finite=finite)[0]


def read_text(element: Element, attribute: str, *, culprit: str = "") -> str:
    """A required attribute that is not blank, without white space around it.

    Raises:
        DescriptionError: It is missing or blank.
    """
    text = (element.get(attribute) or "").strip()
    if not text:
        raise missing(element, attribute, culprit)
    return text


def parse_bool(text: str, *, element: Element, what: str, culprit: str = "") -> bool:
    """'true', 'false', '1' or '0', in any case.

    Raises:
        DescriptionError: It is none of them.
    """
    word = text.strip().lower()
    if word in ("true", "1"):
        return True
    if word in ("false", "0"):
        return False
    raise _error(element, culprit, what, text, "is neither true nor false")


def unit_vector(vector: Sequence[float]) -> Vector | None:
    """Three numbers as a vector of length 1; None where they give no direction."""
    x, y, z = vector
    length = math.hypot(x, y, z)
    return (x / length, y / length, z / length) if 1e-9 < length < 1e9 else None


def missing(element: Element, attribute: str, culprit: str = "") -> DescriptionError:
    """The error that an attribute is missing or blank, to be raised."""
    return element.error(
        f"{_prefix(culprit)}<{element.tag}> needs the attribute '{attribute}', which is missing or "
        "blank"
    )


def shown(text: str) -> str:
    """Text of a file in quotes, cut where it is long, for an error."""
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}...")


def _float(
    word: str, text: str, element: Element, what: str, culprit: str, *, finite: bool
) -> float:
    if _NUMBER.fullmatch(word) or _SPECIAL.fullmatch(word):
        value = float(word)
    else:
        hint = "; decimals have a point, not a comma" if "," in word else ""
        raise _error(element, culprit, what, text, f"{shown(word)} is not a number{hint}")
    if finite and not math.isfinite(value):
        raise _error(element, culprit, what, text, f"the value {word} is not finite")
    return value


def _error(element: Element, culprit: str, what: str, text: str, cause: str) -> DescriptionError:
    return element.error(f"{_prefix(culprit)}{what} = {shown(text)}: {cause}")


def _prefix(culprit: str) -> str:
    return f"{culprit}: " if culprit else ""

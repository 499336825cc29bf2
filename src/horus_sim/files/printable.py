"""Text of others that is safe to show on a terminal and in a drawing."""

from __future__ import annotations


def printable(text: object) -> str:
    """Text on one line, with control characters as escapes: what programs send is not trusted."""
    line = str(text)
    if line.isprintable():
        return line
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in line
    )

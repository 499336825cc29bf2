#!/usr/bin/env python3
"""Counts lines of Python code, docstrings, comments and blank lines aside, by package.

    python scripts/count_lines.py [FOLDER]     FOLDER is src/horus_sim unless given

It also names files above 400 lines, and folders with more than 16 modules beside `__init__`.
"""

from __future__ import annotations

import ast
import sys
import tokenize
from collections import Counter
from pathlib import Path

LONGEST_FILE = 400
FULLEST_FOLDER = 16
ASIDE = {"cli"}
_EMPTY = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def code_lines(path: Path) -> int:
    """Lines of a file that hold code."""
    with path.open("rb") as file:
        tokens = list(tokenize.tokenize(file.readline))
    lines = {
        line
        for token in tokens
        if token.type not in _EMPTY
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(path.read_bytes())):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            lines -= set(range(value.lineno, (value.end_lineno or value.lineno) + 1))
    return len(lines)


def main() -> None:
    """Prints the table."""
    home = Path(__file__).resolve().parents[1] / "src" / "horus_sim"
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else home
    counts: Counter[str] = Counter()
    modules: Counter[Path] = Counter()
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root)
        counts[place.parts[0] if len(place.parts) > 1 else "."] += code_lines(path)
        modules[place.parent] += path.name != "__init__.py"
        whole = len(path.read_text().splitlines())
        if whole > LONGEST_FILE:
            print(f"{place}: {whole} lines, more than {LONGEST_FILE}")
    for folder, count in sorted(modules.items()):
        if count > FULLEST_FOLDER and folder.as_posix() not in ASIDE:
            print(f"{folder}/: {count} modules, more than {FULLEST_FOLDER}")
    for name, count in sorted(counts.items()):
        print(f"{count:7d}  {name}")
    print(f"{sum(counts.values()):7d}  lines of code")


if __name__ == "__main__":
    main()

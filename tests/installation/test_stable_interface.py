"""The bindings keep to the stable interface of CPython, by which the wheel of 3.12 is built.

The compiler of a build for 3.11 does not tell; its headers do, which keep what belongs to one
version apart.
"""

from __future__ import annotations

import re
import sysconfig
from pathlib import Path

import pytest

BINDINGS = Path(__file__).parents[2] / "native" / "bindings"
HEADERS = Path(sysconfig.get_path("include"))
NAME = re.compile(r"\b_?Py[A-Z]\w*_\w+")
MACRO = re.compile(r"#\s*define\s+(_?Py\w+)\b((?:.*\\\n)*.*)")
COMMENT = re.compile(r"//.*|/\*(?:.|\n)*?\*/")
CONDITION = re.compile(r"#\s*(if\w*|elif|else|endif)\b\s*(\w*)$")
SINCE_3_12 = {"PyObject_GetTypeData", "PyObject_Vectorcall", "PyVectorcall_NARGS"}
"""What the headers of 3.11 keep apart still."""

pytestmark = pytest.mark.skipif(
    not (HEADERS / "cpython").is_dir(), reason=f"no headers of CPython in {HEADERS}"
)


def stable_part(source: str) -> str:
    """What is compiled where Py_LIMITED_API is defined, without comments.

    Of other conditions both parts are.
    """
    kept: list[str] = []
    compiled: list[bool] = []
    decided: list[bool] = []
    for line in COMMENT.sub("", source).splitlines():
        found = CONDITION.match(line.strip())
        if found is None and line.lstrip().startswith("#") and "if" in line.split("(")[0]:
            # A condition of several words.
            found = re.match(r"#\s*(if|elif)()", line.strip())
        match found and found[1]:
            case "endif":
                compiled.pop()
                decided.pop()
            case "else" | "elif":
                compiled[-1] = not (decided[-1] and compiled[-1])
            case str() as word:
                decided.append(found is not None and found[2] == "Py_LIMITED_API")
                compiled.append(not (decided[-1] and word == "ifndef"))
            case None if all(compiled):
                kept.append(line)
    return "\n".join(kept)


@pytest.fixture(scope="module")
def of_one_version() -> set[str]:
    """Names that are not of the stable interface, and macros that are made of them."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(HEADERS.glob("*.h"))]
    inner = [path.read_text(encoding="utf-8") for path in sorted(HEADERS.glob("cpython/*.h"))]
    outer = [stable_part(text) for text in texts]
    declared = (MACRO.sub(r"\1", text) for text in outer)
    names = set(NAME.findall("\n".join(texts + inner))) - set(NAME.findall("\n".join(declared)))
    macros = {name: set(NAME.findall(body)) for text in outer for name, body in MACRO.findall(text)}
    while more := {name for name, body in macros.items() if body & names} - names:
        names |= more
    return names - SINCE_3_12


def test_what_is_of_one_version_is_known(of_one_version: set[str]):
    assert {
        "PyFloat_AS_DOUBLE",
        "PySequence_Fast_GET_ITEM",
        "PyTuple_GET_SIZE",
        "PyUnicode_1BYTE_DATA",
        "PyUnicode_New",
        "_PyType_Lookup",
    } <= of_one_version
    assert not of_one_version & {
        "PyFloat_AsDouble",
        "PyList_Check",
        "PyTuple_GetItem",
        "PyUnicode_DecodeASCII",
    }


def test_the_other_half_of_a_condition_is_left_out():
    source = """\
#ifdef Py_LIMITED_API
a  // word
#else
b
#endif
#ifndef Py_LIMITED_API
c
#if defined(X) && Y
d
#endif
#endif
#if defined(X)
e
#elif Z
f
#else
g
#endif"""
    assert [line.strip() for line in stable_part(source).split("\n")] == ["a", "e", "f", "g"]


def test_bindings_use_nothing_of_one_version(of_one_version: set[str]):
    files = sorted(BINDINGS.glob("*.[ch]pp"))
    assert len(files) > 40
    used = {path: set(NAME.findall(stable_part(path.read_text("utf-8")))) for path in files}
    found = {path.name: names & of_one_version for path, names in used.items()}
    found = {name: sorted(names) for name, names in found.items() if names}
    assert found == {}, "native/bindings/items.hpp has counterparts"

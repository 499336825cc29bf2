"""Files of users: what they hold, where it stands, and what is said about mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from horus_sim.errors import HorusError
from horus_sim.files.document import (
    Document,
    Problem,
    key_text,
    parse_json,
    parse_yaml,
    read_document,
)
from horus_sim.files.explaining import checked
from horus_sim.files.overrides import overridden

PLAIN = st.recursive(
    st.none() | st.integers() | st.text(alphabet="ab,]}:'\" \n", max_size=4),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text("abc", min_size=1), v, max_size=3),
    max_leaves=12,
)


def paths(item, path=()):
    yield path
    if isinstance(item, dict):
        for key in item:
            yield from paths(item[key], (*path, key))
    elif isinstance(item, list):
        for index, inner in enumerate(item):
            yield from paths(inner, (*path, index))


def test_lines_of_keys():
    text = '{\n "a": [\n  1,\n  {"b": "x,]}",\n   "c": 2}\n ]\n}'
    for document in (parse_json(text, "f", HorusError), parse_yaml(text, "f", HorusError)):
        assert document.find_line(("a",)) == 2
        assert document.find_line(("a", 0)) == 3
        assert document.find_line(("a", 1, "c")) == 5
        assert document.find_line(("a", 1, "missing")) == 4
        assert document.find_line(()) == 1
    assert key_text(("a", 1, "c")) == "a[1].c"


def test_lines_of_what_is_merged():
    text = "base: &base\n  a: 1\n  b: 2\nown:\n  <<: *base\n  b: 3\n"
    document = parse_yaml(text, "f", HorusError)
    assert document.data["own"] == {"a": 1, "b": 3}
    assert document.find_line(("own", "a")) == 2
    assert document.find_line(("own", "b")) == 6


@given(PLAIN)
def test_lines_are_found_in_any_document(value):
    json_text = json.dumps(value, indent=1)
    yaml_text = yaml.safe_dump(value)
    for text, parse in ((json_text, parse_json), (yaml_text, parse_yaml)):
        document = parse(text, "f", HorusError)
        assert document.data == value
        for path in paths(value):
            assert 1 <= (document.find_line(path) or 0) <= text.count("\n") + 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", r"f\.json:1:2: this is not valid JSON: Expecting property name.*; correct it"),
        ('{"a": 1,\n"a": 2}', r"f\.json:2: a: the key 'a' is given twice in one object; remove"),
        ("[\n" + "9" * 5000 + "]", r"f\.json:2: a number has too many digits; write a shorter"),
        ("[" * 100_000, r"f\.json: the JSON is nested too deeply"),
        (b"{}\n\xff", r"f\.json:2: the text is not UTF-8; save the file in that encoding"),
    ],
)
def test_what_is_not_json_is_told_with_its_place(tmp_path: Path, text, problem):
    path = tmp_path / "f.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(HorusError, match=problem):
        read_document(path, HorusError)


def test_a_file_that_is_absent_or_too_large(tmp_path: Path):
    path = tmp_path / "f.yaml"
    with pytest.raises(HorusError, match=r"f\.yaml: the file cannot be read \(No such .*; ask"):
        read_document(path, HorusError, "ask for it")
    with path.open("wb") as file:
        file.truncate(16_000_001)
    with pytest.raises(
        HorusError, match=r"f\.yaml: the file has 16000001 bytes, more than the limit"
    ):
        read_document(path, HorusError)


def test_keys_are_the_text_that_the_file_has():
    document = parse_yaml("1: a\non: b\n1.50: c\n~: d\n", None, HorusError)
    assert document.data == {"1": "a", "on": "b", "1.50": "c", "~": "d"}


class Box(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["box"]
    size: tuple[float, float, float]


class Ball(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["ball"]
    radius: Annotated[float, Field(gt=0)]


class Things(BaseModel):
    model_config = ConfigDict(extra="forbid")

    things: tuple[Annotated[Box | Ball, Field(discriminator="kind")], ...] = ()
    count: int = 0
    name: str = ""
    is_on: bool = False
    sizes: dict[str, float] = {}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("things:\n- {kind: ball}", "f:2: things[0].radius: this key is required; add it"),
        (
            "things:\n- {kind: ball, radius: 1}\n- {kind: ball, radus: 1}",
            "f:3: things[1].radus: unknown key 'radus'; did you mean 'radius'?",
        ),
        ("- 1", "f:1: it is [1]; write keys and values there, such as things, count, name, is_on"),
        ("things: 5", "f:1: things: it is 5; write a list"),
        ("things: [{}]", "f:1: things[0]: it has no 'kind'; give one of box, ball"),
        (
            "things:\n- kind: bal",
            "f:2: things[0].kind: no kind is called 'bal'; did you mean 'ball'?",
        ),
        (
            "things: [{kind: box, size: [1, 2]}]",
            "f:1: things[0].size: it has 2 values; write 3 values, such as [0, 0, 0]",
        ),
        (
            "things: [{kind: ball, radius: 0}]",
            "f:1: things[0].radius: it is 0; it must be greater than 0",
        ),
        ("count: 2.5", "f:1: count: it is 2.5, not a whole number; write one, such as 100"),
        ("name: 3", "f:1: name: it is 3, not text; put it in quotes"),
        ("is_on: 3", "f:1: is_on: it is 3, not a truth value; write true or false"),
        ("sizes:\n  a: x", "f:2: sizes.a: it is 'x', not a number; write one, such as 0.5"),
        ("size: 1", "f:1: size: unknown key 'size'; did you mean 'sizes'?"),
        ("xyz: 1", "f:1: xyz: unknown key 'xyz'; known: things, count, name, is_on, sizes"),
    ],
)
def test_mistakes_are_told_with_line_key_cause_and_remedy(text, problem):
    with pytest.raises(HorusError) as caught:
        checked(Things, parse_yaml(text, "f", HorusError), HorusError)
    assert str(caught.value) == problem


def test_five_mistakes_are_told_and_the_others_counted():
    text = "sizes:\n" + "".join(f"  a{k}: x\n" for k in range(12))
    with pytest.raises(HorusError) as caught:
        checked(Things, parse_yaml(text, "f", HorusError), HorusError)
    lines = str(caught.value).splitlines()
    assert len(lines) == 6
    assert lines[4].startswith("f:6: sizes.a4: ")
    assert lines[5] == "... and 7 more"


def test_an_error_may_keep_the_parts_of_a_problem():
    found: list[Problem] = []

    def refuse(problem: Problem) -> HorusError:
        found.append(problem)
        return HorusError(problem)

    with pytest.raises(HorusError, match="count: it is 'x'"):
        checked(Things, Document({"count": "x"}), refuse)
    assert (found[0].file, found[0].key, found[0].line) == (None, "count", None)


def test_overrides_replace_values_and_lose_their_lines():
    document = parse_yaml("a: &a [1, 2]\nb: *a\nc:\n  d: 1\n", "f", HorusError)
    changed = overridden(document, ["b.0=7", "c.e.f=[1e-3]", "c.d=x"], HorusError, "a=1")
    assert changed.data == {"a": [1, 2], "b": [7, 2], "c": {"d": "x", "e": {"f": [0.001]}}}
    assert changed.find_line(("c", "d")) is None
    assert changed.find_line(("b", 1)) == 1
    assert document.data["b"] == [1, 2]


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("a", "'a' is not a setting; write KEY=VALUE, such as a=1"),
        ("=1", "'=1' is not a setting"),
        ("a..b=1", r"'a\.\.b=1' is not a setting"),
        ("a=[1", r"'a=\[1': '\[1' is not a valid YAML value; put it in quotes"),
        ("a.b=1", "'a.b': 'b' is not an index into a list of 1"),
        ("c.d=1", "'c.d': 'c' is a value already and holds no keys"),
    ],
)
def test_an_override_that_does_not_fit_is_told(word, problem):
    with pytest.raises(HorusError, match=problem):
        overridden(Document({"a": [1], "c": 2}), [word], HorusError, "a=1")

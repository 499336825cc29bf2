"""`horus-sim service` on services of another connection in this process."""

from __future__ import annotations

import json
import uuid

import pytest

from horus_sim.cli import app
from horus_sim.hub import connect

ADD = "example_interfaces/srv/AddTwoInts"


@pytest.fixture
def session():
    name = f"test-{uuid.uuid4().hex[:12]}"
    with connect(session=name) as hub:
        hub.serve("math/add", ADD, lambda request: {"sum": request["a"] + request["b"]})
        yield name


def run(capsys: pytest.CaptureFixture[str], session: str, *words: str) -> tuple[int, str, str]:
    options = ["--url", "inproc://", "--session", session, "--wait", "0"]
    with pytest.raises(SystemExit) as stop:
        app.main(["service", *words, *options])
    captured = capsys.readouterr()
    return int(str(stop.value.code or 0)), captured.out, captured.err


def test_list(session: str, capsys: pytest.CaptureFixture[str]):
    table = f"""\
service   types                              servers  clients
math/add  {ADD}  1        0
"""
    assert run(capsys, session, "list") == (0, table, "")
    code, out, _ = run(capsys, session, "list", "--json")
    expected = [{"name": "math/add", "types": [ADD], "servers": 1, "clients": 0}]
    assert (code, json.loads(out)) == (0, expected)
    assert "no services in session 'nobody-is-here'" in run(capsys, "nobody-is-here", "list")[1]


def test_call(session: str, capsys: pytest.CaptureFixture[str]):
    code, out, err = run(capsys, session, "call", "/math/add", '{"a": 2, "b": 3}')
    assert (code, json.loads(out), err) == (0, {"sum": 5}, "")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("math/ad",), "nobody serves 'math/ad' in session 'test-"),
        (("math/ad",), "did you mean 'math/add'?"),
        (("math/add", "{"), "the fields of the request are not JSON"),
        (("math/add", "[1]"), "the request must be a JSON object of fields, got [1]"),
        (("math/add", '{"c": 1}'), "has no field 'c'"),
        (("math/add", "--type", "std_srvs/srv/SetBol"), "did you mean 'std_srvs/srv/SetBool'"),
    ],
)
def test_mistakes(
    words: tuple[str, ...], text: str, session: str, capsys: pytest.CaptureFixture[str]
):
    code, out, err = run(capsys, session, "call", *words)
    assert (code, out) == (1, "")
    assert text in err

"""What a running world is joined to."""

from __future__ import annotations

import importlib.util
import os
import uuid

import pytest

from horus_sim.errors import HubError
from horus_sim.hub import connect
from horus_sim.hub.messages import Clock
from horus_sim.running.joining import Wishes, join
from horus_sim.sim3d import World

if importlib.util.find_spec("zenoh") is None:
    if os.environ.get("CI") == "true":
        pytest.fail("zenoh is not installed and CI=true asks for it", pytrace=False)
    pytest.skip("zenoh is not installed: pip install 'horus-sim[zenoh]'", allow_module_level=True)


def test_a_session_has_one_world():
    session = f"test-{uuid.uuid4().hex[:12]}"
    text = (
        f"'first' runs a world in session '{session}' already; end it, or give this one a session"
    )
    world = World.load("empty_world")
    with connect("zenoh://", session=session, name="first") as first:
        clock = first.publisher("clock", Clock)
        with pytest.raises(HubError, match=text), join(world, Wishes(session=session)):
            pass
        clock.close()
        with join(world, Wishes(session=session)) as joined:
            assert joined.notes == [f"topics of session '{session}' at zenoh://"]


def test_a_page_of_a_second_world_has_no_topics(monkeypatch: pytest.MonkeyPatch):
    session = f"test-{uuid.uuid4().hex[:12]}"
    monkeypatch.setenv("HORUS_SESSION_ID", session)
    with connect("zenoh://", name="first") as first:
        first.publisher("clock", Clock)
        with join(World.load("empty_world"), Wishes(has_page=True)) as joined:
            assert joined.running.hub is None
            assert joined.no_topics.startswith(
                f"'first' runs a world in session '{session}' already"
            )

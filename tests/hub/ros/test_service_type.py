"""Service types and their hashes, against those that ROS and others compute."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from horus_sim.errors import MessageError
from horus_sim.hub.ros import service_type as module
from horus_sim.hub.ros.definition import parse_definition, referenced
from horus_sim.hub.ros.service_type import (
    register_service,
    service_hash,
    service_type,
    service_type_names,
)
from horus_sim.hub.ros.type_hash import hash_of

# Hashes that ROS 2 Jazzy prints.
JAZZY = {
    "example_interfaces/srv/AddTwoInts": (
        "e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a"
    ),
    "std_srvs/srv/Empty": "5888399dedec5ccc85ea6451949fd2c9f97bfdf963f9a588821639fcd31b5d19",
    "std_srvs/srv/SetBool": "abe9e4bb6b41b40e6789712c00ec8871923e089af3f667a79992a428cff2da0a",
    "std_srvs/srv/Trigger": "eeff2cd6fa5ad9d27cdf4dec64818317839b62f212a91e6b5304b634b2062c5f",
}
SET_CAMERA_INFO = "a10cca5d33dc637c8d49db50ab288701a3592bb9cd854f2f16a0659613b68984"


@pytest.mark.parametrize("name", JAZZY)
def test_hashes_of_ros(name: str):
    assert service_hash(name) == f"RIHS01_{JAZZY[name]}"


def test_hash_of_a_service_with_a_header_inside():
    register_service(
        "sensor_msgs/srv/SetCameraInfo",
        """
        sensor_msgs/CameraInfo camera_info  # what to keep
        ---
        bool success
        string status_message
        """,
    )
    assert service_hash("sensor_msgs/srv/SetCameraInfo") == f"RIHS01_{SET_CAMERA_INFO}"


def test_hashes_of_simulation_interfaces(shared: Path, monkeypatch: pytest.MonkeyPatch):
    expected = json.loads((shared / "ros2" / "service_hashes.json").read_text())
    assert len(expected) == 22
    wrong = {name for name, found in expected.items() if service_hash(name) != found}
    # Their file was made with a Header whose stamp is called 'time', as in ROS 1, where all others
    # have builtin_interfaces/msg/Time: with that slip, and with nothing else, they are the same.
    with_header = {
        name
        for name in expected
        for part in (service_type(name).request, service_type(name).response)
        if "std_msgs/msg/Header" in referenced(part)
    }
    assert wrong == with_header
    slip = parse_definition("std_msgs/msg/Header", "std_msgs/msg/time stamp\nstring frame_id")
    monkeypatch.setattr(
        module,
        "hash_of",
        lambda definition, inside: hash_of(definition, inside | {slip.name: slip}),
    )
    for name in wrong:
        assert service_hash.__wrapped__(name) == expected[name]


def test_a_type_has_a_request_and_a_response():
    found = service_type("simulation_interfaces/srv/StepSimulation")
    (steps,) = found.request.fields
    assert (steps.name, steps.kind, steps.default) == ("steps", "uint64", "1")
    assert [part.kind for part in found.response.fields] == ["simulation_interfaces/msg/Result"]
    assert "std_srvs/srv/Empty" in service_type_names()


def test_an_unknown_type_is_refused_with_close_ones():
    with pytest.raises(MessageError, match=r"'std_srvs/srv/SetBol' is not a known service type; "):
        service_type("std_srvs/srv/SetBol")
    with pytest.raises(MessageError, match="did you mean 'std_srvs/srv/SetBool'"):
        service_hash("std_srvs/srv/SetBol")


def test_a_service_of_ones_own_has_one_line_between_its_parts():
    with pytest.raises(MessageError, match="my_package/srv/Ask: 0 lines '---'; a service has one"):
        register_service("my_package/srv/Ask", "string text")
    with pytest.raises(MessageError, match="write it like 'my_package/srv/Name'"):
        register_service("my_package/msg/Ask", "string text\n---")

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

from horus_sim.errors import MessageError
from horus_sim.hub import connect
from horus_sim.hub.messages import DepthImage, Image
from horus_sim.hub.ros import codec
from horus_sim.hub.ros.binding import binding_of

LARGE = (48, 64)
COLOURS = np.random.default_rng(0).integers(0, 256, (*LARGE, 3), np.uint8)
DEPTHS = np.random.default_rng(1).random(LARGE, np.float32)
LATER_THAN_ROS_CAN_SAY = 2**62


@pytest.mark.parametrize("given", [COLOURS, COLOURS[::-1], COLOURS[:, ::2], COLOURS[:0]])
def test_an_image_is_its_own_bytes(given):
    image = Image(1_500_000_000, "camera", given)
    assert binding_of(Image).encode(image) is image.encoded
    assert np.array_equal(image.data, given)
    rosbags = get_typestore(Stores.ROS2_JAZZY)
    theirs: Any = rosbags.deserialize_cdr(image.encoded or b"", "sensor_msgs/msg/Image")
    assert (theirs.header.stamp.sec, theirs.header.frame_id) == (1, "camera")
    assert (theirs.height, theirs.width, theirs.step) == (*given.shape[:2], 3 * given.shape[1])
    assert theirs.data.tobytes() == given.tobytes()


def test_depths_are_their_own_bytes():
    image = DepthImage(0, "camera", DEPTHS[::-1])
    assert binding_of(DepthImage).encode(image) is image.encoded
    assert np.array_equal(image.depth, DEPTHS[::-1])
    assert np.shares_memory(image.depth, np.frombuffer(image.encoded or b"", np.uint8))


@pytest.mark.parametrize(
    ("kind", "name", "given"), [(Image, "data", COLOURS), (DepthImage, "depth", DEPTHS)]
)
def test_who_gave_the_array_may_go_on_with_it(kind, name, given):
    mine = given.copy()
    image = kind(0, "camera", mine)
    mine[:] = 0
    assert np.array_equal(getattr(image, name), given)
    with pytest.raises(ValueError, match="read-only"):
        getattr(image, name)[0, 0] = 0


@pytest.mark.parametrize("image", [Image(7, "camera", COLOURS), DepthImage(7, "camera", DEPTHS)])
def test_what_was_received_is_not_copied_again(image):
    bytes_on_the_way = bytes(image.encoded)
    received = binding_of(type(image)).decode(bytes_on_the_way)
    assert received == image
    array = received.data if isinstance(image, Image) else received.depth
    assert np.shares_memory(array, np.frombuffer(bytes_on_the_way, np.uint8))
    assert binding_of(type(image)).encode(received) == image.encoded


@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda image: pickle.loads(pickle.dumps(image))],  # noqa: S301
)
def test_a_copy_is_sent_as_the_first(again):
    image = Image(7, "camera", COLOURS, "bgr8")
    assert again(image) == image
    assert binding_of(Image).encode(again(image)) == image.encoded


def test_a_changed_message_is_sent_as_it_was_changed():
    image = Image(7, "camera", COLOURS)
    later = dataclasses.replace(image, stamp_ns=8, data=COLOURS // 2)
    for changed in (dataclasses.replace(image, stamp_ns=8), later):
        assert binding_of(Image).decode(binding_of(Image).encode(changed)) == changed


def test_a_time_that_ros_cannot_say_is_told_when_it_is_sent():
    image = Image(LATER_THAN_ROS_CAN_SAY, "camera", COLOURS)
    with connect(session="far-future") as hub:
        subscription = hub.subscribe("image", Image)
        hub.publisher("image", Image).send(image)
        assert subscription.take() == image
    with pytest.raises(MessageError, match=r"header.stamp.sec: 4611686018 does not fit int32"):
        binding_of(Image).encode(image)


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [("UInt8", "uint8"), ("Int64", "int64"), ("Float32", "float32"), ("Float64", "float64")],
)
def test_arrays_in_any_order_of_memory_are_written_alike(kind, dtype):
    name, layout = f"std_msgs/msg/{kind}MultiArray", {"dim": [], "data_offset": 0}
    values = np.random.default_rng(2).integers(0, 200, (6, 5)).astype(dtype)
    flat = codec.encode(name, {"layout": layout, "data": values.T.ravel().tolist()})
    other_end = values.astype(values.dtype.newbyteorder(">"))
    for given in (values.T, other_end.T, np.ascontiguousarray(other_end.T)):
        assert codec.encode(name, {"layout": layout, "data": given}) == flat

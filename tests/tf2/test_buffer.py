# pyright: reportArgumentType=false
"""What tf2's buffer does beyond the conformance suite: waiting, stamps, texts, transformed data."""

import asyncio
import threading

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from horus_sim.hub.messages import LaserScan, PointCloud, String
from horus_sim.tf2 import (
    Buffer,
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    PointStamped,
    PoseStamped,
    Transform,
    TransformStamped,
    Vector3Stamped,
    do_transform,
    do_transform_cloud,
    do_transform_point,
    do_transform_pose,
    do_transform_pose_stamped,
    do_transform_vector3,
)

SECOND_NS = 1_000_000_000
LONG = 30.0


def stamped(parent, child, seconds, x=0.0, yaw=0.0):
    transform = Transform.from_euler((x, 0.0, 0.0), (0.0, 0.0, yaw))
    return TransformStamped(parent, child, round(seconds * SECOND_NS), transform)


@pytest.fixture
def buffer():
    found = Buffer()
    for second in range(1, 6):
        found.set_transform(stamped("odom", "base_link", second, x=second), "odometry")
    found.set_transform_static(stamped("base_link", "camera", 0, x=0.5), "urdf")
    return found


def test_target_comes_before_source_and_the_result_is_stamped(buffer):
    found = buffer.lookup_transform("odom", "camera", round(2.5 * SECOND_NS))
    assert (found.parent_frame, found.child_frame) == ("odom", "camera")
    assert found.stamp_ns == round(2.5 * SECOND_NS)
    np.testing.assert_allclose(found.transform.translation, (3.0, 0.0, 0.0))


@pytest.mark.parametrize("latest", [0, None, np.int64(0)])
def test_zero_is_the_latest_time(buffer, latest):
    found = buffer.lookup_transform("odom", "camera", latest)
    assert found.stamp_ns == 5 * SECOND_NS
    np.testing.assert_allclose(found.transform.translation, (5.5, 0.0, 0.0))
    assert buffer.get_latest_common_time("odom", "camera") == 5 * SECOND_NS


def test_stamps_where_nothing_moves(buffer):
    assert buffer.lookup_transform("base_link", "camera", 0).stamp_ns == 0
    assert buffer.lookup_transform("base_link", "camera", 7).stamp_ns == 7
    assert buffer.get_latest_common_time("base_link", "camera") == 0
    assert buffer.lookup_transform("base_link", "base_link", 0).stamp_ns == 5 * SECOND_NS


def test_time_travel(buffer):
    found = buffer.lookup_transform_full("base_link", 0, "base_link", 2 * SECOND_NS, "odom")
    assert found.stamp_ns == 5 * SECOND_NS
    np.testing.assert_allclose(found.transform.translation, (-3.0, 0.0, 0.0))
    point = PointStamped(2 * SECOND_NS, "base_link", (1.0, 0.0, 0.0))
    moved = buffer.transform_full(point, "base_link", 5 * SECOND_NS, "odom")
    assert (moved.stamp_ns, moved.frame_id, moved.point) == (
        5 * SECOND_NS,
        "base_link",
        (-2.0, 0.0, 0.0),
    )


def test_errors_have_the_names_of_tf2(buffer):
    buffer.set_transform_static(stamped("map", "door", 0))
    for error, arguments in (
        (LookupException, ("odom", "nowhere", 0)),
        (ConnectivityException, ("odom", "door", 0)),
        (ExtrapolationException, ("odom", "camera", 9 * SECOND_NS)),
        (InvalidArgumentException, ("odom", "", 0)),
        (InvalidArgumentException, ("odom", "camera", 1.5)),
    ):
        with pytest.raises(error):
            buffer.lookup_transform(*arguments)
    with pytest.raises(
        InvalidArgumentException, match=r"time must be integer nanoseconds, got 0\.0"
    ):
        buffer.lookup_transform("odom", "camera", 0.0)


def test_after_a_timeout_the_error_is_that_of_the_look_up(buffer):
    with pytest.raises(ExtrapolationException, match=r"is 1\.000 s after its newest sample"):
        buffer.lookup_transform("odom", "camera", 6 * SECOND_NS, timeout=0.01)
    with pytest.raises(LookupException, match="'nowhere' is not in the tree"):
        buffer.lookup_transform_full("nowhere", 0, "camera", 0, "odom", timeout=0.01)
    assert not buffer.can_transform_full("camera", 6 * SECOND_NS, "camera", 0, "odom", 0.01)


def test_the_reason_why_not(buffer):
    can, reason = buffer.can_transform("odom", "camra", 0, return_debug_tuple=True)
    assert not can
    assert "did you mean 'camera'" in reason
    full = ("base_link", 0, "base_link", 9 * SECOND_NS, "odom")
    can, reason = buffer.can_transform_full(*full, return_debug_tuple=True)
    assert not can
    assert "after its newest sample" in reason
    assert buffer.can_transform_full("odom", 0, "camera", 0, "odom", return_debug_tuple=True) == (
        True,
        "",
    )


def test_waiting_ends_when_the_transform_comes(buffer):
    later = threading.Timer(0.05, buffer.set_transform, [stamped("odom", "base_link", 6, x=6)])
    later.start()
    found = buffer.lookup_transform("odom", "base_link", 6 * SECOND_NS, LONG)
    assert found.transform.translation[0] == 6.0
    later.join()

    later = threading.Timer(0.05, buffer.set_transform, [stamped("odom", "base_link", 7, x=7)])
    later.start()
    found = buffer.lookup_transform_full(
        "base_link", 7 * SECOND_NS, "base_link", 6 * SECOND_NS, "odom", LONG
    )
    assert found.transform.translation[0] == -1.0
    later.join()


def test_a_coroutine_waits(buffer):
    async def wait():
        task = asyncio.create_task(buffer.lookup_transform_async("odom", "camera", 6 * SECOND_NS))
        await asyncio.sleep(0)
        assert not task.done()
        buffer.set_transform(stamped("odom", "base_link", 6, x=6))
        return await asyncio.wait_for(task, LONG)

    assert asyncio.run(wait()).transform.translation[0] == 6.5


def test_clear_keeps_what_is_fixed(buffer):
    buffer.clear()
    assert buffer.can_transform("base_link", "camera", 0)
    assert not buffer.can_transform("odom", "camera", 0)


def test_frames_as_text(buffer):
    assert set(buffer.get_frame_strings()) == {"odom", "base_link", "camera"}
    assert buffer.all_frames_as_string() == (
        "Frame base_link exists with parent odom.\nFrame camera exists with parent base_link.\n"
    )
    assert yaml.safe_load(buffer.all_frames_as_yaml()) == {
        "base_link": {
            "parent": "odom",
            "broadcaster": "odometry",
            "rate": 1.25,
            "most_recent_transform": 5.0,
            "oldest_transform": 1.0,
            "buffer_length": 4.0,
        },
        "camera": {
            "parent": "base_link",
            "broadcaster": "urdf",
            "rate": 10000.0,
            "most_recent_transform": 0.0,
            "oldest_transform": 0.0,
            "buffer_length": 0.0,
        },
    }
    assert yaml.safe_load(Buffer().all_frames_as_yaml()) == {}


numbers = st.floats(-100, 100)
vectors = st.tuples(numbers, numbers, numbers)
transforms = st.builds(Transform.from_euler, vectors, vectors)


@given(transforms, transforms, vectors)
def test_data_is_transformed_as_scipy_does_it(T_target_source, T_source_object, numbers):
    transform = TransformStamped("target", "source", 8, T_target_source)
    rotation = Rotation.from_quat(T_target_source.rotation)
    translation = T_target_source.translation

    point = do_transform_point(PointStamped(3, "source", numbers), transform)
    np.testing.assert_allclose(point.point, rotation.apply(numbers) + translation, atol=1e-9)
    vector = do_transform_vector3(Vector3Stamped(3, "source", numbers), transform)
    np.testing.assert_allclose(vector.vector, rotation.apply(numbers), atol=1e-9)
    pose = do_transform_pose_stamped(PoseStamped(3, "source", T_source_object), transform)
    wanted = np.eye(4)
    wanted[:3, :3], wanted[:3, 3] = rotation.as_matrix(), translation
    np.testing.assert_allclose(
        pose.pose.to_matrix(), wanted @ T_source_object.to_matrix(), atol=1e-9
    )
    assert do_transform_pose(T_source_object, transform) == pose.pose
    for moved in (point, vector, pose):
        assert (moved.stamp_ns, moved.frame_id) == (8, "target")


def test_a_cloud_keeps_what_belongs_to_its_points():
    transform = stamped("target", "source", 2, x=1.0, yaw=np.pi / 2)
    cloud = PointCloud(1, "source", [[1, 0, 0], [0, 2, 3]], [0.5, 0.6], [4, 5], [10, 20])
    moved = do_transform_cloud(cloud, transform)
    assert (moved.stamp_ns, moved.frame_id) == (2 * SECOND_NS, "target")
    np.testing.assert_allclose(moved.points, [[1, 1, 0], [-1, 0, 3]], atol=1e-6)
    assert moved.points.dtype == np.float32
    np.testing.assert_array_equal(moved.intensities, cloud.intensities)
    np.testing.assert_array_equal(moved.rings, cloud.rings)
    np.testing.assert_array_equal(moved.times_ns, cloud.times_ns)


def test_transform_takes_frame_and_time_from_the_data(buffer):
    point = PointStamped(3 * SECOND_NS, "camera", (1.0, 2.0, 3.0))
    moved = buffer.transform(point, "odom")
    assert moved == PointStamped(3 * SECOND_NS, "odom", (4.5, 2.0, 3.0))
    assert buffer.transform(moved, "camera") == point
    latest = buffer.transform(PointStamped(0, "camera"), "odom")
    assert latest == PointStamped(5 * SECOND_NS, "odom", (5.5, 0.0, 0.0))


def test_data_that_cannot_be_transformed(buffer):
    scan = LaserScan(SECOND_NS, "camera", 0.0, 0.1, 0.1, 10.0, [1.0])
    text = (
        "there is no transform for a LaserScan, only for PointCloud, PointStamped, PoseStamped, "
        r"Vector3Stamped; add one with @do_transform.register\(LaserScan\)"
    )
    with pytest.raises(InvalidArgumentException, match=text):
        buffer.transform(scan, "odom")
    with pytest.raises(InvalidArgumentException, match="a String cannot be transformed: it has no"):
        buffer.transform(String("x"), "odom")
    with pytest.raises(InvalidArgumentException, match="expected a TransformStamped, got 'x'"):
        buffer.set_transform_static("x")  # type: ignore[arg-type]


def test_a_type_of_ones_own_can_be_transformed(buffer):
    class Marker(PointStamped):
        pass

    @do_transform.register(Marker)
    def do_transform_marker(marker, transform):
        return Marker(transform.stamp_ns, transform.parent_frame, marker.point)

    assert isinstance(buffer.transform(Marker(SECOND_NS, "camera"), "odom"), Marker)

import asyncio
import threading

import pytest

from horus_sim.tf import (
    ExtrapolationError,
    InvalidTransformError,
    StaticTransformStamped,
    TFBuffer,
    TFMessage,
    TFTree,
    Transform,
    TransformStamped,
    TransformTimeoutError,
    UnknownFrameError,
)

# Longer than any of these waits takes; reached only when a wake-up is lost.
LONG = 30.0
QUARTER_TURN = Transform.from_euler((1, 2, 3), (0, 0, 1.5707963267948966))


@pytest.fixture
def buffer():
    buffer = TFBuffer()
    buffer.set_static_transform(StaticTransformStamped("base", "camera", QUARTER_TURN))
    buffer.set_transforms(
        TFMessage(
            TransformStamped("odom", "base", t, Transform((t / 100, 0, 0))) for t in (0, 100, 200)
        )
    )
    return buffer


def later(function, *arguments):
    """Runs it in a thread that surely begins after the caller went on to wait."""
    timer = threading.Timer(0.05, function, arguments)
    timer.start()
    return timer


def hook_is_set(tree):
    return tree.changes._waiting != 0


def test_messages_fill_the_tree(buffer):
    assert set(buffer.tree.get_all_frames()) == {"base", "camera", "odom"}
    assert buffer.lookup_transform("base", "odom", 150).translation[0] == 1.5


def test_data_is_transformed(buffer):
    assert buffer.transform_point((1, 0, 0), "camera", "base") == pytest.approx([1, 3, 3])
    assert buffer.transform_vector((1, 0, 0), "camera", "base") == pytest.approx([0, 1, 0])
    assert buffer.transform_points([[1, 0, 0]], "camera", "base")[0] == pytest.approx([1, 3, 3])
    pose = buffer.transform_pose(Transform((1, 0, 0)), "camera", "odom", 100)
    assert pose.translation == pytest.approx([2, 3, 3])
    assert buffer.transform_point((0, 0, 0), "base", "odom", 300, predict=True)[0] == 3.0
    assert buffer.transform_vector((1, 0, 0), "base", "odom", 300, tolerance_ns=100)[0] == 1.0


def test_time_travel(buffer):
    # Where base was at 0, seen from where it was at 200: two metres behind.
    T = buffer.lookup_full("base", 0, "base", 200, "odom")
    assert T.translation.tolist() == [-2, 0, 0]
    with pytest.raises(UnknownFrameError, match="'map' is not in the tree"):
        buffer.lookup_full("base", 0, "base", 200, "map")


def test_the_wrong_message_type(buffer):
    static = StaticTransformStamped("a", "b", Transform())
    with pytest.raises(InvalidTransformError, match="expected a TransformStamped, got Static"):
        buffer.set_transform(static)
    with pytest.raises(InvalidTransformError, match="expected a TFMessage"):
        buffer.set_transforms(static)


def test_what_is_known_needs_no_wait(buffer):
    assert buffer.wait_for_transform("base", "odom", 100, timeout=0.0).translation[0] == 1.0
    assert buffer.can_transform("base", "odom", 100)
    assert buffer.lookup_transform("base", "odom", 100, timeout=LONG).translation[0] == 1.0
    assert not buffer.can_transform("base", "odom", 300)


def test_waiting_for_a_sample_a_static_frame_and_a_batch(buffer):
    tree = buffer.tree
    later(tree.add_transform, "odom", "base", Transform((4, 0, 0)), 400)
    assert buffer.wait_for_transform("base", "odom", 300, LONG).translation[0] == 3.0
    later(tree.add_static_transform, "odom", "dock", Transform((9, 0, 0)))
    assert buffer.lookup_transform("dock", "odom", timeout=LONG).translation[0] == 9.0
    later(tree.add_transforms, "odom", "arm", [0, 10], [[0, 0, 0], [1, 0, 0]], [[0, 0, 0, 1]] * 2)
    assert buffer.can_transform("arm", "odom", 5, timeout=LONG)
    assert not hook_is_set(tree)


def test_waiting_honours_tolerance_and_prediction(buffer):
    assert buffer.wait_for_transform("base", "odom", 300, 0.0, predict=True).translation[0] == 3.0
    held = buffer.lookup_transform("base", "odom", 300, LONG, tolerance_ns=100)
    assert held.translation[0] == 2.0
    assert buffer.can_transform("base", "odom", 300, 0.0, tolerance_ns=100)


def test_the_time_is_up(buffer):
    with pytest.raises(
        TransformTimeoutError, match=r"no transform 'base' -> 'odom' within 0.01 s:"
    ) as info:
        buffer.wait_for_transform("base", "odom", 300, timeout=0.01)
    assert isinstance(info.value, TimeoutError)
    assert isinstance(info.value.__cause__, ExtrapolationError)
    assert info.value.__cause__.newest_ns == 200
    assert not buffer.can_transform("base", "odom", 300, timeout=0.01)
    with pytest.raises(TransformTimeoutError, match="'dock' is not in the tree"):
        buffer.lookup_transform("dock", "odom", timeout=0.01)
    assert not hook_is_set(buffer.tree)


def test_a_mistake_is_not_waited_for(buffer):
    with pytest.raises(InvalidTransformError, match=r"time must be integer nanoseconds, got 0\.5"):
        buffer.wait_for_transform("base", "odom", 0.5, timeout=LONG)
    assert not hook_is_set(buffer.tree)


def test_several_buffers_and_threads_wait_for_one_tree():
    tree = TFTree()
    found = []
    threads = [
        threading.Thread(
            target=lambda name=f"f{i}": found.append(
                TFBuffer(tree).wait_for_transform(name, "world", timeout=LONG).translation[0]
            )
        )
        for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for i in range(8):
        tree.add_static_transform("world", f"f{i}", Transform((i, 0, 0)))
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(8))
    assert not hook_is_set(tree)


def test_the_async_twin(buffer):
    async def main():
        waiting = asyncio.create_task(
            buffer.wait_for_transform_async("base", "odom", 300, timeout=LONG)
        )
        ticks = 0
        while ticks < 3:  # the loop goes on meanwhile
            await asyncio.sleep(0)
            ticks += 1
        later(buffer.tree.add_transform, "odom", "base", Transform((4, 0, 0)), 400)
        return await waiting

    assert asyncio.run(main()).translation[0] == 3.0
    assert not hook_is_set(buffer.tree)


def test_the_async_twin_gives_up_and_can_be_cancelled(buffer):
    async def main():
        with pytest.raises(TransformTimeoutError, match="'dock' is not in the tree"):
            await buffer.wait_for_transform_async("dock", "odom", timeout=0.01)
        waiting = asyncio.create_task(buffer.wait_for_transform_async("dock", "odom"))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(main())
    assert not hook_is_set(buffer.tree)


def test_an_exception_while_waiting_leaves_no_hook(buffer, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(buffer.tree.changes._condition, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        buffer.wait_for_transform("dock", "odom", timeout=LONG)
    assert not hook_is_set(buffer.tree)

"""Transforms that are not there yet: wait for them in a thread or a coroutine, or read the error.

A measurement often arrives before the pose that belongs to it. `wait_for_transform` sleeps until
the pose is in. Every error names the culprit, the cause and the remedy.
"""

from __future__ import annotations

import asyncio
import threading
import time

from horus_sim.tf import TFBuffer, TFError, TFTree, Transform

SECOND_NS = 1_000_000_000


def publish(tree: TFTree, stamp_ns: int) -> None:
    """Store the pose of a robot that drives at 1 m/s."""
    tree.add_transform("odom", "base_link", Transform((stamp_ns * 1e-9, 0.0, 0.0)), stamp_ns)


def wait_in_a_thread(buffer: TFBuffer) -> None:
    """Another thread publishes 0.2 s from now; this one sleeps until then."""
    publisher = threading.Timer(0.2, publish, args=(buffer.tree, SECOND_NS))
    start = time.monotonic()
    publisher.start()
    T_odom_base = buffer.wait_for_transform("base_link", "odom", SECOND_NS, timeout=5.0)
    waited = time.monotonic() - start
    print(f"thread: x {T_odom_base.translation[0]:.1f} m after a wait of {waited:.1f} s")


async def wait_in_a_coroutine(buffer: TFBuffer) -> None:
    """While one task waits, the event loop goes on, and this coroutine can publish."""
    waiting = asyncio.create_task(
        buffer.wait_for_transform_async("base_link", "odom", 2 * SECOND_NS, timeout=5.0)
    )
    await asyncio.sleep(0.2)
    publish(buffer.tree, 2 * SECOND_NS)
    T_odom_base = await waiting
    print(f"coroutine: x {T_odom_base.translation[0]:.1f} m")


def main() -> None:
    """Wait twice, then make the usual mistakes."""
    buffer = TFBuffer()
    tree = buffer.tree
    wait_in_a_thread(buffer)
    asyncio.run(wait_in_a_coroutine(buffer))

    tree.add_static_transform("hand", "finger", Transform.identity())
    late_ns = 3 * SECOND_NS
    mistakes = {
        "a typing error": lambda: tree.lookup_transform("base_lnk", "odom"),
        "no connection": lambda: tree.lookup_transform("finger", "odom"),
        "too early": lambda: tree.lookup_transform("base_link", "odom", 0),
        "too late": lambda: tree.lookup_transform("base_link", "odom", late_ns),
        "nobody publishes": lambda: buffer.wait_for_transform("base_link", "odom", late_ns, 0.1),
        "a circle": lambda: tree.add_static_transform("base_link", "odom", Transform.identity()),
    }
    for name, mistake in mistakes.items():
        try:
            mistake()
        except TFError as error:
            print(f"\n{name}: {type(error).__name__}\n  {error}")


if __name__ == "__main__":
    main()

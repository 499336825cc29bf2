"""What streaming costs the server: frames of 30 and 200 bodies at 60 Hz, a cloud at 10 Hz.

CPU time of the whole process while one client, in a process of its own, takes everything, less the
CPU time of the same simulation without a client.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np

from horus_sim.sim3d import Scene, World
from horus_sim.ui.frames import cloud_frame
from horus_sim.ui.server import Server, ServerConfig
from horus_sim.ui.session import Session

SECONDS = 5.0
POINTS = 11_520
CLOUD_HZ = 10.0
RESULTS = Path(__file__).parent / "results" / "ui.json"


def scene(bodies: int) -> Scene:
    """Boxes at rest on a plane, far enough from each other."""
    side = int(np.ceil(np.sqrt(bodies)))
    boxes = [
        {
            "name": f"box_{i}",
            "shape": {"kind": "box", "size": [0.2, 0.2, 0.2]},
            "pose": {"xyz": [0.5 * (i % side), 0.5 * (i // side), 0.1]},
            "dynamic": i < 10,
        }
        for i in range(bodies)
    ]
    return Scene.model_validate(
        {"objects": [{"name": "ground", "shape": {"kind": "plane"}}, *boxes]}
    )


def listen(address: str, count: Any) -> None:  # noqa: ANN401 - a shared number
    """Takes and acknowledges every message, as a browser does."""
    from websockets.sync.client import connect

    names = {1: "poses", 3: "cloud:0"}
    with connect(address, compression=None) as socket:
        socket.send(json.dumps({"want": ["poses", "cloud"]}))
        while True:
            message = socket.recv()
            count.value += 1
            socket.send(json.dumps({"ack": names[int(message[0])]}))


def measure(session: Session, seconds: float) -> tuple[float, float]:
    """CPU time [s] of this process, and the real-time factor, over a while."""
    points = np.random.default_rng(0).normal(size=(POINTS, 3))
    began, cpu = time.perf_counter(), time.process_time()
    simulated = session.simulation.status.time
    while time.perf_counter() - began < seconds:
        if session.stream.is_wanted("cloud"):
            session.stream.publish("cloud:0", cloud_frame(points, (0, 0, 0), 0.0))
        time.sleep(1.0 / CLOUD_HZ)
    passed = time.perf_counter() - began
    return time.process_time() - cpu, (session.simulation.status.time - simulated) / passed


def main() -> None:
    """Prints a table and writes JSON."""
    rows = []
    with Session(World.load(scene(30))) as session:
        server = Server(session, ServerConfig(port=0))
        with server.in_thread():
            for bodies in (30, 200):
                session.simulation.replace(World.load(scene(bodies))).result()
                time.sleep(1.0)
                alone, _ = measure(session, SECONDS)
                count = multiprocessing.get_context("spawn").Value("i", 0)
                address = server.address.replace("http", "ws") + "horus/stream"
                client = multiprocessing.get_context("spawn").Process(
                    target=listen, args=(address, count), daemon=True
                )
                client.start()
                while not session.stream.is_wanted("poses"):
                    time.sleep(0.05)
                time.sleep(0.5)
                before = count.value
                streaming, factor = measure(session, SECONDS)
                frames = count.value - before
                client.terminate()
                client.join()
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                row = {
                    "bodies": bodies,
                    "messages_per_s": frames / SECONDS,
                    "cpu_ms_per_message": 1000 * (streaming - alone) / frames,
                    "real_time_factor": factor,
                    "memory_mb": memory,
                }
                rows.append(row)
                print("  ".join(f"{key} {value:.3g}" for key, value in row.items()))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()

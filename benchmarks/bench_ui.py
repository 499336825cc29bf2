"""What streaming costs the server: frames of 30 and 200 bodies at 60 Hz, a cloud at 10 Hz.

CPU time of the whole process while one client, in a process of its own, takes everything, less the
CPU time of the same simulation without a client. The 2D runner with 200 bodies is measured with its
whole page in a real browser: CPU time of the server process for each of its 30 frames a second.
Last, what each page transfers when a browser opens it for the first time: compressed bytes over
HTTP, all of them and those of files that are not NiceGUI's.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import shutil
import tempfile
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
BODIES_2D = 200
CLOUD_HZ = 10.0
PAGES = ("/", "/tf", "/sim2d", "/design", "/arm")
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


def measure_2d(session: Session, server: Server, path: str) -> dict[str, Any]:
    """Server CPU a frame of the 2D runner's page in the browser at `path`."""
    from playwright.sync_api import sync_playwright

    from horus_sim.sim2d import Scenario, WorldConfig, load_scenario, save_scenario
    from horus_sim.ui.runner2d.runs import Runs, Wish

    side = 15
    boxes = [
        {
            "name": f"box_{i}",
            "body": {
                "name": f"box_{i}",
                "points": [[-0.02, -0.02], [0.02, -0.02], [0.02, 0.02], [-0.02, 0.02]],
                "pose": [0.1 * (i % side) - 0.7, 0.1 * (i // side) + 1.0, 0.0],
            },
        }
        for i in range(BODIES_2D)
    ]
    follower = load_scenario("line_follower")
    world = follower.world.model_copy(
        update={"shape_objects": WorldConfig.model_validate({"shape_objects": boxes}).shape_objects}
    )
    folder = session.folder / "many"
    save_scenario(Scenario(follower.config, world, follower.robots), folder)
    if follower.folder is not None:
        shutil.copy(follower.folder / "controller.py", folder)
    runs = Runs.of(session)
    wish = Wish(runs.scenarios.allow(folder))
    runner = runs.claim(wish).runner
    runner.open(wish.place, wish.options).result()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(server.link(wish.link))
        page.wait_for_selector('[data-scene="many"][data-time]')
        runner.run(running=True).result()
        page.wait_for_timeout(2000)
        began, cpu, frames = time.perf_counter(), time.process_time(), runner.frames
        page.wait_for_timeout(1000 * SECONDS)
        cpu, frames = time.process_time() - cpu, runner.frames - frames
        passed = time.perf_counter() - began
        runner.run(running=False).result()
        browser.close()
    return {
        "bodies_2d": BODIES_2D,
        "frames_per_s": frames / passed,
        "server_cpu_ms_per_frame": 1000 * cpu / frames,
    }


def measure_transfer(server: Server, path: str) -> list[dict[str, Any]]:
    """Bytes over HTTP of each page for a new visitor."""
    from importlib.resources import files

    from playwright.sync_api import sync_playwright

    own_files = {file.name for file in Path(str(files("horus_sim.ui"))).rglob("*.js")}
    rows = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name in PAGES:
            context = browser.new_context()
            page = context.new_page()
            network = context.new_cdp_session(page)
            network.send("Network.enable")
            urls: dict[str, str] = {}
            sizes: dict[str, float] = {}
            network.on(
                "Network.responseReceived",
                lambda event, urls=urls: urls.update(
                    {event["requestId"]: event["response"]["url"]}
                ),
            )
            network.on(
                "Network.loadingFinished",
                lambda event, sizes=sizes: sizes.update(
                    {event["requestId"]: event["encodedDataLength"]}
                ),
            )
            page.goto(server.link(name), wait_until="networkidle")
            page.wait_for_timeout(2000)
            own = (
                size
                for request, size in sizes.items()
                if "/_nicegui/" not in urls[request] or Path(urls[request]).name in own_files
            )
            rows.append(
                {
                    "page": name,
                    "own_kb": sum(own) / 1000,
                    "all_kb": sum(sizes.values()) / 1000,
                }
            )
            context.close()
        browser.close()
    return rows


def show(row: dict[str, Any]) -> None:
    """Prints one line of figures."""
    print(
        "  ".join(
            f"{key} {value if isinstance(value, str) else format(value, '.3g')}"
            for key, value in row.items()
        )
    )


def main() -> None:
    """Prints a table and writes JSON."""
    rows: list[dict[str, Any]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Session(World.load(scene(30)), folder=Path(folder)) as session,
    ):
        server = Server(session, ServerConfig(port=0))
        with server.in_thread():
            for bodies in (30, 200):
                session.simulation.replace(World.load(scene(bodies))).result()
                time.sleep(1.0)
                alone, _ = measure(session, SECONDS)
                count = multiprocessing.get_context("spawn").Value("i", 0)
                address = server.link("/horus/stream").replace("http", "ws", 1)
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
                show(row)
            session.simulation.pause().result()
            if (path := shutil.which("chromium")) is None:
                print("no chromium: the pages were not measured (scripts/system-deps.sh)")
            else:
                for row in (
                    measure_2d(session, server, path),
                    *measure_transfer(server, path),
                ):
                    rows.append(row)
                    show(row)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()

"""What streaming costs the server: frames of 30 and 200 bodies at 60 Hz, a cloud at 10 Hz.

CPU time of the whole process while one client, in a process of its own, takes everything, less the
CPU time of the same simulation without a client. The 2D runner with 200 and 1,000 bodies, all of
which move, is measured with its whole page in a real browser: frames that it draws a second, of the
30 that the simulation makes, and CPU time of the server and the browser for each. Last, what
each page transfers when a browser opens it for the first time: compressed bytes over HTTP, all of
them and those of files that are not NiceGUI's.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from horus_sim.sim3d import Scene, World
from horus_sim.ui.serving import open_site
from horus_sim.ui.shell.server import Server, ServerConfig
from horus_sim.ui.shell.site import Site
from horus_sim.ui.stream.frames import cloud_frame
from horus_sim.ui.world.model.session import WorldSession, WorldSessions

SECONDS = 5.0
POINTS = 11_520
BODIES_2D = (200, 1000)
CLOUD_HZ = 10.0
PAGES = ("/", "/tf", "/sim2d", "/design", "/arm")
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
BROWSER_ARGUMENTS = ("--no-sandbox", "--disable-gpu-rasterization")
COUNT_DRAWN = """() => {
  window.drawn = 0;
  new MutationObserver(() => { window.drawn += 1; }).observe(
    document.querySelector("[data-scene]"), { attributes: true, attributeFilter: ["data-time"] });
}"""
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

    with connect(address, compression=None) as socket:
        socket.send(json.dumps({"want": ["poses", "cloud"]}))
        while True:
            message = socket.recv(decode=False)
            count.value += 1
            # The length of the channel's name, and the name.
            length = int.from_bytes(message[:4], "little")
            socket.send(json.dumps({"ack": message[4 : 4 + length].decode()}))


def measure(session: WorldSession, seconds: float) -> tuple[float, float]:
    """CPU time [s] of this process, and the real-time factor, over a while."""
    points = np.random.default_rng(0).normal(size=(POINTS, 3))
    began, cpu = time.perf_counter(), time.process_time()
    simulated = session.simulation.status.time
    while time.perf_counter() - began < seconds:
        if session.site.stream.is_wanted("cloud"):
            session.site.stream.publish("cloud:0", cloud_frame(points, (0, 0, 0), 0.0))
        time.sleep(1.0 / CLOUD_HZ)
    passed = time.perf_counter() - began
    return time.process_time() - cpu, (session.simulation.status.time - simulated) / passed


def scatter(bodies: int) -> dict[str, Any]:
    """A world of circles and polygons without friction, in walls that they bounce off."""
    side = int(np.ceil(np.sqrt(bodies)))
    material = {"friction": 0.0, "restitution": 1.0, "custom": {"ground_friction": 0.0}}
    objects = []
    for i in range(bodies):
        turns = 2 * np.pi * np.arange(3 + i % 4) / (3 + i % 4)
        outline = (0.035 * np.column_stack([np.cos(turns), np.sin(turns)])).tolist()
        body = {
            "name": f"body_{i}",
            "pose": [0.12 * (i % side), 0.12 * (i // side), float(i % 6)],
            "mass": 0.1,
            "inertia": 1e-4,
            "material": {**material, "color": [60 + i % 150, 200 - i % 140, 90 + i % 120]},
            **({"radius": 0.03} if i % 2 else {"points": outline}),
        }
        objects.append({"name": f"body_{i}", "body": body})
    far = 0.12 * side + 0.2
    bounds = {"min_x": -0.3, "min_y": -0.3, "max_x": far, "max_y": far}
    return {"name": f"scatter_{bodies}", "shape_objects": objects, "bounds": bounds}


def browser_cpu() -> float:
    """CPU time [s] of all processes of the browser, which are below this one."""
    parents, times = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = stat.read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:  # it has just ended
            continue
        fields = rest.split()
        parents[int(stat.parent.name)] = int(fields[1])
        if name.startswith("chrom"):
            ticks = int(fields[11]) + int(fields[12])
            times[int(stat.parent.name)] = ticks / os.sysconf("SC_CLK_TCK")

    def is_ours(process: int) -> bool:
        while process > 1 and process != os.getpid():
            process = parents.get(process, 0)
        return process == os.getpid()

    return sum(seconds for process, seconds in times.items() if is_ours(process))


def measure_2d(site: Site, server: Server, path: str, bodies: int) -> dict[str, Any]:
    """Frames a second of the 2D runner's page in the browser at `path`, and what they cost."""
    from playwright.sync_api import sync_playwright

    from horus_sim.sim2d import Scenario, WorldConfig, load_scenario, save_scenario
    from horus_sim.ui.runner.model.run_address import RunAddress
    from horus_sim.ui.runner.model.runs import Runs

    follower = load_scenario("line_follower")
    world = WorldConfig.model_validate(scatter(bodies))
    folder = site.folder / world.name
    save_scenario(Scenario(follower.config, world, follower.robots), folder)
    if follower.folder is not None:
        shutil.copy(follower.folder / "controller.py", folder)
    runs = Runs.of(site)
    address = RunAddress(runs.scenarios.allow(folder))
    runner = runs.open(address)
    runner.open(address.place, address.options).result()
    each = "b.set_velocity(0.3 * math.cos(k), 0.3 * math.sin(k), 2.0 * math.cos(3 * k))"
    runner.ask("evaluate", text=f"[{each} for k, b in enumerate(sim.bodies.values())]").result()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=BROWSER_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(server.link(address.link))
        page.wait_for_selector(f'[data-scene="{world.name}"][data-time]')
        runner.play().result()
        page.wait_for_timeout(2000)
        page.evaluate(COUNT_DRAWN)
        began, cpu, seen, frames = (
            time.perf_counter(),
            time.process_time(),
            browser_cpu(),
            runner.frames,
        )
        simulated = runner.status.time
        page.wait_for_timeout(1000 * SECONDS)
        cpu, frames = time.process_time() - cpu, runner.frames - frames
        drawn, seen = page.evaluate("drawn"), browser_cpu() - seen
        passed = time.perf_counter() - began
        simulated = runner.status.time - simulated
        browser.close()
    runs.leave(runner)
    return {
        "bodies_2d": bodies,
        "frames_per_s": frames / passed,
        "drawn_per_s": drawn / passed,
        "server_cpu_ms_per_frame": 1000 * cpu / frames,
        "browser_cpu_ms_per_drawn": 1000 * seen / drawn,
        "real_time_factor": simulated / passed,
    }


def measure_transfer(server: Server, path: str) -> list[dict[str, Any]]:
    """Bytes over HTTP of each page for a new visitor."""
    from importlib.resources import files

    from playwright.sync_api import sync_playwright

    own_files = {file.name for file in Path(str(files("horus_sim.ui"))).rglob("*.js")}
    rows = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=BROWSER_ARGUMENTS)
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
        open_site(Path(folder)) as site,
    ):
        session = WorldSessions.of(site).open(World.load(scene(30)))
        server = Server(site, ServerConfig(port=0))
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
                while not session.site.stream.is_wanted("poses"):
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
            path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
            if path is None:
                print("no chromium: the pages were not measured (scripts/system-deps.sh)")
            else:
                for row in (
                    *(measure_2d(site, server, path, bodies) for bodies in BODIES_2D),
                    *measure_transfer(server, path),
                ):
                    rows.append(row)
                    show(row)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()

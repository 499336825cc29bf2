"""How long programs take to start: imports, the command line, and the first page.

Each row is new processes, with compiled modules and files in the system's cache. The page is that
of the warehouse: until its address is printed, and until a client has it and every file that it
names. Run it on an idle machine:

    pip install 'horus-sim[ui]'
    python benchmarks/bench_start.py

Prints a table and writes benchmarks/results/bench_start.json.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass
from http.cookiejar import CookieJar
from pathlib import Path

from rich.console import Console
from rich.table import Table

REPEATS = 5
GIVE_UP_S = 120.0
PROGRAM = Path(sys.executable).with_name("horus-sim")
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*")
TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class Row:
    """What is started, the median times until it is done [s], and what they should be below."""

    what: str
    wall: float
    cpu: float
    goal: float | None


def run_once(*command: object) -> tuple[float, float]:
    """Wall and CPU time of a process from its start to its end [s]."""
    began = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"error: {command} ended with {process.returncode}")
    return wall, usage.ru_utime + usage.ru_stime


def cpu_of(pid: int) -> float:
    """CPU time that a running process has had [s], to a tick of the system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def serve_once() -> tuple[tuple[float, float], tuple[float, float]]:
    """Wall and CPU time until the page's address is printed, and until all of it is fetched."""
    with tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        server = subprocess.Popen(
            [PROGRAM, "sim3d", "warehouse", "--no-open", "--port", "0"],
            stdout=output,
            stderr=output,
        )
        try:
            while (found := ADDRESS.search(text_of(output.fileno()))) is None:
                if server.poll() is not None or time.perf_counter() - began > GIVE_UP_S:
                    raise SystemExit(f"error: no page was served: {text_of(output.fileno())}")
                time.sleep(0.005)
            printed = time.perf_counter() - began, cpu_of(server.pid)
            fetch(found[0])
            return printed, (time.perf_counter() - began, cpu_of(server.pid))
        finally:
            server.terminate()
            server.wait()


def text_of(descriptor: int) -> str:
    """All that is in an open file."""
    return os.pread(descriptor, 1 << 20, 0).decode()


def fetch(address: str) -> None:
    """Takes a page and every file that it names, as a browser with an empty cache does."""
    client = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    page = client.open(address, timeout=GIVE_UP_S).read().decode()
    for part in sorted(set(re.findall(r"(?:src|href)=\"([^\"#]+)\"", page))):
        client.open(urllib.parse.urljoin(address, part), timeout=GIVE_UP_S).read()


def row(what: str, times: list[tuple[float, float]], goal: float | None = None) -> Row:
    """The medians of several starts."""
    walls, cpus = zip(*times, strict=True)
    return Row(what, statistics.median(walls), statistics.median(cpus), goal)


def repeat(run: Callable[[], tuple[float, float]]) -> list[tuple[float, float]]:
    """Times of several starts, after one that fills the caches."""
    run()
    return [run() for _ in range(REPEATS)]


def imports(statement: str, goal: float | None = None) -> Row:
    """A Python that runs one statement."""
    return row(statement, repeat(lambda: run_once(sys.executable, "-c", statement)), goal)


def main() -> None:
    """Measures, prints and writes."""
    serve_once()
    pages = [serve_once() for _ in range(REPEATS)]
    rows = [
        imports("pass"),
        imports("import horus_sim"),
        imports("import horus_sim.sim3d", 1.0),
        imports("from horus_sim.sim3d import World", 1.0),
        row("horus-sim --version", repeat(lambda: run_once(PROGRAM, "--version")), 0.15),
        row("horus-sim sim3d warehouse, address printed", [page[0] for page in pages]),
        row("the same, page and its files fetched", [page[1] for page in pages], 3.0),
    ]
    table = Table(title="From the start of a process, s, medians")
    for column in ("what", "wall", "CPU", "goal"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for each in rows:
        goal = "" if each.goal is None else f"{each.goal:g}"
        table.add_row(each.what, f"{each.wall:.3f}", f"{each.cpu:.3f}", goal)
    console = Console(width=100)
    console.print(table)
    console.print(f"Load of the machine: {os.getloadavg()[0]:.1f}")
    path = Path(__file__).parent / "results" / "bench_start.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([asdict(each) for each in rows], indent=2) + "\n")
    console.print(f"Written to {path}")


if __name__ == "__main__":
    main()

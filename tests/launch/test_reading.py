"""Launch files: what is read, and how mistakes are told."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import typer

from horus_sim.cli import sim2d, sim3d
from horus_sim.errors import HubError, LaunchError
from horus_sim.launch import Launch, LaunchNode, LaunchPage, LaunchWorld, load_launch
from horus_sim.launch.program import programs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("", encoding="utf-8")
    (tmp_path / "b.py").write_text("", encoding="utf-8")
    return tmp_path


def written(folder: Path, text: str, name: str = "x.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_with_all_keys(folder: Path):
    path = written(
        folder,
        """
session: demo
world: {scene: warehouse, seed: 3, page: {port: 9000}, robot: turtlebot3_waffle}
nodes:
  a:
    run: a.py
    args: [--rate, 10]
    remap: {scan: /burger/scan}
    env: {MODE: 2}
    after: [world, b]
    restart: on-failure
    restarts: 2
    required: true
    grace: 1
  b: {run: [python, b.py, 1.5]}
""",
    )
    launch = load_launch(path)
    assert launch.session == "demo"
    assert launch.world == LaunchWorld(
        scene="warehouse", seed=3, page=LaunchPage(port=9000), robot=("turtlebot3_waffle",)
    )
    world, b, a = programs(launch)
    assert (world.name, b.name, a.name) == ("world", "b", "a")
    assert b.words == ("python", "b.py", "1.5")
    assert a.words == (sys.executable, str(folder / "a.py"), "--rate", "10")
    assert a.after == ("world", "b")
    assert (a.restart, a.restarts, a.required, a.grace) == ("on-failure", 2, True, 1.0)
    assert a.variables == {
        "HORUS_SESSION_ID": "demo",
        "HORUS_NODE_NAME": "a",
        "HORUS_REMAP": "scan:=burger/scan",
        "MODE": "2",
    }
    assert world.required
    assert {program.folder for program in (world, a, b)} == {folder}


def test_a_python_file_defines_the_same(folder: Path):
    yaml = written(folder, "world: {scene: warehouse}\nnodes: {a: {run: a.py, after: world}}")
    plain = written(
        folder,
        """
from horus_sim.launch import Launch
launch = Launch(
    world={"scene": "warehouse"}, nodes={"a": {"run": "a.py", "after": ["world"]}}
)
""",
        "plain.launch.py",
    )
    function = written(
        folder,
        """
from beside import NAME
from horus_sim.launch import Launch, LaunchNode, LaunchWorld
def launch():
    return Launch(world=LaunchWorld(scene=NAME), nodes={"a": LaunchNode(run="a.py", after="world")})
""",
        "function.py",
    )
    written(folder, "NAME = 'warehouse'", "beside.py")
    assert load_launch(yaml) == load_launch(plain) == load_launch(function)
    assert str(folder) not in sys.path


def test_values_are_changed_from_outside(folder: Path):
    code = "from horus_sim.launch import Launch\nlaunch = Launch(world={'scene': 'warehouse'})"
    for path in (written(folder, "world: {scene: warehouse}"), written(folder, code, "x.py")):
        launch = load_launch(path, ["world.seed=7", "world.page=false"])
        assert launch.world == LaunchWorld(scene="warehouse", seed=7, page=None)


def test_paths_begin_at_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch):
    (folder / "deep").mkdir()
    path = written(folder / "deep", "folder: ..\nnodes: {a: {run: a.py}}")
    monkeypatch.chdir(folder.parent)
    (program,) = programs(load_launch(path))
    assert program.folder == folder
    assert program.words[1] == str(folder / "a.py")


def test_the_session_is_that_of_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HORUS_SESSION_ID", "of-shell")
    launch = load_launch(written(folder, "nodes: {a: {run: a.py}}"))
    assert programs(launch)[0].variables["HORUS_SESSION_ID"] == "of-shell"
    assert programs(launch, "given")[0].variables["HORUS_SESSION_ID"] == "given"
    with pytest.raises(HubError, match="is not a session name"):
        programs(launch, "a b")


def test_rules_around_a_launch_are_not_those_of_its_nodes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HORUS_REMAP", "a:=b")
    (program,) = programs(load_launch(written(folder, "nodes: {a: {run: a.py}}")))
    assert "HORUS_REMAP" not in program.environment()


MISTAKES = [
    ("", "x.yaml:1: there is nothing to start; add a 'world' or 'nodes'"),
    ("[1]", "a launch is a mapping with the keys 'world' and 'nodes'"),
    ("sesion: a", "x.yaml:1: sesion: unknown key 'sesion'; did you mean 'session'?"),
    ("session: a b", "x.yaml:1: session: 'a b' is not a session name"),
    ("world: {}", "x.yaml:1: world: give either a 'scene' (3D) or a 'scenario' (2D)"),
    (
        "world:\n  scene: warehouse\n  log: a.csv",
        "x.yaml:3: world.log: this goes with a 'scenario', and there is a 'scene'; remove it",
    ),
    (
        "world:\n  scenario: maze\n  duration: 3",
        "x.yaml:3: world.duration: a scenario has this without a page alone; add page: false",
    ),
    (
        "world: {scene: warehouse, page: {prt: 1}}",
        "x.yaml:1: world.page.prt: unknown key 'prt'; did you mean 'port'?",
    ),
    ("world: {scene: warehouse, seed: -1}", "world.seed: it is -1; it must be greater than or"),
    ("world: {scene: warehous}", "x.yaml:1: world.scene: no shipped scene is called 'warehous'"),
    ("world: {scenario: mase}", "world.scenario: there is no scenario 'mase'"),
    (
        "world: {scene: warehouse, record: out/run.mcap}",
        "out' for it; make the folder",
    ),
    ("nodes:\n  a: {run: c.py}", "x.yaml:2: nodes.a.run: there is no file '"),
    ("nodes:\n  a: {}", "x.yaml:2: nodes.a.run: this key is required; add it"),
    ("nodes:\n  a:\n    run: a.py\n    remaps: {}", "x.yaml:4: nodes.a.remaps: unknown key"),
    ("nodes:\n  a: {run: prog}", "nodes.a.run: 'prog' is not a Python file; write a command as"),
    ("nodes:\n  a: {run: []}", "nodes.a.run: it is []; write a Python file"),
    ("nodes:\n  a: {run: [ls, yes]}", "nodes.a.run: the word True of the command is not text"),
    ("nodes:\n  a: {run: [rso2, run]}", "nodes.a.run: there is no program 'rso2', neither as"),
    ("nodes:\n  a: {run: [./a.sh]}", "nodes.a.run: there is no program './a.sh'"),
    (
        "nodes:\n  a: {run: a.py, restart: sometimes}",
        "nodes.a.restart: it is 'sometimes'; write 'never', 'on-failure' or 'always'",
    ),
    (
        "nodes:\n  a: {run: a.py, remap: {'s n': b}}",
        "x.yaml:2: nodes.a.remap: 's n' is not a topic name",
    ),
    (
        "nodes:\n  a: {run: a.py, remap: {s: b, /s: c}}",
        "nodes.a.remap: it renames 's' twice, to 'b' and 'c'; remove one",
    ),
    ("nodes:\n  a: {run: a.py, env: {'a=b': c}}", "'a=b' cannot be a variable of the environment"),
    ("nodes:\n  a: {run: a.py, after: a}", "nodes.a.after: 'a' cannot start after itself"),
    ("nodes:\n  a: {run: a.py, after: world}", "nodes.a.after: there is no world to start after"),
    (
        "nodes:\n  left: {run: a.py}\n  b: {run: b.py, after: lft}",
        "x.yaml:3: nodes.b.after: there is no node 'lft' to start after; did you mean 'left'?",
    ),
    (
        "nodes:\n  c: {run: a.py, after: a}\n  a: {run: a.py, after: c}",
        "x.yaml:2: nodes.c.after: nodes wait for each other in a circle, 'c' after 'a', 'a' after",
    ),
    ("nodes:\n  world: {run: a.py}", "nodes.world: 'world' is no name for a node"),
    ("nodes:\n  a b: {run: a.py}", "nodes.a b: 'a b' is not a name of a node"),
    ("nodes: {a: {run: a.py}, a: {run: b.py}}", "the key 'a' is there twice"),
]


@pytest.mark.parametrize(("text", "error"), MISTAKES)
def test_mistakes_in_yaml(folder: Path, text: str, error: str):
    with pytest.raises(LaunchError, match=re.escape(error)):
        load_launch(written(folder, text))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x = 1", "x.py: it defines no 'launch'; write launch = Launch(...)"),
        ("launch = 3", "x.py: 'launch' gives 3; it must be a horus_sim.launch.Launch"),
        ("def launch():\n    return 1 / 0", "x.py:2: ZeroDivisionError: division by zero"),
        ("\nlaunch = Launch(", "x.py:2: SyntaxError"),
        (
            "\nimport no_such_module",
            "x.py:2: ModuleNotFoundError: No module named 'no_such_module'",
        ),
        (
            "from horus_sim.launch import Launch\nlaunch = Launch(world={'scene': 'a', 'sed': 1})",
            "x.py:2:\n  world: unknown key 'sed'; did you mean 'seed'?",
        ),
        (
            "from horus_sim.launch import Launch\nlaunch = Launch(nodes={'a': {'run': 'c.py'}})",
            "nodes.a.run: there is no file '",
        ),
    ],
)
def test_mistakes_in_python(folder: Path, text: str, error: str):
    with pytest.raises(LaunchError, match=re.escape(error)):
        load_launch(written(folder, text, "x.py"))


@pytest.mark.parametrize("name", ["none.yaml", "none.py"])
def test_a_file_that_is_not_there(folder: Path, name: str):
    with pytest.raises(LaunchError, match=rf"{name}: the file cannot be read .*give a launch file"):
        load_launch(folder / name)


def test_a_launch_is_frozen():
    launch = Launch(nodes={"a": LaunchNode(run="a.py")})
    with pytest.raises(ValueError, match="frozen"):
        launch.session = "b"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("command", "world"),
    [
        (
            sim3d.app,
            LaunchWorld(
                scene="warehouse",
                seed=1,
                duration=2.0,
                realtime=True,
                record="r.mcap",
                record_images="png",
                net="0.0.0.0:7447",
                url="zenoh://",
                horus=True,
                foxglove=True,
                foxglove_port=0,
                video="v.mp4",
                camera="c",
                robot=("turtlebot3_waffle", "b.urdf"),
                root=("r",),
                set={"physics.timestep": 0.002, "a": [1, "b"]},
            ),
        ),
        (
            sim2d.app,
            LaunchWorld(
                scenario="maze",
                page=None,
                seed=1,
                duration=2.0,
                realtime=False,
                record="r.mcap",
                net="0.0.0.0:7447",
                url="zenoh://",
                horus=True,
                foxglove=True,
                foxglove_port=0,
                log="l.csv",
                picture="p.svg",
                empty=True,
            ),
        ),
    ],
)
def test_every_key_is_an_option_of_the_command(command: typer.Typer, world: LaunchWorld):
    run = typer.main.get_command(command).commands["run"]  # type: ignore[attr-defined]
    context = run.make_context("run", world.words("demo")[2:])
    given = context.params
    page = world.page or LaunchPage()
    for key in world.model_fields_set - {"page", "set"}:
        name = {"scene": "scene", "scenario": "scenario"}.get(key, key)
        value = given[name]
        wanted = getattr(world, key)
        if isinstance(value, Path):
            value = str(value)
        if isinstance(value, list):
            value = tuple(str(each) for each in value)
        assert value == wanted, key
    assert given["session"] == "demo"
    assert given["headless"] == (world.page is None)
    assert (given["host"], given["port"], given["open_page"]) == (page.host, page.port, page.open)
    if world.set:
        assert given["overrides"] == ["physics.timestep=0.002", 'a=[1, "b"]']


def test_every_option_of_a_run_is_a_key():
    # What belongs to data sets makes no sense beside nodes; pages have a key of their own.
    apart = {"visual", "headless", "dataset", "frames", "every", "session", "overrides"}
    apart |= {"host", "port", "open_page"}
    for app in (sim3d.app, sim2d.app):
        run = typer.main.get_command(app).commands["run"]  # type: ignore[attr-defined]
        names = {parameter.name for parameter in run.params} - apart
        assert names <= set(LaunchWorld.model_fields)

"""Launches in a folder with files, each in a session of its own."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from .launched import Launched

Start = Callable[..., Launched]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for files, and a session for all that runs."""
    monkeypatch.setenv("HORUS_SESSION_ID", f"launch-{uuid.uuid4().hex[:12]}")
    return tmp_path


@pytest.fixture
def launch(folder: Path) -> Iterator[Start]:
    """Starts a launch: nodes by name, each with its code or its command, and other keys."""
    running: list[Launched] = []

    def start(
        nodes: Mapping[str, tuple[str | list[str], dict]] | None = None,
        options: tuple[str, ...] = (),
        **keys: object,
    ) -> Launched:
        entries: dict[str, dict] = {}
        for name, (code, more) in (nodes or {}).items():
            entries[name] = {"run": code if isinstance(code, list) else f"{name}.py", **more}
            if isinstance(code, str):
                (folder / f"{name}.py").write_text(code, encoding="utf-8")
        file = folder / "test.launch.yaml"
        file.write_text(yaml.safe_dump({"nodes": entries, **keys}), encoding="utf-8")
        running.append(Launched(file, *options))
        return running[-1]

    yield start
    for each in running:
        each.close()

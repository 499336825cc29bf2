"""Hints that name a command are right where they are printed."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import pytest

from horus_sim import installation

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture
def checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A checkout with a .venv that this interpreter seems to belong to."""
    folder = tmp_path / "a checkout"
    folder.mkdir()
    (folder / "run.sh").touch()
    monkeypatch.setattr(installation, "_CHECKOUT", folder)
    monkeypatch.setattr(sys, "prefix", str(folder / ".venv"))
    return folder


def test_in_a_checkout_its_script_is_named(checkout: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(checkout)
    assert installation.install_command("train") == "./run.sh install train"
    assert installation.command("rl list") == "./run.sh rl list"


def test_elsewhere_the_script_is_named_by_its_path(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.chdir(tmp_path)
    assert installation.command("rl list") == f"'{checkout}/run.sh' rl list"


def test_without_a_checkout_the_packages_of_the_extra_are_named(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(sys, "prefix", "/usr")
    assert installation.command("rl list") == "horus-sim rl list"
    assert installation.install_command("xacro") == "pip install 'xacro>=2.0'"
    told = installation.install_command("train")
    assert "'stable-baselines3>=2.6'" in told
    assert "'matplotlib>=3.8'" in told, "of an extra that this one consists of"
    assert "horus-sim" not in told


def test_without_metadata_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    def absent(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(sys, "prefix", "/usr")
    monkeypatch.setattr(metadata, "requires", absent)
    assert installation.install_command("zenoh") == "pip install 'horus-sim[zenoh]'"

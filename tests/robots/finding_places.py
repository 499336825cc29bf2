"""Folders and packages with small robots in them, as tests of finding put them up."""

from __future__ import annotations

from pathlib import Path

URDF = '<robot name="{}"><link name="base"/></robot>'
MJCF = (
    '<mujoco model="{}"><worldbody><body name="base"><geom size=".1"/></body></worldbody></mujoco>'
)


def put_files(folder: Path, files: dict[str, str]) -> Path:
    """Writes text files into a folder and gives the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def install(site: Path, name: str, files: dict[str, str]) -> None:
    """Puts a package up as pip does, with a record of its files."""
    put_files(site, files)
    record = "".join(f"{file},sha256=x,{len(text)}\n" for file, text in files.items())
    put_files(site / f"{name}-1.0.dist-info", {"RECORD": record})

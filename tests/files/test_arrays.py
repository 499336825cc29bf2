"""Files of arrays are checked before they are unpacked."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from horus_sim.errors import PolicyError
from horus_sim.files import arrays as module
from horus_sim.files.arrays import read_arrays

WHAT = "policy; train one"


def read(path: Path) -> dict[str, np.ndarray]:
    return read_arrays(path, PolicyError, WHAT)


def write(path: Path, header: str, data: bytes = b"", method: int = zipfile.ZIP_STORED) -> None:
    """An archive of one array, whatever its header says."""
    text = header.encode()
    content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.npy", content)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_are_as_numpy_reads_them(tmp_path, save):
    path = tmp_path / "a.npz"
    given = {
        "matrix": np.arange(6.0).reshape(2, 3),
        "fortran": np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
        "number": np.array(3.5),
        "text": np.array("text of ours"),
        "empty": np.zeros((0, 4)),
        "flags": np.array([True, False]),
    }
    save(path, **given)
    got = read(path)
    assert got.keys() == given.keys()
    for name, array in given.items():
        assert got[name].dtype == array.dtype
        assert got[name].shape == array.shape
        np.testing.assert_array_equal(got[name], array)


def header(shape: str, descr: str = "'<f8'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}\n"


@pytest.mark.parametrize(
    ("head", "cause"),
    [
        (header("(1000000000000,)"), r"'a\.npy' says shape \(1000000000000,\) and has 8 bytes"),
        (header("(-1,)"), r"'a\.npy' says shape \(-1,\)"),
        (header("(1,)", "'|O'"), "'a.npy' has the type object"),
        (header("(1,)", "[('a', '<f8')]"), "'a.npy' has the type"),
        (header("(1,)", "'<q99'"), "'a.npy' is not an array of NumPy: "),
        ("{" * 5000, "'a.npy' is not an array of NumPy: "),
        ("'''", "'a.npy' is not an array of NumPy: "),
        ("x" * 20_000, "'a.npy' is not an array of NumPy: "),
    ],
)
def test_forged_headers_are_refused(tmp_path, head, cause):
    path = tmp_path / "a.npz"
    write(path, head, bytes(8))
    with pytest.raises(PolicyError, match=rf"a\.npz holds no policy \({cause}.*\); train one"):
        read(path)


def test_what_unpacks_to_too_much_is_not_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, a=np.zeros(1_000_000))
    assert path.stat().st_size < 20_000
    monkeypatch.setattr(module, "MOST_BYTES", 1_000_000)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it unpacks"))
    with pytest.raises(PolicyError, match="it has 8000128 bytes unpacked, more than 1000000"):
        read(path)


def test_a_size_that_lies_gives_no_more_than_it_says(tmp_path):
    path = tmp_path / "a.npz"
    write(path, header("(100000,)"), bytes(800_000), zipfile.ZIP_DEFLATED)
    data = path.read_bytes()
    real = (800_000 + 10 + len(header("(100000,)"))).to_bytes(4, "little")
    assert data.count(real) == 2
    path.write_bytes(data.replace(real, (200).to_bytes(4, "little")))
    with pytest.raises(PolicyError, match="holds no policy"):
        read(path)


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "a.npz"
    stream = io.BytesIO()
    np.savez_compressed(stream, a=np.random.default_rng(0).normal(size=100))
    whole = stream.getvalue()
    for position in range(0, len(whole), 7):
        for damaged in (whole[:position], whole[:position] + b"\xff" + whole[position + 1 :]):
            path.write_bytes(damaged)
            try:
                got = read(path)
            except PolicyError:
                continue
            # A byte that nobody reads, such as that of a date.
            assert [array.shape for array in got.values()] == [(100,)]
    write(path, header("(1,)"), bytes(8), zipfile.ZIP_BZIP2)
    with pytest.raises(PolicyError, match=r"'a\.npy' is packed in a way that NumPy does not use"):
        read(path)
    with pytest.raises(PolicyError, match=r"none\.npz holds no policy \(.*No such file"):
        read(tmp_path / "none.npz")

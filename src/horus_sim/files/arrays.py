"""Arrays in NumPy's .npz format from anywhere: checked before anything is unpacked."""

from __future__ import annotations

import math
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from horus_sim.errors import HorusError

MOST_BYTES = 256_000_000
"""Of all arrays of a file together, unpacked."""
_MOST_ARRAYS = 1000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENDING = ".npy"
_UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
)
# Of the text that describes an array, which NumPy reads as Python.
_BAD_HEADER = (ValueError, SyntaxError, tokenize.TokenError, RecursionError, MemoryError)


def read_arrays(path: Path, error_type: type[HorusError], what: str) -> dict[str, npt.NDArray[Any]]:
    """All arrays of a file, by name: numbers and texts, never Python objects.

    Args:
        path: The file.
        error_type: Raised where the file is damaged, forged or larger than `MOST_BYTES` unpacked.
        what: What the file should hold and where to get it, for the error, such as "a policy; give
            the policy.npz of a training".

    Raises:
        HorusError: An error of the given type.
    """
    wanted, _, remedy = what.partition("; ")
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            _check_sizes(archive.infolist())
            return {
                info.filename.removesuffix(_ENDING): _read(archive, info)
                for info in archive.infolist()
            }
    except _UNREADABLE as error:
        raise error_type(f"{path} holds no {wanted} ({error}); {remedy}") from error


def _check_sizes(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > _MOST_ARRAYS:
        raise ValueError(f"it has {len(members)} arrays, more than {_MOST_ARRAYS}")
    # No more than this is unpacked, whatever the packed bytes hold.
    unpacked = sum(member.file_size for member in members)
    if unpacked > MOST_BYTES:
        raise ValueError(f"it has {unpacked} bytes unpacked, more than {MOST_BYTES}")
    for member in members:
        if member.flag_bits & 1 or member.compress_type not in _METHODS:
            raise ValueError(f"'{member.filename}' is packed in a way that NumPy does not use")


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> npt.NDArray[Any]:
    with archive.open(member) as stream:
        shape, is_fortran, dtype = _header(stream, member.filename)
        data = stream.read()
    if dtype.kind not in "biufU" or not dtype.itemsize:
        raise ValueError(f"'{member.filename}' has the type {dtype}")
    # The shape is only a claim; the bytes are there.
    if math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError(f"'{member.filename}' says shape {shape} and has {len(data)} bytes")
    array = np.frombuffer(data, dtype).reshape(shape, order="F" if is_fortran else "C")
    return np.ascontiguousarray(array).reshape(shape)


def _header(stream: IO[bytes], name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    try:
        version = np.lib.format.read_magic(stream)
        if version not in readers:
            raise ValueError(f"format {version}")
        shape, is_fortran, dtype = readers[version](stream)
    except _BAD_HEADER as error:
        cause = " ".join(str(error).split())
        raise ValueError(f"'{name}' is not an array of NumPy: {cause:.80}") from error
    if min(shape, default=0) < 0:
        raise ValueError(f"'{name}' says shape {shape}")
    return shape, is_fortran, dtype

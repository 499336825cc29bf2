"""Names of frames, cut to what a message can hold."""

from __future__ import annotations

import hashlib

from horus_sim.tf.messages import FRAME_NAME_BYTES

_DIGEST = 8


def frame_name(name: str) -> str:
    """The name of a frame: the name itself, or its end behind a digest where it is too long."""
    if len(name.encode()) <= FRAME_NAME_BYTES:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST]
    end = name.encode()[-(FRAME_NAME_BYTES - _DIGEST - 1) :].decode(errors="ignore")
    return f"{digest}~{end}"

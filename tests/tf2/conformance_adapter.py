"""tf2's buffer behind the interface of the shared conformance runner."""

from horus_sim.errors import CycleError
from horus_sim.tf2 import (
    Buffer,
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    Transform,
    TransformStamped,
)

_KINDS = (
    (LookupException, "unknown_frame"),
    (ConnectivityException, "disconnected"),
    (ExtrapolationException, "extrapolation"),
    (CycleError, "cycle"),
    (InvalidArgumentException, "invalid"),
)


class Adapter:
    def __init__(self):
        self.buffer = Buffer()

    @staticmethod
    def kind_of(error):
        return next((kind for error_type, kind in _KINDS if isinstance(error, error_type)), None)

    def add_static(self, parent, child, t, q):
        transform = TransformStamped(parent, child, 0, Transform(t, q))
        self.buffer.set_transform_static(transform, "conformance")

    def add(self, parent, child, t, q, stamp_ns):
        transform = TransformStamped(parent, child, stamp_ns, Transform(t, q))
        self.buffer.set_transform(transform, "conformance")

    def lookup(self, source, target, stamp_ns):
        found = self.buffer.lookup_transform(target, source, 0 if stamp_ns is None else stamp_ns)
        assert (found.parent_frame, found.child_frame) == (target.lstrip("/"), source.lstrip("/"))
        assert stamp_ns is None or found.stamp_ns == stamp_ns
        return _parts(found)

    def clear(self):
        self.buffer.clear()

    def frames(self):
        return self.buffer.get_frame_strings()

    def latest_common_time(self, source, target):
        return self.buffer.get_latest_common_time(target, source)

    def lookup_full(self, source, source_ns, target, target_ns, fixed):
        return _parts(
            self.buffer.lookup_transform_full(target, target_ns, source, source_ns, fixed)
        )

    def can(self, source, target, stamp_ns):
        time = 0 if stamp_ns is None else stamp_ns
        can, reason = self.buffer.can_transform(target, source, time, return_debug_tuple=True)
        assert can == self.buffer.can_transform(target, source, time)
        assert can == (reason == "")
        return can


def _parts(found):
    return found.transform.translation, found.transform.rotation

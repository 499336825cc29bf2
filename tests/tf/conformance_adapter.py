"""The transform tree behind the interface of the shared conformance runner."""

from horus_sim.tf import (
    CycleError,
    DisconnectedError,
    ExtrapolationError,
    InvalidTransformError,
    TFBuffer,
    TFTree,
    Transform,
    UnknownFrameError,
)

_KINDS = (
    (UnknownFrameError, "unknown_frame"),
    (DisconnectedError, "disconnected"),
    (ExtrapolationError, "extrapolation"),
    (CycleError, "cycle"),
    (InvalidTransformError, "invalid"),
)


class Adapter:
    def __init__(self):
        self.tree = TFTree()

    @staticmethod
    def kind_of(error):
        return next((kind for error_type, kind in _KINDS if isinstance(error, error_type)), None)

    def add_static(self, parent, child, t, q):
        self.tree.add_static_transform(parent, child, Transform(t, q))

    def add(self, parent, child, t, q, stamp_ns):
        self.tree.add_transform(parent, child, Transform(t, q), stamp_ns)

    def lookup(self, source, target, stamp_ns):
        return _parts(self.tree.lookup_transform(source, target, stamp_ns))

    def clear(self):
        self.tree.clear()

    def frames(self):
        return self.tree.get_all_frames()

    def latest_common_time(self, source, target):
        return self.tree.latest_common_time(source, target)

    def lookup_full(self, source, source_ns, target, target_ns, fixed):
        buffer = TFBuffer(self.tree)
        return _parts(buffer.lookup_full(source, source_ns, target, target_ns, fixed))

    def predict(self, source, target, stamp_ns):
        return _parts(self.tree.lookup_transform(source, target, stamp_ns, predict=True))

    def can(self, source, target, stamp_ns):
        return self.tree.can_transform(source, target, stamp_ns)

    def lookup_batch(self, source, target, stamps_ns):
        return self.tree.lookup_transforms(source, target, stamps_ns)


def _parts(transform):
    return transform.translation, transform.rotation

import horus_sim.tf2
from horus_sim.tf import ExtrapolationError, TFError, TransformTimeoutError
from horus_sim.tf2 import ExtrapolationException, TimeoutException, TransformException


def test_exported_names_are_those_of_tf2():
    assert horus_sim.tf2.__all__ == sorted(horus_sim.tf2.__all__)
    for name in horus_sim.tf2.__all__:
        assert hasattr(horus_sim.tf2, name)
    tf2_ros = {
        "Buffer",
        "TransformListener",
        "TransformBroadcaster",
        "StaticTransformBroadcaster",
        "LookupException",
        "ConnectivityException",
        "ExtrapolationException",
        "InvalidArgumentException",
        "TransformException",
        "TimeoutException",
    }
    message_filters = {
        "SimpleFilter",
        "Subscriber",
        "TimeSynchronizer",
        "ApproximateTimeSynchronizer",
    }
    assert tf2_ros | message_filters <= set(horus_sim.tf2.__all__)


def test_errors_are_the_same_under_both_names():
    assert ExtrapolationException is ExtrapolationError
    assert TransformException is TFError
    assert TimeoutException is TransformTimeoutError

"""Being called when a tree changes."""

from horus_sim.tf import TFTree, Transform


def test_callbacks_hear_every_change_until_they_are_unregistered():
    tree = TFTree()
    heard = []
    first = tree.changes.on_change(lambda: heard.append("first"))
    second = tree.changes.on_change(lambda: heard.append("second"))
    tree.add_transform("a", "b", Transform(), 0)
    assert heard == ["first", "second"]
    first()
    tree.add_static_transform("a", "c", Transform())
    assert heard[2:] == ["second"]
    second()
    second()
    tree.clear()
    assert len(heard) == 3


def test_a_callback_may_look_up_and_write():
    tree = TFTree()
    found = []

    def on_change():
        if tree.has_frame("c"):
            found.append(tree.lookup_transform("c", "a").translation[0])
        else:
            tree.add_static_transform("b", "c", Transform((1.0, 0.0, 0.0)))

    tree.changes.on_change(on_change)
    tree.add_transform("a", "b", Transform((1.0, 0.0, 0.0)), 0)
    assert found == [2.0]


def test_a_failing_callback_is_logged_and_others_are_called(caplog):
    tree = TFTree()
    heard = []

    def fail():
        raise ValueError("broken")

    tree.changes.on_change(fail)
    tree.changes.on_change(lambda: heard.append(1))
    tree.add_transform("a", "b", Transform(), 0)
    assert heard == [1]
    assert "a callback of on_change failed" in caplog.text
    assert tree.can_transform("a", "b")

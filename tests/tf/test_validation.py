from horus_sim.tf import TFTree, Transform


def _tree(*links):
    tree = TFTree()
    for parent, child in links:
        tree.add_static_transform(parent, child, Transform())
    return tree


def test_one_tree_is_fine():
    report = _tree(("world", "base"), ("base", "camera")).validate()
    assert report
    assert report.ok
    assert report.roots == ("world",)
    assert report.orphans == ()
    assert str(report) == "one tree, no problems"


def test_an_empty_tree_is_fine():
    assert TFTree().validate().roots == ()
    assert TFTree().validate()


def test_several_roots():
    report = _tree(("map", "odom"), ("world", "table")).validate()
    assert not report
    assert set(report.roots) == {"map", "world"}
    (problem,) = report.problems
    assert problem == (
        "2 trees with the roots 'map', 'world', between which nothing can be transformed; add a "
        "transform that joins them, such as 'map' -> 'world'."
    )


def test_an_orphan_and_its_return():
    tree = _tree(("world", "base"), ("base", "camera"), ("camera", "lens"))
    tree.remove_frame("base")
    report = tree.validate()
    assert report.orphans == ("camera",)
    assert set(report.roots) == {"world", "camera"}
    assert report.problems[0] == (
        "'camera' hangs from 'base', which was removed; add 'base' again or remove 'camera'."
    )
    tree.add_static_transform("world", "base", Transform())
    assert tree.validate()

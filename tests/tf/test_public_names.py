import ast
from pathlib import Path

import pytest

import horus_sim._native
import horus_sim.tf
from horus_sim._native import Transform, Tree

_STUB = Path(horus_sim._native.__file__).with_name("_core.pyi")


def test_exported_names():
    assert sorted(horus_sim.tf.__all__) == [
        "CycleError",
        "DisconnectedError",
        "ExtrapolationError",
        "FrameInfo",
        "InvalidTransformError",
        "ReadOnlyError",
        "StaticTransformStamped",
        "TFBuffer",
        "TFError",
        "TFMessage",
        "TFNamespace",
        "TFTree",
        "Transform",
        "TransformStamped",
        "TransformTimeoutError",
        "TreeReport",
        "UnknownFrameError",
        "to_ns",
    ]
    for name in horus_sim.tf.__all__:
        assert hasattr(horus_sim.tf, name)


def _stub_classes():
    tree = ast.parse(_STUB.read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _public(names):
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("native", [Transform, Tree])
def test_the_stub_names_what_the_extension_has(native):
    functions = [n for n in _stub_classes()[native.__name__].body if isinstance(n, ast.FunctionDef)]
    assert _public(function.name for function in functions) == _public(vars(native))


@pytest.mark.parametrize("name", ["Transform", "Tree"])
def test_every_public_method_is_documented(name):
    documented, named = set(), set()
    for node in _stub_classes()[name].body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            named.add(node.name)
            if ast.get_docstring(node):
                documented.add(node.name)
    assert documented == named


def test_the_transform_tells_its_public_home():
    assert Transform.__module__ == "horus_sim.tf"
    assert Transform.__doc__ is not None

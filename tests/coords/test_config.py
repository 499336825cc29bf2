"""Conventions from users' files."""

from pathlib import Path

import pytest

from horus_sim.coords import CAD, Convention, ConventionError, convert, load_conventions

ONE = "name: workshop\nright: x\nforward: y\nup: z\nunit: mm\n"
SEVERAL = """
conventions:
  workshop: {right: x, forward: y, up: z, unit: inch}
  unity: {right: +x, forward: z, up: y, unit: m}
  voxels:
    right: -y
    forward: x
    up: z
    unit: 1e-3
"""


@pytest.fixture
def write(tmp_path: Path):
    def write_file(text: str) -> Path:
        path = tmp_path / "conventions.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def test_one_convention_from_a_file(write):
    convention = Convention.from_file(write(ONE))
    assert convention == Convention("workshop", right="x", forward="y", up="z", unit="mm")
    assert convert(convention, CAD).point((1, 2, 3)).tolist() == [1, 2, 3]


def test_several_conventions_keep_names_and_order(write):
    conventions = load_conventions(write(SEVERAL))
    assert list(conventions) == ["workshop", "unity", "voxels"]
    assert [convention.name for convention in conventions.values()] == list(conventions)
    assert conventions["workshop"].metres_per_unit == 0.0254
    assert not conventions["unity"].is_right_handed
    assert conventions["voxels"].right == "-y"
    assert conventions["voxels"].metres_per_unit == 0.001


def test_load_conventions_reads_a_file_of_one(write):
    assert list(load_conventions(str(write(ONE)))) == ["workshop"]


def test_from_file_takes_one_of_several_by_name(write):
    assert Convention.from_file(write(SEVERAL), "unity").forward == "z"


def test_from_file_wants_to_know_which_of_several(write):
    with pytest.raises(ConventionError, match=r"holds 3 conventions; say which: .*'unity'"):
        Convention.from_file(write(SEVERAL))


def test_from_file_lists_what_the_file_holds(write):
    with pytest.raises(ConventionError, match=r"holds no convention 'blender'; known: workshop"):
        Convention.from_file(write(SEVERAL), "blender")


def test_a_faulty_convention_is_reported_with_its_file(write):
    text = r"conventions\.yaml': convention 'workshop': up='q' is not an axis"
    with pytest.raises(ConventionError, match=text):
        load_conventions(write(ONE.replace("up: z", "up: q")))


def test_a_key_that_is_not_text_is_reported_as_a_field(write):
    with pytest.raises(ConventionError, match="'3' is not a field"):
        load_conventions(write(ONE + "3: 4\n"))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", r"conventions\.yaml:1: this is not a mapping; write either name, right"),
        ("- x\n- y\n", "this is not a mapping"),
        ("right: x\n", "the convention has no name; write either name, right"),
        ("conventions:\n", "conventions: there is nothing by name under it"),
        ("conventions: [1]\n", "conventions: there is nothing by name under it"),
        ("conventions:\n  a:\n", r"yaml:2: conventions\.a: it has no fields"),
        ("conventions:\n  a: {name: b}\n", "convention 'a' is named twice; remove 'name'"),
        (SEVERAL + "unit: m\n", "unit: there is 'unit' beside 'conventions'"),
        (ONE + "up: y\n", r"yaml:6:1: .* the key 'up' is there twice; correct it"),
        (
            "conventions:\n  a: {right: x}\n  a: {right: y}\n",
            r"yaml:3:3: .* the key 'a' is there twice",
        ),
        ("name: [workshop\n", r"yaml:\d:\d: .*; correct it"),
        ("name: \x00\n", "is not valid YAML: .*; correct it"),
        ("name: !!python/object/apply:os.getcwd []\n", "could not determine a constructor"),
        ("? [a, b]\n: 1\n", "a key must be plain text"),
    ],
)
def test_a_file_of_another_layout_is_refused(write, text: str, error: str):
    with pytest.raises(ConventionError, match=error):
        load_conventions(write(text))


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(
        ConventionError, match=r"absent\.yaml: the file cannot be read \(No such file"
    ):
        load_conventions(tmp_path / "absent.yaml")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path):
    path = tmp_path / "binary.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConventionError, match=r"binary\.yaml:1: the text is not UTF-8"):
        load_conventions(path)

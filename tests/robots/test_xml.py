"""The XML reader: what it keeps, what it tolerates and what it refuses."""

from __future__ import annotations

import contextlib
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horus_sim.errors import DescriptionError
from horus_sim.robots import xml
from horus_sim.robots.xml import Element, parse_xml, read_xml
from horus_sim.robots.xml_values import (
    parse_bool,
    parse_floats,
    read_float,
    read_floats,
    read_text,
)


def test_elements_keep_tags_attributes_text_and_lines():
    root = parse_xml(b'<a x="1">\n<b>one</b>\n<c\n/>two<b/></a>', "f.xml")
    assert (root.tag, root.attributes, root.line) == ("a", {"x": "1"}, 1)
    assert [(child.tag, child.line, child.text) for child in root.children] == [
        ("b", 2, "one"),
        ("c", 3, ""),
        ("b", 4, ""),
    ]
    assert root.text.split() == ["two"]
    assert len(root.find_all("b")) == 2
    assert root.find("d") is None
    assert [element.tag for element in root.iter()] == ["a", "b", "c", "b"]


def test_prefixes_need_no_declaration():
    root = parse_xml('<robot><gz:system drake:type="x"/></robot>', "f.xml")
    assert root.children[0].tag == "gz:system"
    assert root.children[0].get("drake:type") == "x"


@pytest.mark.parametrize("before", ["\n\n", "<!-- a licence -->\n", "  <!--a--> <!-- b\n -->\n"])
def test_late_declaration_is_tolerated_and_lines_stay(before):
    text = f"{before}<?xml version='1.0'?>\n<sdf/>"
    assert parse_xml(text, "f.sdf").line == text.count("\n") + 1


def test_late_declaration_names_the_encoding():
    data = "<!-- a -->\n<?xml version='1.0' encoding='iso-8859-1'?><a b='ü'/>".encode("latin-1")
    assert parse_xml(data, "f").get("b") == "ü"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252"])
def test_declared_encodings(encoding):
    data = f"<?xml version='1.0' encoding='{encoding}'?><a b='grün'/>".encode(encoding)
    assert parse_xml(data, "f").get("b") == "grün"


def test_byte_order_mark():
    assert parse_xml(b"\xef\xbb\xbf<a/>", "f").tag == "a"
    assert parse_xml(b"\xef\xbb\xbf\n<?xml version='1.0'?><a/>", "f").tag == "a"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"f\.urdf: the file is empty"),
        (b" \n\t", r"f\.urdf: the file is empty"),
        (b"<a>\n<b></a>", r"f\.urdf, line 2: not well-formed XML: mismatched tag"),
        (b"<a/><b/>", r"f\.urdf, line 1: not well-formed XML: junk after document element"),
        (b"just words", r"f\.urdf, line 1: not well-formed XML"),
        (b"<a>&unknown;</a>", "undefined entity"),
        (
            b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><a b='&x;'/>",
            "DTD and entity declarations are not allowed",
        ),
        (b"<!DOCTYPE a><a/>", r"f\.urdf, line 1: DTD and entity declarations are not allowed"),
        (b"\n<!DOCTYPE html><html><br></html>", r"f\.urdf, line 2: this is a web page \(HTML\)"),
        (b"<html><br></html>", r"f\.urdf, line 1: this is a web page \(HTML\) and no robot"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            r"^f\.urdf: it is a pointer of Git LFS, .*; run 'git lfs install' and 'git lfs pull'",
        ),
        (
            b"<?xml version='1.0' encoding='utf-8'?>\n<a b='\xfc'/>",
            r"f\.urdf, line 2: byte 0xfc at offset 45 .*encoding .*declared utf-8",
        ),
        (b"<?xml version='1.0' encoding='klingon'?><a/>", "encoding 'klingon' is not known"),
        (b"<!-- a -->", "no element found"),
        (b"<a>" * 201 + b"</a>" * 201, "nesting depth limit of 200"),
    ],
)
def test_refusals(data, message):
    with pytest.raises(DescriptionError, match=message):
        parse_xml(data, "f.urdf")


def test_limits_of_size_and_number(monkeypatch, tmp_path):
    monkeypatch.setattr(xml, "MAX_ELEMENTS", 10)
    with pytest.raises(DescriptionError, match="more than 10 elements"):
        parse_xml("<a>" + "<b/>" * 10 + "</a>", "f")
    monkeypatch.setattr(xml, "MAX_BYTES", 100)
    with pytest.raises(DescriptionError, match="more than the limit of 100"):
        parse_xml("<a>" + " " * 100 + "</a>", "f")


def test_unreadable_files(tmp_path):
    with pytest.raises(DescriptionError, match="No such file"):
        read_xml(tmp_path / "absent.urdf")
    with pytest.raises(DescriptionError, match="not a regular file"):
        read_xml(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DescriptionError, match="not a regular file"):
        read_xml(tmp_path / "pipe")
    with pytest.raises(DescriptionError, match="cannot be read"):
        read_xml(Path("a\0b"))


@pytest.mark.parametrize("name", ["09_entity_bomb", "10_deep_nesting"])
def test_bombs_of_the_corpus(shared_data, name):
    with pytest.raises(DescriptionError, match=r"(DTD and entity|nesting depth limit)"):
        read_xml(shared_data(f"robots/bad/{name}.urdf"))


def test_agrees_with_elementtree_on_a_real_robot(shared_data):
    path = shared_data("robots/urdf/sigmaban/robot.urdf")

    def plain(element):
        return element.tag, dict(element.attrib), [plain(child) for child in element]

    def ours(element: Element):
        return element.tag, element.attributes, [ours(child) for child in element.children]

    assert ours(read_xml(path)) == plain(ET.parse(path).getroot())  # noqa: S314 - trusted


@given(st.binary(max_size=80) | st.text(max_size=80))
def test_any_bytes_give_a_tree_or_a_description_error(data):
    with contextlib.suppress(DescriptionError):
        assert isinstance(parse_xml(data, "f"), Element)


@given(
    st.from_regex(r"(<\?xml [a-z0-9='. -]{0,40}\?>)?(<[!/?]?[ab][^<]{0,5}>?){1,6}", fullmatch=True)
)
def test_any_markup_gives_a_tree_or_a_description_error(text):
    with contextlib.suppress(DescriptionError):
        parse_xml(text.encode("utf-8", "replace"), "f")


ORIGIN = Element("origin", {"xyz": "0 0,5 1", "one": "2.5", "many": "1 2"}, 7, "r.urdf")


def test_numbers():
    def read(text, **options):
        return parse_floats(text, 1, element=ORIGIN, what="it", **options)[0]

    assert [read(text) for text in (" 1 ", "-.5", "1e-3", "+2.", "3.25E+2")] == [
        1.0,
        -0.5,
        1e-3,
        2.0,
        325.0,
    ]
    assert read("inf", finite=False) == float("inf")
    for text in ("one", "1_0", "٣", "0x1", "--inf", "1.2.3", "1e999", "nan", "-Infinity"):
        with pytest.raises(DescriptionError, match=r"r\.urdf, line 7: it = .*(a number|finite)"):
            read(text)


def test_numbers_of_attributes_name_what_is_wrong():
    with pytest.raises(
        DescriptionError,
        match=r"r\.urdf, line 7: joint 'j': <origin> xyz = '0 0,5 1': '0,5' is not a number; dec",
    ):
        read_floats(ORIGIN, "xyz", 3, culprit="joint 'j'")
    with pytest.raises(DescriptionError, match="'1 2': needs 3 or 4 numbers"):
        read_floats(ORIGIN, "many", (3, 4))
    with pytest.raises(DescriptionError, match="<origin> needs the attribute 'rpy'"):
        read_floats(ORIGIN, "rpy", 3)
    assert read_floats(ORIGIN, "rpy", 3, default=(0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0)
    assert read_float(ORIGIN, "one") == 2.5
    assert read_text(ORIGIN, "one") == "2.5"
    with pytest.raises(DescriptionError, match="missing or blank"):
        read_text(ORIGIN, "name")


def test_booleans():
    assert parse_bool(" True\n", element=ORIGIN, what="it")
    assert not parse_bool("0", element=ORIGIN, what="it")
    with pytest.raises(DescriptionError, match="'maybe': is neither true nor false"):
        parse_bool("maybe", element=ORIGIN, what="it")

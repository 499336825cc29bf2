"""Unexpanded xacro: recognised, expanded, confined and stopped."""

from __future__ import annotations

import importlib.util

import pytest

from horus_sim.errors import DescriptionError, MissingExtraError
from horus_sim.robots.urdf import xacro as expansion
from horus_sim.robots.urdf.xacro import is_xacro
from horus_sim.robots.xml import parse_xml

from .urdf_texts import read_urdf

needs_xacro = pytest.mark.skipif(
    importlib.util.find_spec("xacro") is None, reason="xacro is not installed"
)
ROBOT = """<?xml version="1.0"?>
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="size" default="1"/>
  <xacro:property name="half" value="${{$(arg size) / 2}}"/>
  <xacro:macro name="ball" params="name">
    <link name="${{name}}"><visual><geometry><sphere radius="${{half}}"/></geometry></visual></link>
  </xacro:macro>
  <xacro:ball name="a"/>
  {}
</robot>
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<robot xmlns:xacro="http://x"><link name="a"/></robot>', False),
        ('<robot><xacro:include filename="a"/></robot>', True),
        ('<robot><link name="${a}"/></robot>', True),
        ('<robot><link name="$(arg a)"/></robot>', True),
        ('<robot><gazebo><plugin name="${a}"/></gazebo></robot>', False),
        ('<robot><!-- ${a} --><link name="a"/></robot>', False),
    ],
)
def test_recognition(tmp_path, text, expected):
    assert is_xacro(parse_xml(text, "f"), tmp_path / "a.urdf") is expected
    assert is_xacro(parse_xml(text, "f"), tmp_path / "a.urdf.xacro")


@needs_xacro
def test_expansion_with_arguments(tmp_path):
    path = tmp_path / "a.urdf"
    path.write_text(ROBOT.format(""))
    for arguments, radius in (({}, 0.5), ({"size": "3"}, 1.5)):
        description, _ = read_urdf(path, xacro_args=arguments)
        assert description.links[0].visuals[0].geometry.radius == radius  # pyright: ignore


@needs_xacro
def test_includes_and_packages(tmp_path):
    package = tmp_path / "pkg"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package/>")
    (package / "parts.xacro").write_text(
        '<robot><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
        "</joint></robot>"
    )
    (package / "sizes.yaml").write_text("depth: 2.5")
    path = package / "urdf/a.xacro"
    path.write_text(
        ROBOT.format(
            '<xacro:include filename="$(find pkg)/parts.xacro"/>'
            "<xacro:property name='s' value=\"${xacro.load_yaml('../sizes.yaml')}\"/>"
            '<link name="${s.depth}"/>'
            '<joint name="k" type="fixed"><parent link="a"/><child link="${s.depth}"/></joint>'
        )
    )
    description, _ = read_urdf(path)
    assert [link.name for link in description.links] == ["a", "b", "2.5"]


@needs_xacro
@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ('<xacro:include filename="{secret}"/>', "refused: outside the package roots"),
        ('<xacro:include filename="../../secret.xacro"/>', "refused: outside the package roots"),
        ("<link name=\"${{xacro.load_yaml('{secret}')}}\"/>", "refused: outside the package"),
        ('<xacro:include filename="$(find nowhere)/a.xacro"/>', "no package 'nowhere'"),
        ('<link name="${{unknown}}"/>', "name 'unknown' is not defined"),
        ('<link name="${{().__class__}}"/>', "invalid name"),
        ('<xacro:include filename="bomb.xacro"/>', "DTD and entity declarations are not allowed"),
        ("<xacro:nothing/>", "unknown macro name"),
        ('<link name="$(arg model)"/>', r"argument model; give it: xacro_args=.* or --arg model="),
    ],
)
def test_expansion_that_fails(tmp_path, inside, message):
    secret = tmp_path / "secret.xacro"
    secret.write_text('<robot><link name="secret"/></robot>')
    folder = tmp_path / "in" / "robot"
    folder.mkdir(parents=True)
    (folder / "bomb.xacro").write_text('<!DOCTYPE a [<!ENTITY b "c">]><robot/>')
    path = folder / "a.urdf.xacro"
    path.write_text(ROBOT.format(inside.format(secret=secret)))
    with pytest.raises(DescriptionError, match=rf"a\.urdf\.xacro: .*{message}"):
        read_urdf(path)


@needs_xacro
def test_expansion_without_end_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(expansion, "TIMEOUT_S", 1.0)
    path = tmp_path / "a.xacro"
    path.write_text(ROBOT.format('<link name="${9**9**9}"/>'))
    with pytest.raises(DescriptionError, match="took longer than 1 s and was stopped"):
        read_urdf(path)


def test_without_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    path = tmp_path / "a.xacro"
    path.write_text(ROBOT.format(""))
    with pytest.raises(MissingExtraError, match=r"unexpanded xacro.*install"):
        read_urdf(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '<xacro:include filename="$(find nopkg)/a.xacro"/>',
            (
                r"failed: \$\(find nopkg\): 'package://nopkg' was not found: no package [^;]*; "
                r"tried: [^;]*; give the folder that holds it as package root [^;]*$"
            ),
        ),
        (
            '<xacro:property name="p" value="${p}"/><link name="${p}"/>',
            "failed: circular variable definition: p -> p; [^;]*; when evaluating expression 'p'$",
        ),
        ('<link name="${nope}"/>', "failed: name 'nope' is not defined; when evaluating [^;]*$"),
    ],
)
def test_errors_are_told_once(tmp_path, text, message):
    path = tmp_path / "r.xacro"
    path.write_text(f'<robot name="r" xmlns:xacro="http://x">{text}</robot>')
    with pytest.raises(DescriptionError, match=message):
        read_urdf(path)

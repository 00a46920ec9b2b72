"""A robot's folder from a stranger: it describes a robot, or is refused with a sentence; it never does anything."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot

pytest.importorskip("xacro")

ROBOT_FILE = """
name: ball
title: Ball
parameters: {gravity: {value: 9.81}, mass: {value: 2.0}, links: {value: 3, whole: true}}
base: {link: body, motion: planar}
joints: {}
feet: {}
safety: {command_timeout: 1, relax_after: 1, approach_velocity: 1, tracking_tolerance_deg: 1, tracking_time: 1,
         on_exit: hold}
"""
HEAD = """<robot name="ball" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="robot_file" default=""/>
<xacro:property name="file" value="$(arg robot_file)"/><xacro:property name="ball" value="${xacro.load_yaml(file)}"/>
<xacro:property name="p" value="${ball['parameters']}"/>"""

Expand = Callable[[str], str]


@pytest.fixture
def expand(tmp_path: Path) -> Expand:
    """The URDF of a ball whose xacro has these words besides."""
    (tmp_path / "ball").mkdir()
    (tmp_path / "ball" / "robot.yaml").write_text(ROBOT_FILE)

    def made(words: str) -> str:
        (tmp_path / "ball" / "ball.urdf.xacro").write_text(f"{HEAD}<link name='body'/>{words}</robot>")
        return build_urdf(load_robot(str(tmp_path / "ball" / "robot.yaml")))

    return made


def value(expand: Expand, expression: str) -> str:
    words = expression.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return expand(f'<link name="${{{words}}}"/>').rpartition('<link name="')[2].partition('"')[0]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("p['mass']['value'] * 3", "6.0"),
        ("p.mass.value ** 2 / 4 - 1", "0.0"),
        ("-7 // 2 + 7 % 4", "-1"),
        ("round(degrees(pi), 3)", "180.0"),
        ("math.hypot(3, 4)", "5.0"),
        ("sqrt(max(2, min(9, 16)))", "3.0"),
        ("'leg_%d' % int(1.0)", "leg_1"),
        ("'a' + 'b' if 1 < 2 <= 2 and not 3 == 4 else 'c'", "ab"),
        ("'mass' in p and p.get('none', 5)", "5"),
        ("[1, 2, 3][-1]", "3"),
        ("'front_left'.split('_')[1].upper()", "LEFT"),
        ("len(range(4)) + len(list(p.keys()))", "7"),
        ("(1, 2)[0]", "1"),
        ("'abcd'[1:3]", "bc"),
        ("xacro.arg('robot_file').endswith('robot.yaml')", "True"),
    ],
)
def test_what_describes_a_robot_is_worked_out(expand: Expand, expression: str, expected: str) -> None:
    assert value(expand, expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "(lambda: ().__class__.__base__.__subclasses__())()",
        "(lambda x: x.append(1))([])",
        "[c for c in (1).__class__.__mro__]",
        "().__class__",
        "p.__class__",
        "''.join",
        "'{0.__class__}'.format(p)",
        "f'{p.__class__}'",
        "type('X', (), {})",
        "python.type(1)",
        "vars()",
        "python.vars(math)",
        "xacro.load_yaml.__globals__",
        "load_yaml",
        "[len][0](p)",
        "math.items()",
        "__import__('os')",
        "(x := 1)",
        "print(1)",
        "map(len, p)",
        "(yield)",
        "max(1, 2, **p)",
        "b'bytes'",
        "...",
    ],
)
def test_what_is_a_program_is_refused(expand: Expand, expression: str) -> None:
    with pytest.raises(UserError, match=r"cannot be expanded: .*when evaluating expression"):
        value(expand, expression)


def test_the_lambda_that_passes_xacros_own_filter_opens_no_file(expand: Expand, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    reach = "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0].__init__"
    for words in (
        f"(lambda: {reach}.__globals__['system']('touch {opened}'))()",
        f"(lambda: [f for f in load_yaml.__globals__.values()][0].system('touch {opened}'))()",
    ):
        with pytest.raises(UserError, match="cannot be expanded"):
            value(expand, words)
    with pytest.raises(UserError, match=r"\$\(eval \.\.\.\) may not stand"):
        expand(f"<link name=\"$(eval (lambda: open('{opened}', 'w'))())\"/>")
    assert not opened.exists()


@pytest.mark.parametrize("words", ["$(env HOME)", "$(optenv HOME x)", "$(cwd)", "$(eval 1)", "$(dirname)"])
def test_nothing_of_the_machine_is_substituted(expand: Expand, words: str) -> None:
    with pytest.raises(UserError, match=r"it takes \$\(arg \.\.\.\) and \$\(find \.\.\.\)"):
        expand(f"<link name='{words}'/>")


@pytest.mark.parametrize(
    "expression",
    [
        "9 ** 9 ** 9",
        "2 ** 5000",
        "'a' * 10 ** 9",
        "[0] * 10 ** 9",
        "10 ** 9 * [0]",
        "len(list(range(10 ** 9)))",
        "factorial(10 ** 6)",
        "math.comb(10 ** 6, 10 ** 5)",
        "'%1000000000d' % 1",
        "'%*d' % (10 ** 9, 1)",
        "round(5, -10 ** 9)",
        "1 << 10 ** 9",
        "-" * 3000 + "1",
        "(" * 1000 + "1" + ")" * 1000,
        "+".join(["1"] * 5000),
    ],
)
def test_an_expression_that_would_not_end_is_refused_at_once(expand: Expand, expression: str) -> None:
    before = time.thread_time()
    with pytest.raises(UserError, match="cannot be expanded"):
        value(expand, expression)
    assert time.thread_time() - before < 10.0  # of this thread's own work, of which it takes milliseconds


def test_lists_of_lists_do_not_multiply(expand: Expand) -> None:
    doubled = "".join(f'<xacro:property name="a{i + 1}" value="${{[a{i}, a{i}]}}"/>' for i in range(60))
    with pytest.raises(UserError, match="more than a robot needs"):
        expand(f'<xacro:property name="a0" value="${{[1, 1]}}"/>{doubled}<link name="${{a60}}"/>')


def test_macros_do_not_multiply(expand: Expand) -> None:
    macros = "".join(
        f'<xacro:macro name="m{i + 1}" params=""><xacro:m{i}/><xacro:m{i}/></xacro:macro>' for i in range(60)
    )
    with pytest.raises(UserError, match="makes more of itself than a robot needs"):
        expand(f'<xacro:macro name="m0" params=""><a/></xacro:macro>{macros}<xacro:m60/>')


def test_a_macro_that_calls_itself_for_ever_is_refused(expand: Expand) -> None:
    with pytest.raises(UserError, match="cannot be expanded"):
        expand('<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>')


def test_a_macros_parameters_are_read_in_linear_time(expand: Expand) -> None:
    with pytest.raises(UserError, match="cannot be expanded"):
        expand(f'<xacro:macro name="m" params="a:={"x" * 200}\'"/><xacro:m/>')
    assert 'name="a b"' in expand(
        "<xacro:macro name=\"m\" params=\"a b:='a b' c:=${1 + 1} *d\"><link name='${b}'/>"
        '<xacro:insert_block name="d"/></xacro:macro><xacro:m a="1"><c/></xacro:m>'
    )


def test_entities_are_refused(expand: Expand, tmp_path: Path) -> None:
    xacro = tmp_path / "ball" / "ball.urdf.xacro"
    expand("")
    xacro.write_text('<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="ball">&a;</robot>')
    with pytest.raises(UserError, match="declares a DOCTYPE"):
        build_urdf(load_robot(str(tmp_path / "ball" / "robot.yaml")))


@pytest.mark.parametrize(
    "reading",
    [
        "<xacro:include filename='{}'/>",
        "<xacro:property name='x' value=\"${{load_yaml('{}')}}\"/><link name='${{x}}'/>",
        "<xacro:property name='x' value=\"${{xacro.load_yaml('{}')}}\"/><link name='${{x}}'/>",
    ],
)
def test_files_are_read_from_the_robots_folder_alone(expand: Expand, tmp_path: Path, reading: str) -> None:
    outside = tmp_path / "secret"
    outside.write_text("<a>secret: {}</a>")
    (tmp_path / "ball" / "link").symlink_to(outside)
    for name in (str(outside), "../secret", "link", "/etc/passwd", "$(find crawler_core)/../../../../etc/passwd"):
        with pytest.raises(UserError, match="neither in the robot's folder nor in a package"):
            expand(reading.format(name))
    with pytest.raises(UserError, match=r"is no file|is neither"):
        expand(reading.format("/etc/pass*"))


def test_files_of_the_robots_folder_and_of_packages_are_read(expand: Expand, tmp_path: Path) -> None:
    (tmp_path / "ball" / "parts").mkdir()
    (tmp_path / "ball" / "parts" / "arm.xacro").write_text('<robot><link name="arm"/></robot>')
    (tmp_path / "ball" / "more.yaml").write_text("long: {arm: 0.5}")
    made = expand(
        "<xacro:include filename='parts/arm.xacro'/>"
        "<xacro:property name='m' value=\"${xacro.load_yaml('more.yaml')}\"/>"
        "<link name='x${m.long.arm}'/><xacro:include filename='$(find crawler_core)/package.xml'/>"
    )
    assert 'name="arm"' in made
    assert 'name="x0.5"' in made
    assert "<name>crawler_core</name>" in made


def test_a_pipe_in_the_folder_does_not_hold_the_reader(expand: Expand, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ball" / "pipe")
    with pytest.raises(UserError, match="there is no file"):
        expand("<xacro:include filename='pipe'/>")

"""Closed chains against circles that meet, finite differences, and whole turns."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler_core.description.frame import read_frames
from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.linkages.loop_closure_solver import LoopClosureSolver
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import JointSpec, LoopSpec, RobotSpec, SafetySpec

GYMNAST = Path(__file__).parent / "robots/gymnast/robot.yaml"
CLOSED = 1e-12  # m, what the closure promises
ROUNDING = 1e-9  # rad: where the bars are nearly in line, a gap of 1e-12 m is more in the angles


def bar(name: str, parent: str, x: float, kind: str = "continuous", axis: str = "0 -1 0", z: float = 0.0) -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{name}_link"/>'
        f'<origin xyz="{x!r} 0 {z!r}"/><axis xyz="{axis}"/></joint><link name="{name}_link"/>'
    )


def pin(name: str, parent: str, x: float) -> str:
    return (
        f'<joint name="{name}_fixed" type="fixed"><parent link="{parent}"/><child link="{name}"/>'
        f'<origin xyz="{x!r} 0 0"/></joint><link name="{name}"/>'
    )


def robot(homes: dict[str, float], driving: tuple[str, ...], **loops: tuple[str, str]) -> RobotSpec:
    """A robot with joints at these homes (rad)."""
    joints = tuple(
        JointSpec(name, name in driving, True, -math.inf, math.inf, 10.0, 100.0, 1.0, home)
        for name, home in homes.items()
    )
    return RobotSpec(
        name="bars",
        title="Bars",
        directory=Path("."),
        parameters={},
        base_link="base",
        base_motion=(),
        joints=joints,
        feet=(),
        safety=SafetySpec(0.1, 1.0, 1.0, 0.2, 0.2, "hold"),
        sections={},
        document={},
        loops=tuple(LoopSpec(name, *links) for name, links in loops.items()),
    )


def four_bar(a: float, b: float, c: float, d: float) -> str:
    """Crank a at x = d, coupler b on it, rocker c at the origin; the loop is `pin`: [end_b, end_c]."""
    return (
        '<robot name="bars"><link name="base"/>'
        + bar("crank", "base", d)
        + bar("coupler", "crank_link", a)
        + bar("rocker", "base", 0.0)
        + pin("end_b", "coupler_link", b)
        + pin("end_c", "rocker_link", c)
        + "</robot>"
    )


def by_circles(a: float, b: float, c: float, d: float, crank: float, side: float) -> tuple[float, float]:
    """Coupler and rocker of the same, from where the circles about the crank's end and the rocker's hinge meet."""
    end = d + a * np.exp(1j * crank)
    along = (c**2 - b**2 + abs(end) ** 2) / (2.0 * abs(end))
    meeting = end / abs(end) * (along + side * 1j * math.sqrt(c**2 - along**2))
    return float(np.angle((meeting - end) * np.exp(-1j * crank))), float(np.angle(meeting))


@st.composite
def crank_rockers(draw: st.DrawFn) -> tuple[float, float, float, float]:
    """Lengths a, b, c, d of a four-bar whose crank turns all the way round, clear of its dead centres."""
    b, c, d = (draw(st.floats(0.5, 2.0)) for _ in range(3))
    longest, rest = max(b, c, d), sorted((b, c, d))[:2]
    room = min(sum(rest) - longest, rest[0])  # Grashof: the shortest and the longest are shorter than the others
    scale = draw(st.floats(0.02, 0.5))
    return draw(st.floats(0.2, 0.8)) * room * scale, b * scale, c * scale, d * scale


def assembled(lengths: tuple[float, float, float, float], crank: float, side: float) -> LoopClosureSolver:
    """With whole degrees for the homes of the passive joints, as in a robot file."""
    guesses = [math.radians(round(math.degrees(angle))) for angle in by_circles(*lengths, crank, side)]
    homes = dict(zip(("crank", "coupler", "rocker"), (crank, *guesses), strict=True))
    return LoopClosureSolver(robot(homes, ("crank",), pin=("end_b", "end_c")), four_bar(*lengths))


def only(*driving: float, passive: int) -> np.ndarray:
    return np.array([*driving, *[np.nan] * passive])


def difference(a: float, b: float) -> float:
    return abs(math.remainder(a - b, 2.0 * math.pi))


well_shaped = crank_rockers().filter(lambda abcd: min(abcd) > 0.05 * max(abcd))
angles = st.floats(-math.pi, math.pi)
sides = st.sampled_from((-1.0, 1.0))


@settings(max_examples=60)
@given(well_shaped, angles, sides, st.floats(-20.0, 20.0))
def test_a_four_bar_closes_where_its_circles_meet_and_stays_on_its_branch(
    lengths: tuple[float, float, float, float], home: float, side: float, goal: float
) -> None:
    closure = assembled(lengths, home, side)
    assert closure.joints == ("coupler", "rocker")
    for crank in (home, goal):
        position, _ = closure.complete(only(crank, passive=2), only(0.0, passive=2))
        assert closure.residual(position) <= CLOSED
        coupler, rocker = by_circles(*lengths, crank, side)
        assert position[0] == crank
        assert difference(position[1], coupler) < ROUNDING
        assert difference(position[2], rocker) < ROUNDING


@settings(max_examples=30)
@given(well_shaped, angles, sides)
def test_rates_are_those_of_the_angles(lengths: tuple[float, float, float, float], home: float, side: float) -> None:
    closure, h, speed = assembled(lengths, home, side), 1e-5, 3.0
    _, rates = closure.complete(only(home, passive=2), only(speed, passive=2))
    after, before = (closure.complete(only(home + s * h, passive=2), only(0.0, passive=2))[0] for s in (1.0, -1.0))
    slopes = speed * (after - before) / (2.0 * h)
    np.testing.assert_allclose(rates, slopes, rtol=1e-4, atol=1e-4)  # h² times the third derivative, and rounding / h
    assert not closure.complete(only(home, passive=2), only(0.0, passive=2))[1].any()


@settings(max_examples=20)
@given(well_shaped, angles, sides)
def test_whole_turns_stay_on_the_branch_and_are_counted(
    lengths: tuple[float, float, float, float], home: float, side: float
) -> None:
    closure = assembled(lengths, home, side)
    position = start = closure.home()
    for crank in home + np.linspace(0.0, 6.0 * math.pi, 61)[1:]:
        before, (position, _) = position, closure.complete(only(crank, passive=2), only(1.0, passive=2))
        assert np.abs(position - before).max() < math.pi
        assert closure.residual(position) <= CLOSED
    np.testing.assert_allclose(position - start, (6.0 * math.pi, -6.0 * math.pi, 0.0), atol=ROUNDING)


def test_a_longer_bar_moves_the_home_pose_with_it() -> None:
    homes = []
    for length in (0.070, 0.075):
        spec = load_robot(str(GYMNAST), {"coupler_length": length})
        closure = LoopClosureSolver(spec, build_urdf(spec))
        home = closure.home()
        assert closure.joints == ("coupler", "rocker")
        assert closure.residual(home) <= CLOSED
        crank, link, lever, ground = (
            spec.parameters[f"{bar}_length"] for bar in ("crank", "coupler", "rocker", "ground")
        )
        coupler, rocker = by_circles(crank, link, lever, ground, math.pi / 2, -1.0)  # the rocker's pin is below
        assert difference(home[1], coupler) < ROUNDING
        assert difference(home[2], rocker) < ROUNDING
        assert home[1] == pytest.approx(math.radians(-208), abs=0.2)  # whichever turn the file says
        homes.append(home)
    assert abs(homes[1] - homes[0]).max() > 0.05


def test_the_ends_coincide_as_the_frames_of_the_links_say() -> None:
    """The same geometry that tf shows, by another way: quaternions of each link in its parent."""
    spec = load_robot(str(GYMNAST))
    urdf = build_urdf(spec)
    position, _ = LoopClosureSolver(spec, urdf).complete(np.array([2.5, np.nan, np.nan, 7.0]), np.zeros(4))
    angle = dict(zip(spec.joint_names, position, strict=True))
    above = {frame.child: frame for frame in read_frames(urdf)}

    def origin(link: str) -> np.ndarray:
        at = np.zeros(3)
        while link in above:
            frame = above[link]
            move, (w, *xyz) = frame.at(angle.get(frame.joint, 0.0))
            turned = at + 2.0 * np.cross(xyz, np.cross(xyz, at) + w * at)
            at, link = np.array(move) + turned, frame.parent
        return at

    assert np.abs(origin("coupler_pin") - origin("rocker_pin")).max() <= CLOSED
    assert position[3] == 7.0


def six_bar() -> str:
    """A four-bar whose coupler goes on beyond the pin and carries a second pair of bars: two loops that couple."""
    return (
        '<robot name="bars"><link name="base"/>'
        + bar("crank", "base", 0.06)
        + bar("coupler", "crank_link", 0.02)
        + bar("rocker", "base", 0.0)
        + bar("thigh", "coupler_link", 0.09)
        + bar("shin", "rocker_link", 0.07)
        + pin("end_b", "coupler_link", 0.07)
        + pin("end_c", "rocker_link", 0.05)
        + pin("end_t", "thigh_link", 0.05)
        + pin("end_s", "shin_link", 0.05)
        + "</robot>"
    )


def test_loops_that_share_joints_close_together() -> None:
    homes = {"thigh": -2.0, "crank": 1.57, "coupler": -3.63, "shin": -2.0, "rocker": -0.99}
    spec = robot(homes, ("crank",), first=("end_b", "end_c"), second=("end_t", "end_s"))
    closure = LoopClosureSolver(spec, six_bar())
    assert closure.joints == ("thigh", "coupler", "shin", "rocker")
    before, _ = closure.complete(closure.home(), np.zeros(5))
    wanted = before.copy()
    for crank in 1.57 + np.linspace(0.0, 2.0 * math.pi, 50):
        wanted[1] = crank
        position, rates = closure.complete(wanted, np.array([0.0, 2.0, 0.0, 0.0, 0.0]))
        assert closure.residual(position) <= CLOSED
        assert np.isfinite(rates).all()
    np.testing.assert_allclose(np.cos(position), np.cos(before), atol=ROUNDING)


def test_a_slider_is_pushed_as_far_as_the_crank_says() -> None:
    a, b, crank = 0.03, 0.10, 0.8
    urdf = (
        '<robot name="bars"><link name="base"/>'
        + bar("crank", "base", 0.0)
        + bar("rod", "crank_link", a)
        + bar("slider", "base", 0.0, kind="prismatic", axis="1 0 0")
        + pin("end", "rod_link", b)
        + "</robot>"
    )
    spec = robot({"crank": 0.5, "rod": -0.6, "slider": 0.12}, ("crank",), pin=("end", "slider_link"))
    position, rates = LoopClosureSolver(spec, urdf).complete(only(crank, passive=2), only(1.0, passive=2))
    leg = math.sqrt(b**2 - (a * math.sin(crank)) ** 2)
    assert position[2] == pytest.approx(a * math.cos(crank) + leg, abs=1e-12)
    slope = -a * math.sin(crank) * (1.0 + a * math.cos(crank) / leg)
    assert rates[2] == pytest.approx(slope, abs=1e-9)


def test_what_drives_the_loop_must_be_known() -> None:
    closure = assembled((0.02, 0.07, 0.05, 0.06), 1.57, -1.0)
    position, rates = closure.complete(np.full(3, np.nan), np.full(3, np.nan))
    assert np.isnan(position).all()
    assert np.isnan(rates).all()
    position, rates = closure.complete(only(1.6, passive=2), np.full(3, np.nan))
    assert np.isfinite(position).all()
    assert np.isnan(rates[1:]).all()


def test_a_chain_that_cannot_close_is_a_sentence_and_the_next_pose_closes_again() -> None:
    """Here the crank is too long to turn all the way round: at 0 its end is 0.11 away, the bars reach 0.08."""
    closure = assembled((0.05, 0.04, 0.04, 0.06), 2.5, 1.0)
    with pytest.raises(UserError, match=r"'pin' .* with crank at 0.00 degrees: end_b and end_c stay 30 mm apart"):
        closure.complete(only(0.0, passive=2), np.zeros(3))
    position, _ = closure.complete(only(2.6, passive=2), np.zeros(3))
    assert difference(position[2], by_circles(0.05, 0.04, 0.04, 0.06, 2.6, 1.0)[1]) < ROUNDING


def test_a_chain_that_cannot_be_assembled_is_refused_at_load() -> None:
    with pytest.raises(UserError, match=r"cannot close with crank at 90.00 degrees: .* mm apart: that is its home"):
        LoopClosureSolver(
            robot({"crank": math.pi / 2, "coupler": 0.0, "rocker": 0.0}, ("crank",), pin=("end_b", "end_c")),
            four_bar(0.02, 0.02, 0.02, 0.06),
        )


def test_a_loop_without_enough_driving_joints_is_refused() -> None:
    spec = robot({"crank": 1.57, "coupler": -3.63, "rocker": -0.99}, (), pin=("end_b", "end_c"))
    with pytest.raises(UserError, match=r"'pin' of 'bars' decides 2 of its 3 passive joints .* must be actuated"):
        LoopClosureSolver(spec, four_bar(0.02, 0.07, 0.05, 0.06))


def test_a_loop_without_passive_joints_is_refused() -> None:
    names = ("crank", "coupler", "rocker")
    spec = robot(dict.fromkeys(names, 1.0), names, pin=("end_b", "end_c"))
    with pytest.raises(UserError, match="has no passive joint"):
        LoopClosureSolver(spec, four_bar(0.02, 0.07, 0.05, 0.06))


def test_links_and_joints_that_are_not_there_are_named() -> None:
    homes = {"crank": 1.57, "coupler": -3.63, "rocker": -0.99}
    with pytest.raises(UserError, match=r"loops.pin .*'end_x': did you mean"):
        LoopClosureSolver(robot(homes, ("crank",), pin=("end_x", "end_c")), four_bar(0.02, 0.07, 0.05, 0.06))
    spec = robot(homes, ("crank",), pin=("end_b", "end_c"))
    with pytest.raises(UserError, match=r"the joint rocker is on the loop 'pin'"):
        LoopClosureSolver(dataclasses.replace(spec, joints=spec.joints[:2]), four_bar(0.02, 0.07, 0.05, 0.06))

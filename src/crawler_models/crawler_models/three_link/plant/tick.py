"""One control interval of the robot, advanced from contact event to contact event.

The joints move on the cubic Hermite between two setpoints. The chain is evaluated at the start, middle and end of the
interval; accelerations and forces are parabolas through these, velocities their integrals (Simpson's rule), and
contact events the roots of these polynomials, so that several events inside one interval are found. In floats, because
arrays of three numbers would cost more than the mathematics.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from typing import NamedTuple

from crawler_models.three_link.equations.closed_chain import Chain, chain
from crawler_models.three_link.equations.contact_law import ContactLost, PainleveParadox, consistent_modes
from crawler_models.three_link.equations.dynamics import Forces, acceleration, contact_forces, painleve_margin
from crawler_models.three_link.equations.foot_mode import STICK_STICK, Mode
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.plant.cubic import Cubic, evaluate, first_negative, integral, parabola

Pair = tuple[float, float]

AT_REST = 1e-8  # m/s: a slower foot stands. Far above the error of the parabolas, far below any gait.
_REFRACTORY_SHARE = 1e-3  # of the interval: no second event sooner, so that rounding cannot hold time still


@dataclass(frozen=True)
class Instant:
    """The robot between two intervals, paper axes; ``ddq`` is what the joints did when the interval ended."""

    t: float  # s since the robot stood
    q: Pair
    dq: Pair
    ddq: Pair
    x1: float
    v1: float
    mode: Mode
    chain: Chain
    a: float
    forces: Forces


class _Interval(NamedTuple):
    robot: ThreeLink
    chains: tuple[Chain, Chain, Chain]  # at the start, middle and end
    d1: Cubic  # rate of the distance between the feet
    t: float  # start
    h: float  # length


def standing(robot: ThreeLink, q: Pair, x1: float = 0.0) -> Instant:
    """At rest with both feet stuck."""
    c = chain(robot, *q, 0.0, 0.0, 0.0, 0.0, exp=cmath.exp)
    return Instant(
        0.0, q, (0.0, 0.0), (0.0, 0.0), x1, 0.0, STICK_STICK, c, 0.0, contact_forces(robot, c, STICK_STICK, 0.0)
    )


def advance(robot: ThreeLink, now: Instant, q: Pair, dq: Pair, h: float) -> Instant:
    """Move the joints to ``q``, ``dq`` in ``h`` seconds.

    Raises ContactLost, PainleveParadox or NoConsistentMode with the time since the robot stood.
    """
    j1 = _hermite(now.q[0], now.dq[0], q[0], dq[0], h)
    j2 = _hermite(now.q[1], now.dq[1], q[1], dq[1], h)
    start = chain(robot, now.q[0], now.q[1], now.dq[0], now.dq[1], j1[3], j2[3], cmath.exp)
    middle = chain(robot, j1[0], j2[0], j1[1], j2[1], j1[2], j2[2], cmath.exp)
    end = chain(robot, q[0], q[1], dq[0], dq[1], j1[4], j2[4], cmath.exp)
    chains = (start, middle, end)
    d1 = integral(parabola(start.d2, middle.d2, end.d2), start.d1, h)
    interval = _Interval(robot, chains, d1, now.t, h)

    s, v1, mode, moved = 0.0, now.v1, now.mode, 0.0
    earliest = 0.0  # where the next event may be: the first one at once, any other a moment after the one before
    while True:
        accelerations = [acceleration(robot, c, mode) for c in chains]
        gained = integral(parabola(*accelerations), 0.0, h)
        velocity = (v1 - evaluate(gained, s), gained[1], gained[2], gained[3])
        until, stopped = _end_of_mode(interval, accelerations, mode, velocity, s, earliest)
        moved += h * (_primitive(velocity, until) - _primitive(velocity, s))
        v1 = 0.0 if mode[0] == 0 else evaluate(velocity, until)
        s = until
        if s >= 1.0:
            break
        earliest = min(s + _REFRACTORY_SHARE, 1.0)
        v1, mode = _switch(interval, s, v1, mode, stopped)

    if mode[0] and not mode[1]:
        v1 = -end.d1  # a sticking foot 2 fixes foot 1 exactly, which the parabola only approximates
    a = acceleration(robot, end, mode)
    return Instant(
        now.t + h, q, dq, (j1[4], j2[4]), now.x1 + moved, v1, mode, end, a, contact_forces(robot, end, mode, a)
    )


def _end_of_mode(
    interval: _Interval, accelerations: list[float], mode: Mode, velocity: Cubic, s: float, earliest: float
) -> tuple[float, int]:
    """When the mode that began at ``s`` ends, not before ``earliest`` (1 if it outlasts the interval), and the foot
    (1, 2) that stopped, 0 if a stick broke."""
    robot, chains, d1, t, h = interval
    s1, s2 = mode
    forces = [contact_forces(robot, c, mode, a) for c, a in zip(chains, accelerations, strict=True)]
    guards: list[tuple[Cubic, int]] = []
    if s1:
        guards.append((_signed(s1, velocity), 1))
    else:
        guards += [(g, 0) for g in _cone(robot.mu1, [f[0] for f in forces], [f[1] for f in forces])]
    if s2:
        relative = (velocity[0] + d1[0], velocity[1] + d1[1], velocity[2] + d1[2], velocity[3] + d1[3])
        guards.append((_signed(s2, relative if s1 else d1), 2))
    else:
        guards += [(g, 0) for g in _cone(robot.mu2, [f[2] for f in forces], [f[3] for f in forces])]
    if mode == STICK_STICK:
        guards += [(_signed(1, d1), 0), (_signed(-1, d1), 0)]

    until, stopped = 1.0, 0
    for guard, foot in guards:
        when = first_negative(guard, earliest)
        if when is not None and when < until:
            until, stopped = when, foot

    for foot, k in ((1, 1), (2, 3)):
        lost = first_negative(parabola(forces[0][k], forces[1][k], forces[2][k]), s)
        if lost is not None and lost < until:
            raise ContactLost(foot, t + lost * h)
    if s1 and s2 and min(painleve_margin(robot, c, mode) for c in chains) <= 0.0:
        raise PainleveParadox(mode, t + s * h)
    return until, stopped


def _switch(interval: _Interval, s: float, v1: float, mode: Mode, stopped: int) -> tuple[float, Mode]:
    """Foot 1's velocity and the mode after an event; consistency is tested a moment later, see hybrid."""
    robot, chains, d1, t, h = interval
    v2 = v1 + evaluate(d1, s)
    at_rest_1 = mode[0] == 0 or stopped == 1 or abs(v1) <= 2.0 * AT_REST
    at_rest_2 = mode[1] == 0 or stopped == 2 or abs(v2) <= 2.0 * AT_REST
    moving = (0 if at_rest_1 else mode[0], 0 if at_rest_2 else mode[1])
    later = min(s + _REFRACTORY_SHARE, 1.0)
    start, middle, end = chains
    fields = {
        name: evaluate(parabola(getattr(start, name), getattr(middle, name), getattr(end, name)), later)
        for name in ("d2", "C", "P", "K", "Q")
    }
    locked = abs(evaluate(d1, later)) <= AT_REST
    modes, _ = consistent_modes(robot, start._replace(**fields), moving, locked, t + s * h)
    if at_rest_1:
        v1 = 0.0
    elif at_rest_2:
        v1 = -evaluate(d1, s)
    return v1, modes[0]


def _hermite(p0: float, v0: float, p1: float, v1: float, h: float) -> tuple[float, float, float, float, float]:
    """Position, velocity and acceleration in the middle, then acceleration at both ends."""
    mean = (p1 - p0) / h
    return (
        0.5 * (p0 + p1) + 0.125 * h * (v0 - v1),
        1.5 * mean - 0.25 * (v0 + v1),
        (v1 - v0) / h,
        (6.0 * mean - 4.0 * v0 - 2.0 * v1) / h,
        (2.0 * v0 + 4.0 * v1 - 6.0 * mean) / h,
    )


def _signed(sign: int, c: Cubic) -> Cubic:
    return (sign * c[0] + AT_REST, sign * c[1], sign * c[2], sign * c[3])


def _cone(mu: float, fx: list[float], fy: list[float]) -> tuple[Cubic, Cubic]:
    """Friction that a sticking foot has left before it slides to -x and to +x."""
    pos = [mu * y - x for x, y in zip(fx, fy, strict=True)]
    neg = [mu * y + x for x, y in zip(fx, fy, strict=True)]
    return parabola(*pos), parabola(*neg)


def _primitive(c: Cubic, s: float) -> float:
    return s * (c[0] + s * (c[1] / 2.0 + s * (c[2] / 3.0 + s * c[3] / 4.0)))

"""Event-driven simulation of the crawling robot for prescribed joints (Section III of the paper).

With the joints prescribed, the acceleration of foot 1 in each contact mode depends on time alone: a phase between two
events is a quadrature, and an event is a root.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crawler_core.motion import PeriodicMotion
from crawler_models.three_link.equations.closed_chain import Chain, closed_chain
from crawler_models.three_link.equations.contact_law import ContactLost, HybridFault, PainleveParadox, consistent_modes
from crawler_models.three_link.equations.dynamics import Forces, acceleration, contact_forces, painleve_margin
from crawler_models.three_link.equations.foot_mode import STICK_STICK, Mode
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.simulation.piecewise import Piecewise, node_times, resolve
from crawler_models.three_link.simulation.trajectory import Phase, Trajectory

_AT_REST = 1e-10  # of the feet's largest relative speed: below it a foot is at rest
_ROUNDING_SHARE = 1e-12  # of the weight: a friction cone left by less than this is not left
_A_MOMENT = 1e-7  # of the span: modes are compared this long after an event, see _choose
_MANY_EVENTS = 500  # per span; a crawling gait has about four


@dataclass(frozen=True)
class State:
    """Foot 1's position (m) and velocity (m/s) in the paper's axes, and the contact mode if it is already known."""

    x1: float = 0.0
    v1: float = 0.0
    mode: Mode | None = None


class ModeTable:
    """Everything one contact mode says about a span: motion of foot 1 up to its start, and what ends the mode."""

    def __init__(self, robot: ThreeLink, edges: np.ndarray, chain: Chain, mode: Mode, still: float) -> None:
        def fit(values: np.ndarray) -> Piecewise:
            return Piecewise.fit(edges, values)

        a = acceleration(robot, chain, mode)
        self.a = fit(a)
        # A sticking foot 2 fixes foot 1 exactly, which quadrature would only approximate.
        slides_back = mode[1] == 0 and mode[0] != 0
        self.v1 = -1.0 * fit(chain.d1) if slides_back else self.a.integral()
        self.x1 = -1.0 * fit(chain.d) if slides_back else self.v1.integral()
        self.v2 = fit(chain.d1) if mode[0] == 0 else self.v1 + fit(chain.d1)
        forces = contact_forces(robot, chain, mode, a)
        self.forces = Forces(*(fit(force) for force in forces))
        self.margin = fit(painleve_margin(robot, chain, mode))
        f1x, f1y, f2x, f2y = forces
        self.friction: list[Piecewise] = []
        if mode[0] == 0:
            self.friction += [fit(robot.mu1 * f1y - f1x), fit(robot.mu1 * f1y + f1x)]
        if mode[1] == 0:
            self.friction += [fit(robot.mu2 * f2y - f2x), fit(robot.mu2 * f2y + f2x)]
        if mode == STICK_STICK:  # holds only while the feet keep their distance
            self.friction += [fit(still - chain.d1), fit(still + chain.d1)]


class SpanTable:
    """The closed chain over ``start .. end`` of a joint motion, tabulated once for all modes and all cycles."""

    def __init__(self, robot: ThreeLink, motion: PeriodicMotion, start: float, end: float) -> None:
        def terms(t: np.ndarray) -> tuple[np.ndarray, ...]:
            c = closed_chain(robot, *motion.sample(t))
            return c.d, c.d1, c.d2, c.C, c.P, c.K, c.Q

        self.robot, self.motion, self.start, self.end = robot, motion, start, end
        self.edges = resolve(terms, start, end)
        self.chain = closed_chain(robot, *motion.sample(node_times(self.edges)))
        # A mode's v1(t) covers the whole span, up to g times its length, and carries the rounding of that.
        falling = robot.g * (end - start)
        self.still = max(_AT_REST * float(np.abs(self.chain.d1).max()), 50.0 * np.finfo(float).eps * falling)
        self._modes: dict[Mode, ModeTable] = {}

    def mode(self, mode: Mode) -> ModeTable:
        """Table of one mode, computed when first asked for."""
        if mode not in self._modes:
            self._modes[mode] = ModeTable(self.robot, self.edges, self.chain, mode, self.still)
        return self._modes[mode]

    @cached_property
    def d(self) -> Piecewise:
        """Distance between the feet, m."""
        return Piecewise.fit(self.edges, self.chain.d)

    @cached_property
    def d1(self) -> Piecewise:
        """Rate of the distance between the feet, m/s."""
        return Piecewise.fit(self.edges, self.chain.d1)


def simulate(table: SpanTable, state: State) -> Trajectory:
    """Move from ``state`` at the span's start to its end.

    Raises ContactLost, PainleveParadox or NoConsistentMode with the time at which the model's assumptions end.
    """
    t, x1, v1, mode = table.start, state.x1, state.v1, state.mode
    moment, search_from = _A_MOMENT * (table.end - table.start), table.start
    phases: list[Phase] = []
    switches: list[tuple[float, Mode]] = []
    unique, margin = True, 1.0
    if mode is None:
        v1, mode, unique, margin = _choose(table, t, v1, None)
    while True:
        fields = table.mode(mode)
        speed = v1 - float(fields.v1(t))  # what the mode's own v1(t) lacks
        end = _end_of_mode(table, mode, min(search_from, table.end), speed)
        _check_assumptions(table, mode, t, end)
        phases.append(Phase(t, end, mode, x1, speed, fields))
        margin = min(margin, fields.margin.minimum(t, end))
        x1, v1 = phases[-1].end_state()
        if end >= table.end:
            break
        t, previous = end, mode
        v1, mode, only_one, lowest = _choose(table, t, v1, previous)
        unique, margin = unique and only_one, min(margin, lowest)
        # Where a guard only grazes zero the same mode goes on; searching from t again would hold time still.
        search_from = t + moment if mode == previous else t
        if mode != previous:
            switches.append((t, mode))
        if len(phases) > _MANY_EVENTS:
            raise HybridFault(f"The contact mode switches without end near t = {t:.6g} s.", t)
    return Trajectory(table, tuple(phases), tuple(switches), margin, unique)


def _end_of_mode(table: SpanTable, mode: Mode, t: float, speed: float) -> float:
    """Earliest time at which a slipping foot stops or a sticking foot's friction is exhausted."""
    fields, end = table.mode(mode), table.end
    # A phase starts where its guards are zero; the tolerances keep rounding from ending it at once.
    rounding = _ROUNDING_SHARE * table.robot.mass * table.robot.g
    guards = [(guard, 1.0, rounding) for guard in fields.friction]
    if mode[0]:
        guards.append((fields.v1, float(mode[0]), mode[0] * speed + table.still))
    if mode[1]:
        guards.append((fields.v2, float(mode[1]), mode[1] * speed + table.still))
    for guard, sign, offset in guards:
        found = guard.first_negative(t, end, sign, offset)
        end = end if found is None else found
    return end


def _check_assumptions(table: SpanTable, mode: Mode, t: float, end: float) -> None:
    """Both normal forces and the denominator stay positive from ``t`` to ``end``."""
    fields = table.mode(mode)
    if (when := fields.margin.first_negative(t, end)) is not None:
        raise PainleveParadox(mode, when)
    lost = [
        (when, foot)
        for foot, normal in ((1, fields.forces.f1y), (2, fields.forces.f2y))
        if (when := normal.first_negative(t, end)) is not None
    ]
    if lost:
        when, foot = min(lost)
        raise ContactLost(foot, when)


def _choose(table: SpanTable, t: float, v1: float, previous: Mode | None) -> tuple[float, Mode, bool, float]:
    """After an event: foot 1's velocity, the consistent mode, whether it is the only one, and the Painleve margin.

    Consistency is tested a moment later: when a stick breaks, the accelerations of stick and slip are equal at the very
    instant and only then part. A foot that was sticking, or has just stopped, is free to choose; its velocity is set to
    zero exactly, so that what an event leaves of it cannot end the next phase.
    """
    d1 = float(table.d1(t))
    moving = [0, 0]
    for foot, velocity in enumerate((v1, v1 + d1)):
        sticking = previous is not None and previous[foot] == 0
        if not sticking and abs(velocity) > 2.0 * table.still:
            moving[foot] = 1 if velocity > 0.0 else -1
    if moving[0] == 0:
        v1 = 0.0
    elif moving[1] == 0:
        v1 = -d1
    span = table.end - table.start
    later = t + _A_MOMENT * span
    chain = closed_chain(table.robot, *table.motion.sample(np.asarray(later)))
    locked = max(abs(float(chain.d1)), 1e-3 * span * abs(float(chain.d2))) <= table.still  # and will stay so
    modes, margin = consistent_modes(table.robot, chain, (moving[0], moving[1]), locked, t)
    return v1, modes[0], len(modes) == 1, margin

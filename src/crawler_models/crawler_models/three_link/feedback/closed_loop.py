"""Event-driven simulation of the robot under the feedback law (19), in continuous time.

Joint accelerations depend on the state, so a phase is no quadrature as in ``hybrid``: it is integrated by Runge and
Kutta's fourth-order rule, and the step in which a guard becomes negative is shortened until it ends at the event. The
time of an event is thus as exact as the integration. What becomes negative and positive again inside one step is not
seen.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from crawler_core.motion import PeriodicMotion
from crawler_models.three_link.equations.closed_chain import closed_chain
from crawler_models.three_link.equations.contact_law import (
    ContactLost,
    HybridFault,
    NoConsistentMode,
    PainleveParadox,
    slack,
)
from crawler_models.three_link.equations.dynamics import acceleration, contact_forces, painleve_margin
from crawler_models.three_link.equations.foot_mode import STICK_STICK, candidates
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.feedback.feedback_law import FeedbackLaw
from crawler_models.three_link.feedback.loop_equations import AT_REST, LoopEquations, LoopState

_MIN_STEPS_PER_PERIOD = 250  # per period, at least
_MAX_STEP_GAIN = 0.4  # at most K_D times a step; the rule is stable up to 2.8
_MANY_EVENTS = 400  # per period; a crawling gait has about ten


class Event(NamedTuple):
    """Event that a guard signals."""

    kind: str  # stops, breaks, leaves (Phi) or enters (Phi)
    foot: int = 0


class ClosedLoop:
    """A robot, a periodic reference and the law; ``cycle`` lets one period pass."""

    def __init__(
        self, robot: ThreeLink, motion: PeriodicMotion, law: FeedbackLaw, steps: int = _MIN_STEPS_PER_PERIOD
    ) -> None:
        self.robot, self.law = robot, law
        self.equations = LoopEquations(robot, motion, law)
        self.period = float(motion.period)
        self._step = min(self.period / steps, _MAX_STEP_GAIN / max(law.k_d, law.k_v, 1e-9))
        # with a dwell a chatter between the two lines of (19) is slow and may be followed
        self._most_events = _MANY_EVENTS + (round(4.0 * self.period / law.dwell) if law.dwell > 0.0 else 0)
        self._turns = _turns(robot, motion, self.period)

    def start(self, v1: float = 0.0) -> LoopState:
        """On the reference, foot 1 moving at ``v1`` (m/s)."""
        r = self.equations.reference(0.0)
        y = (*r.q, *r.dq, v1, 0.0)
        d1 = float(closed_chain(self.robot, r.q, r.dq, (0.0, 0.0)).d1)
        moving = [0 if abs(v) <= AT_REST else int(np.sign(v)) for v in (v1, v1 + d1)]
        return self._choose(LoopState(0.0, y, STICK_STICK, False), (moving[0], moving[1]))

    def cycle(self, state: LoopState) -> tuple[LoopState, list[tuple[LoopState, float]]]:
        """One period from ``state``; also every accepted step with foot 2's velocity.

        Raises HybridFault and its kinds (a foot lifts, Painleve's paradox, endless switching) with the time in the
        cycle.
        """
        steps: list[tuple[LoopState, float]] = []
        events = 0
        ends = [*self._turns, self.period]
        while state.t < self.period:
            state = self._enter(state)
            end = next(t for t in ends if t > state.t)
            if not state.tracks_contacts and state.left + self.equations.wait > state.t:
                end = min(end, state.left + self.equations.wait)
            opening = self.equations.opening(0.5 * (state.t + end))
            now = self.equations.evaluate(state, state.y, state.t, opening)
            self._check(state, now.guards)
            steps.append((state, now.v2))
            while state.t < end:
                h = min(self._step, end - state.t)
                h = h if end - state.t - h > 1e-3 * h else end - state.t
                after = self.equations.advance(state, h, opening)
                now = self.equations.evaluate(state, after, state.t + h, opening)
                if min(now.guards) < 0.0:
                    h, event = self._first_event(state, h, opening, now.guards)
                    after = self.equations.advance(state, h, opening)
                    state = self._switch(replace(state, t=state.t + h, y=after), event, opening)
                    events += 1
                    if events > self._most_events:
                        raise HybridFault(
                            f"The law switches without end near t = {state.t:.6g} s: give it a dwell.", state.t
                        )
                    break
                state = replace(state, t=end if end - state.t - h < 1e-12 else state.t + h, y=after)
                steps.append((state, now.v2))
        return state, steps

    def _first_event(self, state: LoopState, h: float, opening: bool, guards: list[float]) -> tuple[float, Event]:
        """Find the first guard that becomes negative: its time and index."""
        equations = self.equations
        start = equations.evaluate(state, state.y, state.t, opening).guards
        found = []
        for k, value in enumerate(guards):
            if value >= 0.0:
                continue

            def guard(length: float, k: int = k) -> float:
                after = equations.advance(state, length, opening)
                return equations.evaluate(state, after, state.t + length, opening).guards[k]

            when = float(brentq(guard, 0.0, h, xtol=1e-13)) if start[k] > 0.0 else 0.0
            found.append((when, k))
        when, k = min(found)
        if k < 3:
            self._check(replace(state, t=state.t + when), guards)
        kinds = (
            Event("stops" if state.mode[0] else "breaks", 1),
            Event("stops" if state.mode[1] else "breaks", 2),
            Event("leaves" if state.tracks_contacts else "enters"),
        )
        return when, kinds[k - 3]

    def _check(self, state: LoopState, guards: list[float]) -> None:
        """Raise if the model's assumptions do not hold."""
        for foot in (1, 2):
            if guards[foot - 1] < 0.0:
                raise ContactLost(foot, state.t)
        if guards[2] < 0.0:
            raise PainleveParadox(state.mode, state.t)

    # between phases

    def _switch(self, state: LoopState, event: Event, opening: bool) -> LoopState:
        t, mode = state.t, state.mode
        if event.kind == "leaves":
            return replace(state, tracks_contacts=False, left=t)
        if event.kind == "enters":
            return self._enter(state, edge=True)
        moving = list(mode)
        d1 = float(closed_chain(self.robot, state.q, state.dq, (0.0, 0.0)).d1)
        v1 = 0.0 if mode[0] == 0 else -d1 if mode[1] == 0 else state.y[4]
        state = replace(state, y=(*state.y[:4], v1, state.y[5]))
        if event.kind == "breaks":  # the foot gives way to the friction that held it
            _, c = self.equations.chain(False, mode, state.y, t, opening)
            forces = contact_forces(self.robot, c, mode, acceleration(self.robot, c, mode))
            moving[event.foot - 1] = -int(np.sign(forces[2 * (event.foot - 1)]))
        else:
            at_rest = (abs(v1) <= 2.0 * AT_REST, abs(v1 + d1) <= 2.0 * AT_REST)
            moving = [0 if foot == event.foot - 1 or at_rest[foot] else mode[foot] for foot in (0, 1)]
        return self._choose(state, (moving[0], moving[1]))

    def _enter(self, state: LoopState, edge: bool = False) -> LoopState:
        """Track contact velocities where (19) says so. ``edge``: the joints are just as far inside as they must be."""
        inside = edge or self.law.room(state.q) > self.law.hysteresis
        rested = state.t >= state.left + self.equations.wait
        slipping = state.mode[0] != 0 and state.mode[1] != 0
        if state.tracks_contacts or not (slipping and inside and rested):
            return state
        return replace(state, tracks_contacts=True)

    def _choose(self, state: LoopState, moving: tuple[int, int]) -> LoopState:
        """The contact mode that is consistent with what (19) commands in it; ``moving`` is 0 for a foot that is free.

        Where there is none, the foot hangs between the two lines of the law: tracking its velocity stops it, tracking
        the joints moves it on. A law with a dwell then tracks the joints for that long; without one it has no solution.
        """
        v1 = state.y[4]
        d1 = float(closed_chain(self.robot, state.q, state.dq, (0.0, 0.0)).d1)
        if moving[0] == 0:
            v1 = 0.0
        elif moving[1] == 0:
            v1 = -d1
        state = replace(state, y=(*state.y[:4], v1, state.y[5]))
        opening = self.equations.opening(min(state.t + 1e-9 * self.period, self.period))
        for law_may_switch in (True, False) if self.law.dwell > 0.0 else (True,):
            base = state if law_may_switch else replace(state, tracks_contacts=False, left=state.t)
            fits = []
            for mode in candidates(moving):
                if mode == STICK_STICK:
                    continue
                tried = replace(base, mode=mode)
                if mode[0] == 0 or mode[1] == 0:
                    tried = replace(tried, tracks_contacts=False)
                    tried = replace(tried, left=state.t) if base.tracks_contacts else tried
                elif law_may_switch:
                    tried = self._enter(tried)
                _, c = self.equations.chain(tried.tracks_contacts, mode, tried.y, tried.t, opening)
                if painleve_margin(self.robot, c, mode) <= 0.0:
                    raise PainleveParadox(mode, state.t)
                fits.append((slack(self.robot, c, mode, moving), tried))
            best, chosen = max(fits, key=lambda entry: entry[0])
            if best > 0.0:
                return chosen
        if self.law.dwell > 0.0:
            raise NoConsistentMode(state.t)
        raise HybridFault(
            f"The law has no solution at t = {state.t:.6g} s: a foot hangs between tracking contacts and tracking "
            "joints; give it a dwell.",
            state.t,
        )


def _turns(robot: ThreeLink, motion: PeriodicMotion, period: float) -> list[float]:
    """When d_r' changes sign within the period."""

    def d1(t: float) -> float:
        return float(closed_chain(robot, *motion.sample(np.asarray(t))).d1)

    t = np.linspace(0.0, period, 1001)
    values = closed_chain(robot, *motion.sample(t)).d1
    changes = np.flatnonzero((values[:-1] > 0.0) != (values[1:] > 0.0))
    return [float(brentq(d1, t[k], t[k + 1], xtol=1e-14)) for k in changes]

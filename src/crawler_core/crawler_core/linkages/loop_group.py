"""Loops that share passive joints, closed together by iteration."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from crawler_core.errors import UserError
from crawler_core.linkages.least_squares import least_squares
from crawler_core.linkages.loop import Columns, Loop
from crawler_core.robot.robot_spec import JointSpec, RobotSpec

CLOSED = 1e-12  # m: a gap below is rounding
AIM = 1e-13  # m at which the iteration ends
STRIDE = 0.1  # rad, or of the loop's size, that the driving joints move between two solutions
SLIP = 0.3  # likewise, that an iteration may change a passive joint by; more could lead onto the other branch
FINEST = 2.0**-10  # of a stride: where even such a step fails, the way ends
ROUNDS = 12  # of an iteration; three are usual
TOUCHING = 1e-9  # m: a gap that is none to a person
DESCENT = 200  # of the search from a guess


def coupled(spec: RobotSpec, loops: Sequence[Loop]) -> list[list[Loop]]:
    """The loops in groups that share no passive joint with each other."""
    groups: list[tuple[set[int], list[Loop]]] = []
    for loop in loops:
        passive, own = {i for i in loop.joints if not spec.joints[i].actuated}, [loop]
        apart = []
        for others, members in groups:
            if others & passive:
                passive, own = passive | others, members + own
            else:
                apart.append((others, members))
        groups = [*apart, (passive, own)]
    return [members for _, members in groups]


def widest(gaps: Sequence[float]) -> float:
    """The length of the longest of the gaps (m), of three rows each."""
    return max(math.hypot(*gaps[row : row + 3]) for row in range(0, len(gaps), 3))


class LoopGroup:
    """Loops that share passive joints, and so are closed together."""

    def __init__(self, spec: RobotSpec, loops: Sequence[Loop]) -> None:
        self._spec = spec
        self._loops = loops
        on = sorted(set().union(*(loop.joints for loop in loops)))
        self.passive = [i for i in on if not spec.joints[i].actuated]
        self._driving = [i for i in on if spec.joints[i].actuated]
        self._size = max(loop.length for loop in loops)
        self._scale = [self._size if i in _sliding(loops) else 1.0 for i in range(len(spec.joints))]
        self._rows = 3 * len(loops)
        self._q = [joint.home for joint in spec.joints]  # of which only this group's are used
        self._check()
        self._close_at_home()
        self.home = [self._q[i] for i in self.passive]

    def evaluate(self, q: Sequence[float]) -> tuple[list[float], Columns]:
        """The gaps of the loops (m), three rows each, and how they change with each joint."""
        columns = {i: [0.0] * self._rows for i in (*self.passive, *self._driving)}
        gaps: list[float] = []
        for loop in self._loops:
            row = len(gaps)
            first = loop.first.follow(q, 1.0, row, columns)
            second = loop.second.follow(q, -1.0, row, columns)
            gaps += [a - b for a, b in zip(first, second, strict=True)]
        return gaps, columns

    def fill(self, q: list[float], rates: list[float]) -> None:
        """Write the passive joints of this group into `q` and `rates`. Raises UserError where they do not close."""
        if not all(math.isfinite(q[i]) for i in self._driving):
            solution = dict.fromkeys(self.passive, math.nan)
        else:
            self._follow(q)
            solution = {i: self._q[i] for i in self.passive}
        for i, value in solution.items():
            q[i] = value
        speeds = self._respond([rates[i] for i in self._driving]) if math.isfinite(q[self.passive[0]]) else None
        for k, i in enumerate(self.passive):
            rates[i] = math.nan if speeds is None else speeds[k]

    def _follow(self, q: Sequence[float]) -> None:
        """Go from the last solution to the driving joints of `q`, in steps that cannot lose the branch."""
        goal = [q[i] for i in self._driving]
        way = [self._short(i, end - self._q[i]) for i, end in zip(self._driving, goal, strict=True)]
        strides = max((abs(d) / (STRIDE * self._scale[i]) for i, d in zip(self._driving, way, strict=True)), default=0)
        if strides == 0.0:
            return
        left, step = 1.0, 1.0 / math.ceil(strides)
        while left > 0.0:
            share = step if left > 1.000001 * step else left
            after = left - share
            driving = [end - after * d for end, d in zip(goal, way, strict=True)] if after else goal
            if self._step([share * d for d in way], driving):
                left = after
            elif share * strides > FINEST:
                step = 0.5 * share
            else:
                raise UserError(self._complaint(goal))

    def _short(self, i: int, way: float) -> float:
        turn = 2.0 * math.pi
        return way - turn * round(way / turn) if self._spec.joints[i].continuous else way

    def _step(self, change: list[float], driving: Sequence[float]) -> bool:
        """Close the loops with the driving joints there, after a `change` of them. Where that fails nothing changes."""
        response = self._respond(change)
        if response is None:
            return False
        q = list(self._q)
        for i, value in zip(self._driving, driving, strict=True):
            q[i] = value
        for i, moved in zip(self.passive, response, strict=True):
            q[i] += moved
        return self._polish(q)

    def _respond(self, change: Sequence[float]) -> list[float] | None:
        """How the passive joints change with the driving ones, at the last solution; None at a dead centre."""
        right = [0.0] * self._rows
        for i, moved in zip(self._driving, change, strict=True):
            for row, slope in enumerate(self._columns[i]):
                right[row] -= slope * moved
        return least_squares([self._columns[i] for i in self.passive], right)

    def _polish(self, q: list[float]) -> bool:
        """Newton's iteration from a near guess; where it closes the loops it becomes the last solution."""
        before = math.inf
        for _ in range(ROUNDS):
            gaps, columns = self.evaluate(q)
            gap = widest(gaps)
            if gap <= AIM or (gap >= 0.5 * before and gap <= self._rounding(q)):
                self._q, self._columns = q, columns
                return True
            change = least_squares([columns[i] for i in self.passive], [-g for g in gaps])
            if change is None or self._far(change):
                return False
            for i, moved in zip(self.passive, change, strict=True):
                q[i] += moved
            before = gap
        return False

    def _far(self, change: Sequence[float]) -> bool:
        return any(abs(moved) > SLIP * self._scale[i] for i, moved in zip(self.passive, change, strict=True))

    def _rounding(self, q: Sequence[float]) -> float:
        """The gap (m) that floats leave: an angle of many turns has fewer digits behind its point."""
        return CLOSED + 1e-15 * self._size * max(abs(q[i]) for i in (*self.passive, *self._driving))

    def _nearest(self, guess: Sequence[float]) -> list[float]:
        """The passive joints moved from a guess to where the gaps are least: Levenberg's descent."""
        q, stiff = list(guess), 1e-3
        gaps, columns = self.evaluate(q)
        for _ in range(DESCENT):
            if widest(gaps) <= CLOSED or stiff > 1e6:
                break
            damped = []
            for k, i in enumerate(self.passive):
                own = [0.0] * len(self.passive)
                own[k] = stiff * self._size / self._scale[i]
                damped.append(columns[i] + own)
            change = least_squares(damped, [-g for g in gaps] + [0.0] * len(self.passive))
            if change is None or self._far(change):
                stiff *= 4.0
                continue
            trial = list(q)
            for i, moved in zip(self.passive, change, strict=True):
                trial[i] += moved
            tried = self.evaluate(trial)
            if math.hypot(*tried[0]) < math.hypot(*gaps):
                q, (gaps, columns), stiff = trial, tried, 0.2 * stiff
            else:
                stiff *= 4.0
        return q

    def _close_at_home(self) -> None:
        if not self._polish(self._nearest(self._q)) or self._respond([0.0] * len(self._driving)) is None:
            raise UserError(f"{self._complaint([self._q[i] for i in self._driving])}: that is its home.")

    def _check(self) -> None:
        """Raise UserError where the loops cannot decide their passive joints, wherever they are."""
        names = " and ".join(f"'{loop.spec.name}'" for loop in self._loops)
        if not self.passive:
            raise UserError(f"the loop {names} of '{self._spec.name}' has no passive joint on it, so it cannot move.")
        rank = 0
        for shift in (0.0, 0.3, 0.7, 1.1):  # at home it may stand at a dead centre
            q = [
                value + shift * scale * (1.0 + 0.1 * i)
                for i, (value, scale) in enumerate(zip(self._q, self._scale, strict=True))
            ]
            columns = self.evaluate(q)[1]
            rank = max(rank, np.linalg.matrix_rank(np.array([columns[i] for i in self.passive]), tol=1e-9 * self._size))
        if rank < len(self.passive):
            joints = ", ".join(self._spec.joint_names[i] for i in self.passive)
            raise UserError(
                f"the loop {names} of '{self._spec.name}' decides {rank} of its {len(self.passive)} passive joints "
                f"({joints}): one of them must be actuated, or another loop must close."
            )

    def _complaint(self, driving: Sequence[float]) -> str:
        """Why the loops do not close with the driving joints there."""
        q = list(self._q)
        for i, value in zip(self._driving, driving, strict=True):
            q[i] = value
        gaps = self.evaluate(self._nearest(q))[0]
        lengths = [math.hypot(*gaps[row : row + 3]) for row in range(0, len(gaps), 3)]
        gap = max(lengths)
        loop = self._loops[lengths.index(gap)].spec
        where = ", ".join(_value(self._spec.joints[i], q[i], i in _sliding(self._loops)) for i in self._driving)
        at = f" with {where}" if where else ""
        if gap <= TOUCHING:
            return f"the loop '{loop.name}' of '{self._spec.name}' meets a dead centre before it can close{at}"
        return (
            f"the loop '{loop.name}' of '{self._spec.name}' cannot close{at}: {loop.first} and {loop.second} stay "
            f"{1e3 * gap:.3g} mm apart"
        )


def _value(joint: JointSpec, value: float, sliding: bool) -> str:
    return f"{joint.name} at {1e3 * value:.2f} mm" if sliding else f"{joint.name} at {math.degrees(value):.2f} degrees"


def _sliding(loops: Sequence[Loop]) -> set[int]:
    return {step.joint for loop in loops for path in (loop.first, loop.second) for step in path.steps if step.sliding}

"""Loops that share passive joints, closed together by Newton's iteration."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from crawler_core.errors import UserError
from crawler_core.linkages.least_squares import least_squares
from crawler_core.linkages.loop import JacobianColumns, Loop
from crawler_core.robot.robot_spec import JointSpec, RobotSpec

CLOSED_GAP_M = 1e-12  # a gap below it is rounding
NEWTON_GOAL_M = 1e-13  # the gap at which the iteration ends
VISIBLE_GAP_M = 1e-9  # a smaller gap is none to a person
MAX_STRIDE = 0.1  # rad, or of the loop's size, that the driving joints move between two solutions
MAX_CORRECTION = 0.3  # rad, or of the loop's size, of a passive joint in one iteration: more could change the branch
MIN_STRIDE_SHARE = 2.0**-10  # of a stride: loops that do not close after so small a step cannot close
MAX_NEWTON_ITERATIONS = 12  # three are usual
MAX_DESCENT_ITERATIONS = 200  # from a guess
FULL_TURN = 2.0 * math.pi


def group_loops(spec: RobotSpec, loops: Sequence[Loop]) -> list[list[Loop]]:
    """Return the loops in groups that share no passive joint with each other."""
    groups: list[tuple[set[int], list[Loop]]] = []
    for loop in loops:
        passive, members = {i for i in loop.joints if not spec.joints[i].actuated}, [loop]
        separate = []
        for other_passive, others in groups:
            if other_passive & passive:
                passive, members = passive | other_passive, others + members
            else:
                separate.append((other_passive, others))
        groups = [*separate, (passive, members)]
    return [members for _, members in groups]


def gap_lengths(gaps: Sequence[float]) -> list[float]:
    """Return the lengths of the gaps (m), of three rows each."""
    return [math.hypot(*gaps[row : row + 3]) for row in range(0, len(gaps), 3)]


class LoopGroup:
    """Solves loops that share passive joints, and remembers the last solution."""

    def __init__(self, spec: RobotSpec, loops: Sequence[Loop]) -> None:
        """Raise UserError where the loops do not decide their passive joints, or cannot close at home."""
        self._spec = spec
        self._loops = loops
        joints = sorted(set().union(*(loop.joints for loop in loops)))
        self.passive = [i for i in joints if not spec.joints[i].actuated]
        self._driving = [i for i in joints if spec.joints[i].actuated]
        self._sliding = set().union(*(loop.sliding_joints for loop in loops))
        self._size = max(loop.length for loop in loops)
        self._scale = [self._size if i in self._sliding else 1.0 for i in range(len(spec.joints))]
        self._rows = 3 * len(loops)
        self._q = [joint.home for joint in spec.joints]  # the last solution; other joints' entries are not used
        self._columns: JacobianColumns = {}  # at the last solution
        self._check_rank()
        self._close_at_home()
        self.home = [self._q[i] for i in self.passive]

    def evaluate(self, q: Sequence[float]) -> tuple[list[float], JacobianColumns]:
        """Return the gaps of the loops (m), three rows each, and their derivatives by each joint."""
        columns = {i: [0.0] * self._rows for i in (*self.passive, *self._driving)}
        gaps: list[float] = []
        for loop in self._loops:
            row = len(gaps)
            first = loop.first.evaluate(q, 1.0, row, columns)
            second = loop.second.evaluate(q, -1.0, row, columns)
            gaps += [a - b for a, b in zip(first, second, strict=True)]
        return gaps, columns

    def fill(self, q: list[float], rates: list[float]) -> None:
        """Write the passive joints of this group into `q` and `rates`. Raise UserError where the loops do not close."""
        speeds: Sequence[float] | None = None
        if all(math.isfinite(q[i]) for i in self._driving):
            self._go_to([q[i] for i in self._driving])
            speeds = self._passive_change([rates[i] for i in self._driving])
            angles = [self._q[i] for i in self.passive]
        else:
            angles = [math.nan] * len(self.passive)
        for i, angle, speed in zip(self.passive, angles, speeds or [math.nan] * len(angles), strict=True):
            q[i], rates[i] = angle, speed

    def _go_to(self, goal: Sequence[float]) -> None:
        """Go from the last solution to driving joints at `goal`, in steps that cannot lose the branch."""
        travel = [self._short_way(i, end - self._q[i]) for i, end in zip(self._driving, goal, strict=True)]
        pairs = zip(self._driving, travel, strict=True)
        strides = max((abs(d) / (MAX_STRIDE * self._scale[i]) for i, d in pairs), default=0)
        if strides == 0.0:
            return
        left, step = 1.0, 1.0 / math.ceil(strides)  # shares of the travel
        while left > 0.0:
            share = step if left > 1.000001 * step else left
            left_after = left - share
            driving = [end - left_after * d for end, d in zip(goal, travel, strict=True)] if left_after else goal
            if self._step([share * d for d in travel], driving):
                left = left_after
            elif share * strides > MIN_STRIDE_SHARE:
                step = 0.5 * share
            else:
                raise UserError(self._failure(goal))

    def _short_way(self, i: int, travel: float) -> float:
        """Return the travel of a joint without full turns, where it is continuous."""
        return travel - FULL_TURN * round(travel / FULL_TURN) if self._spec.joints[i].continuous else travel

    def _step(self, change: Sequence[float], driving: Sequence[float]) -> bool:
        """Close the loops with the driving joints there, after a `change` of them. A failure changes nothing."""
        response = self._passive_change(change)
        if response is None:
            return False
        q = self._with_driving(driving)
        for i, moved in zip(self.passive, response, strict=True):
            q[i] += moved
        return self._solve(q)

    def _with_driving(self, driving: Sequence[float]) -> list[float]:
        """Return the last solution with other driving joints."""
        q = list(self._q)
        for i, value in zip(self._driving, driving, strict=True):
            q[i] = value
        return q

    def _passive_change(self, change: Sequence[float]) -> list[float] | None:
        """Return the change of the passive joints with one of the driving joints; None at a dead centre."""
        right = [0.0] * self._rows
        for i, moved in zip(self._driving, change, strict=True):
            for row, slope in enumerate(self._columns[i]):
                right[row] -= slope * moved
        return least_squares([self._columns[i] for i in self.passive], right)

    def _solve(self, q: list[float]) -> bool:
        """Close the loops from a near guess by Newton's iteration. A success becomes the last solution."""
        before = math.inf
        for _ in range(MAX_NEWTON_ITERATIONS):
            gaps, columns = self.evaluate(q)
            gap = max(gap_lengths(gaps))
            if gap <= NEWTON_GOAL_M or (gap >= 0.5 * before and gap <= self._rounding(q)):
                self._q, self._columns = q, columns
                return True
            change = least_squares([columns[i] for i in self.passive], [-g for g in gaps])
            if change is None or self._is_too_far(change):
                return False
            for i, moved in zip(self.passive, change, strict=True):
                q[i] += moved
            before = gap
        return False

    def _is_too_far(self, change: Sequence[float]) -> bool:
        return any(abs(moved) > MAX_CORRECTION * self._scale[i] for i, moved in zip(self.passive, change, strict=True))

    def _rounding(self, q: Sequence[float]) -> float:
        """Return the gap (m) that floats leave: an angle of many turns has fewer digits behind its point."""
        return CLOSED_GAP_M + 1e-15 * self._size * max(abs(q[i]) for i in (*self.passive, *self._driving))

    def _nearest_to_closed(self, guess: Sequence[float]) -> list[float]:
        """Return a guess with its passive joints moved to the smallest gaps, by Levenberg's descent."""
        q, damping = list(guess), 1e-3
        gaps, columns = self.evaluate(q)
        for _ in range(MAX_DESCENT_ITERATIONS):
            if max(gap_lengths(gaps)) <= CLOSED_GAP_M or damping > 1e6:
                break
            damped = []
            for k, i in enumerate(self.passive):
                own = [0.0] * len(self.passive)
                own[k] = damping * self._size / self._scale[i]
                damped.append(columns[i] + own)
            change = least_squares(damped, [-g for g in gaps] + [0.0] * len(self.passive))
            if change is None or self._is_too_far(change):
                damping *= 4.0
                continue
            trial = list(q)
            for i, moved in zip(self.passive, change, strict=True):
                trial[i] += moved
            trial_gaps, trial_columns = self.evaluate(trial)
            if math.hypot(*trial_gaps) < math.hypot(*gaps):
                q, gaps, columns, damping = trial, trial_gaps, trial_columns, 0.2 * damping
            else:
                damping *= 4.0
        return q

    def _close_at_home(self) -> None:
        if (
            not self._solve(self._nearest_to_closed(self._q))
            or self._passive_change([0.0] * len(self._driving)) is None
        ):
            raise UserError(f"{self._failure([self._q[i] for i in self._driving])}: that is its home.")

    def _check_rank(self) -> None:
        """Raise UserError where the loops cannot decide their passive joints, wherever they are."""
        names = " and ".join(f"'{loop.spec.name}'" for loop in self._loops)
        if not self.passive:
            raise UserError(f"the loop {names} of '{self._spec.name}' has no passive joint on it, so it cannot move.")
        rank = 0
        for shift in (0.0, 0.3, 0.7, 1.1):  # home may be a dead centre
            scaled = enumerate(zip(self._q, self._scale, strict=True))
            columns = self.evaluate([q + shift * scale * (1.0 + 0.1 * i) for i, (q, scale) in scaled])[1]
            rank = max(rank, np.linalg.matrix_rank(np.array([columns[i] for i in self.passive]), tol=1e-9 * self._size))
        if rank < len(self.passive):
            joints = ", ".join(self._spec.joint_names[i] for i in self.passive)
            raise UserError(
                f"the loop {names} of '{self._spec.name}' decides {rank} of its {len(self.passive)} passive joints "
                f"({joints}): one of them must be actuated, or another loop must close."
            )

    def _failure(self, driving: Sequence[float]) -> str:
        """Explain why the loops do not close with the driving joints there."""
        q = self._with_driving(driving)
        lengths = gap_lengths(self.evaluate(self._nearest_to_closed(q))[0])
        gap = max(lengths)
        loop = self._loops[lengths.index(gap)].spec
        places = ", ".join(_joint_text(self._spec.joints[i], q[i], i in self._sliding) for i in self._driving)
        at = f" with {places}" if places else ""
        if gap <= VISIBLE_GAP_M:
            return f"the loop '{loop.name}' of '{self._spec.name}' meets a dead centre before it can close{at}"
        return (
            f"the loop '{loop.name}' of '{self._spec.name}' cannot close{at}: {loop.first} and {loop.second} stay "
            f"{1e3 * gap:.3g} mm apart"
        )


def _joint_text(joint: JointSpec, value: float, is_sliding: bool) -> str:
    return (
        f"{joint.name} at {1e3 * value:.2f} mm" if is_sliding else f"{joint.name} at {math.degrees(value):.2f} degrees"
    )

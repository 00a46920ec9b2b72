"""Contact modes that are consistent with Coulomb's law (4) at an instant."""

from __future__ import annotations

from crawler_models.three_link.equations.closed_chain import Chain
from crawler_models.three_link.equations.dynamics import acceleration, contact_forces, painleve_margin
from crawler_models.three_link.equations.foot_mode import STICK_STICK, Mode, candidates
from crawler_models.three_link.equations.three_link import ThreeLink

TIE_FORCE_SHARE = 1e-9
"""A mode that fails by less than this share of the weight is a tie (e.g. a perfectly symmetric gait), not a failure."""


class HybridFault(Exception):
    """The model's assumptions ended: its message is a sentence, ``time`` says when (s)."""

    def __init__(self, sentence: str, time: float) -> None:
        super().__init__(sentence)
        self.time = time


class ContactLost(HybridFault):
    """A foot would have to be pulled to the ground."""

    def __init__(self, foot: int, time: float) -> None:
        super().__init__(f"Foot {foot} leaves the ground at t = {time:.6g} s: its normal force falls to zero.", time)
        self.foot = foot


class PainleveParadox(HybridFault):
    """Rigid-body dynamics with dry friction has no unique answer here."""

    def __init__(self, mode: Mode, time: float) -> None:
        super().__init__(f"Painleve's paradox at t = {time:.6g} s: no unique acceleration in slip mode {mode}.", time)


class NoConsistentMode(HybridFault):
    """No contact mode satisfies Coulomb's law."""

    def __init__(self, time: float) -> None:
        super().__init__(f"No contact mode is consistent with Coulomb's law at t = {time:.6g} s.", time)


def slack(robot: ThreeLink, chain: Chain, mode: Mode, moving: tuple[int, int]) -> float:
    """Margin by which ``mode`` obeys (4), N; positive is consistent.

    A sticking foot must keep its tangential force inside the friction cone; a foot that starts to slip (its ``moving``
    is 0) must accelerate the way its friction assumes.
    """
    a = acceleration(robot, chain, mode)
    f1x, f1y, f2x, f2y = contact_forces(robot, chain, mode, a)
    feet = (
        (mode[0], moving[0], a, f1x, robot.mu1 * f1y),
        (mode[1], moving[1], a + chain.d2, f2x, robot.mu2 * f2y),
    )
    worst = float("inf")
    for s, already, a_foot, fx, reach in feet:
        if s == 0:
            worst = min(worst, reach - abs(fx))
        elif not already:
            worst = min(worst, s * a_foot * robot.mass)
    return worst


def consistent_modes(
    robot: ThreeLink, chain: Chain, moving: tuple[int, int], locked: bool, time: float
) -> tuple[list[Mode], float]:
    """Consistent modes, best first, and the smallest Painleve margin among the candidates.

    ``moving`` holds the sign of each foot's velocity, 0 for one at rest. ``locked`` says that the distance between the
    feet is not changing, the only case in which both can stick. Raises PainleveParadox and NoConsistentMode.
    """
    slacks: dict[Mode, float] = {}
    margin = 1.0
    for mode in candidates(moving):
        if mode == STICK_STICK and not locked:
            continue
        denominator = painleve_margin(robot, chain, mode)
        if denominator <= 0.0:
            raise PainleveParadox(mode, time)
        margin = min(margin, denominator)
        slacks[mode] = slack(robot, chain, mode, moving)
    ranked = sorted(slacks, key=lambda mode: -slacks[mode])
    passing = [mode for mode in ranked if slacks[mode] > 0.0]
    if passing:
        return passing, margin
    if slacks[ranked[0]] >= -TIE_FORCE_SHARE * robot.mass * robot.g:
        return ranked[:1], margin
    raise NoConsistentMode(time)

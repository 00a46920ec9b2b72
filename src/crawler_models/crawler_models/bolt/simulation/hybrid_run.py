"""The paper's model of a run: flight by singular perturbation (17), inelastic impact (18), pinned or slipping stance.

Sixteen strides of the paper's run, and what they ask for:

    run = simulate_hybrid(leg, PAPERS_RUN, lift_off_start(leg, PAPERS_RUN, -31.0), strides=16)
    run.reason, run.period.mean(), run.speed.mean(), run.friction_needed.max()
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from crawler_core.types import FloatArray
from crawler_models.bolt.compiled import run as compiled
from crawler_models.bolt.compiled.continuous_law import LawNumbers
from crawler_models.bolt.compiled.matrices import numbers
from crawler_models.bolt.compiled.spf import reduce
from crawler_models.bolt.compiled.stepping import STATES, WORK
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.equations.six_bar import passive_angles, pins
from crawler_models.bolt.simulation.running import RunningParameters

EPSILON_S = 1e-3  # s, of (17): constraint errors decay as exp(-t / EPSILON_S)
STEP_S = 1e-4  # s, of the integration
PEAK_POWER_W = 1350.0  # W, the motor's peak
MAX_STEP_PER_EPSILON = 2.8  # a step of Runge and Kutta's is shorter than so many EPSILON_S


class Mode(IntEnum):
    """Contact mode of the foot."""

    FLIGHT = 0
    STICK = 1
    SLIP = 2


@dataclass(frozen=True)
class HybridStart:
    """The state at time 0, in flight; SI units and radians.

    `z` are the passive angles q2 to q5; None closes the loops exactly.
    """

    q: tuple[float, float, float]  # q1, x_b, y_b
    dq: tuple[float, float, float]
    z: tuple[float, float, float, float] | None = None


@dataclass(frozen=True)
class HybridRun:
    """A whole run; SI units and radians.

    Arrays with n rows hold one instant each, in order; at a switch of the foot's mode there are two rows of the same
    time, before and after it. Arrays with s rows hold one stride each: a stride is a turn of the crank, cut where it
    passes the lift-off angle. `reason` is a sentence that says why the run ended early, or empty.
    """

    t: FloatArray  # (n,) s
    q: FloatArray  # (n, 3) q1 (rad, it decreases), x_b, y_b (m): the crank, and its axis over the ground
    dq: FloatArray  # (n, 3) rad/s, m/s, m/s
    z: FloatArray  # (n, 4) q2 to q5, without jumps: q2, of the HFE link against the crank, gains a turn in each stride
    dz: FloatArray  # (n, 4) as v = rho dq has it
    foot: FloatArray  # (n, 2) m, the foot over the ground; subtract q[:, 1:] for the body's frame
    reference: FloatArray  # (n,) rad, theta_1d of (20), the commanded q1
    tau: FloatArray  # (n,) N m at the crank
    F_T: FloatArray  # (n,) N, along the ground, on the foot; 0 in flight
    F_N: FloatArray  # (n,) N, of the ground, upward
    mode: NDArray[np.intp]  # (n,) a `Mode`
    w: FloatArray  # (n, 4) m, the errors of the constraints, Phi
    touch_down: FloatArray  # s, of every touch-down
    lift_off: FloatArray  # s, of every lift-off, without the start
    period: FloatArray  # (s,) s
    length: FloatArray  # (s,) m, of the body's way
    friction_needed: FloatArray  # (s,) the largest |F_T| / F_N of a sticking foot that bears a quarter of the weight
    friction_highest: (
        FloatArray  # (s,) the same without a bound on the load: a foot that leaves the ground bears less and less
    )
    impulse_ratio: FloatArray  # (s,) the largest |tangential| / normal impulse of a touch-down
    slip: FloatArray  # (s,) m that the foot slid along the ground
    peak_torque: FloatArray  # (s,) N m
    peak_power: FloatArray  # (s,) W, of |tau dq1|
    backward: FloatArray  # (s,) rad/s, the crank's fastest turn against the run; 0: none
    work: FloatArray  # (s,) J, of the motor
    impact_loss: FloatArray  # (s,) J, lost by touch-downs
    slip_loss: FloatArray  # (s,) J, lost by friction
    reason: str

    @property
    def speed(self) -> FloatArray:
        """Speed of each stride, m/s."""
        return self.length / self.period


# The paper states neither gains nor ramps: these reach its 284 ms and 1.3 m/s, of a leg without a rotor (I_r = 0).
PAPERS_RUN = RunningParameters(
    stiffness=300.0,
    damping=12.0,
    flight_rate=40.8,
    stance_rate=36.4,
    touch_down=0.0,
    lift_off=-68.0,
    flight_torque=30.0,
    rate_share=0.0,
    retraction_rate=0.0,
)


def lift_off_start(leg: Leg, parameters: RunningParameters, rate: float) -> HybridStart:
    """The end of a stance: the foot at rest on the ground, the crank at the lift-off angle with `rate` (rad/s).

    All NaN where the mechanism does not close.
    """
    q1 = math.radians(parameters.lift_off)
    q2, q3, q4, q5 = passive_angles(leg, q1).tolist()
    k = reduce(numbers(leg), q1, q2, q3, q4, q5, float(rate))
    return HybridStart((q1, -k.fx, -k.fy), (rate, -k.fx1 * rate, -k.fy1 * rate), (q2, q3, q4, q5))


def continuous_law(parameters: RunningParameters, torque: float = math.inf, power: float = PEAK_POWER_W) -> LawNumbers:
    """The law (20) for compiled code; `torque` (N m) and `power` (W) are the motor's most."""
    p = parameters
    return LawNumbers(
        float(p.stiffness),
        float(p.damping),
        float(p.rate_share),
        float(p.flight_rate),
        math.radians(p.touch_down),
        float(p.retraction_rate),
        float(p.stance_rate),
        math.radians(p.lift_off),
        float(p.flight_torque),
        float(torque),
        float(power),
    )


def simulate_hybrid(
    leg: Leg,
    parameters: RunningParameters,
    start: HybridStart,
    strides: int,
    *,
    mu: float = math.inf,
    power: float = PEAK_POWER_W,
    torque: float = math.inf,
    epsilon: float = EPSILON_S,
    step: float = STEP_S,
    interval: float = 1e-3,
    patience: float = 2.0,
) -> HybridRun:
    """Run with the law (20) from `start` for so many strides.

    `mu` is Coulomb's under the foot: infinite is the paper's pinned foot, and a finite one lets it slip. `power` (W)
    and `torque` (N m) are the motor's most. `interval` (s) lies between two rows of the result. A run that cannot go on
    ends with a reason; that of a stride which takes longer than `patience` (s) is that the foot never lifts off, or
    never lands. Raises ValueError where arguments contradict each other.
    """
    if not 0.0 < step < MAX_STEP_PER_EPSILON * epsilon:
        raise ValueError(
            f"A step of {step:g} s is not under {MAX_STEP_PER_EPSILON} epsilon, {MAX_STEP_PER_EPSILON * epsilon:g} s."
        )
    if strides < 1 or not interval > 0.0 or not patience > 0.0 or not mu >= 0.0:
        raise ValueError("Strides, interval and patience must be positive, and mu not negative.")
    if reason := _open(leg):
        return _result(np.empty((0, compiled.COLUMNS)), np.empty((0, compiled.MEASURES)), reason)
    z = start.z if start.z is not None else passive_angles(leg, start.q[0])
    state = np.zeros(STATES)
    state[:WORK] = [*start.q, *start.dq, *z]
    times = float(epsilon), float(step), float(interval), float(patience)
    rows, count, table, done, why, t, end = compiled.simulate(
        numbers(leg), continuous_law(parameters, torque, power), float(mu), *times, int(strides), state
    )
    reason = _sentence(why, t, end, int(rows[count - 1, compiled.MODE]), mu, step, patience)
    return _result(rows[:count], table[:done], reason)


def _open(leg: Leg) -> str:
    """A sentence, if the chain is open somewhere in the turn."""
    cranks = np.radians(np.arange(0.0, 360.0, 0.5))
    opens = cranks[np.isnan(pins(leg, cranks).F)]
    if not opens.size:
        return ""
    share, first = opens.size / cranks.size, math.degrees(opens[0])
    return f"The mechanism does not close over {share:.0%} of the crank's turn, at {first:g} degrees for one."


def _sentence(why: int, t: float, end: FloatArray, mode: int, mu: float, step: float, patience: float) -> str:
    """Why a run ended."""
    crank = f"with the crank at {math.degrees(end[0]) % 360.0:.0f} degrees"
    return {
        compiled.FINE: "",
        compiled.STALLED: f"The foot never {'lands' if mode == Mode.FLIGHT else 'lifts off'}: {patience:g} s after the"
        f" last stride it is still {'in the air' if mode == Mode.FLIGHT else 'on the ground'}, {crank}.",
        compiled.FALLEN: f"The leg falls: after {t:.3f} s its body or its knee is on the ground, {crank}.",
        compiled.ENDLESS: f"The foot chatters: it lands, leaves, sticks and slips without end at {t:.3f} s, {crank}.",
        compiled.PARADOX: f"After {t:.3f} s, {crank}, a rigid foot that slides with friction {mu:g} jams: the equations"
        " have no solution there (Painlevé's paradox).",
        compiled.BROKEN: f"The numbers are not finite after {t:.3f} s: a step under {step:g} s may be short enough.",
    }[why]


def _result(rows: FloatArray, table: FloatArray, reason: str) -> HybridRun:
    """Columns by their names."""
    r = compiled
    mode = rows[:, r.MODE].astype(np.intp)
    flies = mode == Mode.FLIGHT
    return HybridRun(
        t=rows[:, 0],
        q=rows[:, 1:4],
        dq=rows[:, 4:7],
        z=rows[:, 7:11],
        dz=rows[:, r.DZ : r.FOOT],
        foot=rows[:, r.FOOT : r.REFERENCE],
        reference=rows[:, r.REFERENCE],
        tau=rows[:, r.TAU],
        F_T=rows[:, r.FORCE],
        F_N=rows[:, r.FORCE + 1],
        mode=mode,
        w=rows[:, r.W :],
        touch_down=rows[1:, 0][flies[:-1] & ~flies[1:]],
        lift_off=rows[1:, 0][~flies[:-1] & flies[1:]],
        period=table[:, r.PERIOD],
        length=table[:, r.LENGTH],
        friction_needed=table[:, r.FRICTION],
        friction_highest=table[:, r.HIGHEST],
        impulse_ratio=table[:, r.IMPULSE],
        slip=table[:, r.SLIDE],
        peak_torque=table[:, r.TORQUE],
        peak_power=table[:, r.POWER],
        backward=table[:, r.BACKWARD],
        work=table[:, r.MOTOR],
        impact_loss=table[:, r.IMPACT_LOSS],
        slip_loss=table[:, r.SLIP_LOSS],
        reason=reason,
    )

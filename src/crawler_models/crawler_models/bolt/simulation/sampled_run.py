"""A whole run of the leg under the sampled law, with what it asks of the floor and of the motor.

run = simulate_sampled(leg, RunningParameters(), Start(angle, rate, height, vx, vz), strides=16)
run.reason, run.mean("period"), run.speed, run.largest("slip")
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_models.bolt.compiled import advance as interval
from crawler_models.bolt.compiled import simulate as compiled
from crawler_models.bolt.compiled.law import pack_law
from crawler_models.bolt.compiled.reduced import pack, posture
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.simulation.running import RunningParameters

TICK_S = 1e-3  # s, control period of the law
STEPS_PER_TICK = 4  # of Runge and Kutta's rule in a tick; twice as many change no number of the run by 1e-6
TRACE_CAPACITY_TICKS = 4096  # ticks of a trace to begin with

STRIDE_COLUMNS = (
    "period",  # s
    "distance",  # m, of the body
    "slip",  # m that the foot slid on the ground
    "friction",  # the largest |F_T| / F_N of a foot that sticks and bears a quarter of the weight
    "work",  # J that the motor gives; what it takes back while it brakes is not counted against it
    "clearance",  # m, the foot's highest place
    "on_ground",  # s
    "least_vx",  # m/s, of the body
    "torque_flight",  # N m, the largest, as of all that follow
    "torque_stance",
    "power",  # W, of |tau q1'|
    "rate",  # rad/s, of |q1'|
    "force",  # N, upward on the foot, mean of a tick
    "backward",  # rad/s, of q1': above 0 the crank is thrown back
    "vx",  # m/s, of the body at the touch-down that begins the stride
    "vy",
    "crank",  # rad, at touch-down
    "crank_rate",  # rad/s, at touch-down
    "used",  # largest |F_T| / F_N of the mean forces in a tick that ends with a sticking foot
)
TRACE_COLUMNS = ("t", "x", "y", "vx", "vy", "q1", "dq1", "tau", "F_T", "F_N", "mode", "stance", "reference")

REASON_OF_END = {
    interval.FINE: "",
    interval.OPENS: "the mechanism does not close, or its motion has no bounds: check the lengths",
    interval.BURIED: "the leg falls: a part of it other than the foot meets the ground",
    interval.ENDLESS: "the foot switches between sticking, slipping and flying without end: give it a spring",
    interval.JAMMED: "a rigid foot that slips jams on the ground, which rigid bodies cannot do: give it a spring",
    compiled.STUCK: (
        f"the foot does not lift off for {compiled.TOUCH_DOWN_TIMEOUT_S:g} s: the crank rests, or is too slow"
    ),
    compiled.HOVERS: f"the foot does not land for {compiled.TOUCH_DOWN_TIMEOUT_S:g} s",
}


@dataclass(frozen=True)
class Start:
    """Initial state of a run: in the air."""

    angle: float  # rad, the crank's
    rate: float  # rad/s
    height: float  # m, of the foot above the ground
    vx: float  # m/s, of the body
    vz: float

    @staticmethod
    def of(spec: RobotSpec) -> Start:
        """The robot file's."""
        crank, start = spec.actuated[0], spec.start
        return Start(crank.home, crank.home_velocity, start.height, start.linear[0], start.linear[2])

    def state(self, packed: FloatArray) -> FloatArray:
        """The state c, c', q1, q1' of a packed leg whose body starts at x = 0. Raises ValueError for an open chain."""
        centre, moving, foot, _, _, _ = posture(packed, self.angle)
        if not math.isfinite(abs(foot)):
            raise ValueError(f"the mechanism does not close with its crank at {math.degrees(self.angle):.4g} degrees")
        c = centre + 1j * (self.height - foot.imag)
        v = complex(self.vx, self.vz) + self.rate * moving
        return np.array([c.real, c.imag, v.real, v.imag, self.angle, self.rate])


@dataclass(frozen=True)
class SampledRun:
    """Strides go from touch-down to touch-down; `reason` says why there are fewer than asked for, or is empty."""

    strides: FloatArray  # one row each, of `STRIDE_COLUMNS`
    trace: FloatArray  # one row for each tick, of `TRACE_COLUMNS`: state at its end, held torque, mean forces
    reason: str

    def column(self, name: str) -> FloatArray:
        """A number of every stride."""
        return self.strides[:, STRIDE_COLUMNS.index(name)]

    def mean(self, name: str, last: int = 0) -> float:
        """Its mean over the last strides, or all."""
        return float(self.column(name)[-last:].mean()) if len(self.strides) else math.nan

    def largest(self, name: str, last: int = 0) -> float:
        """The largest over the last strides, or all."""
        return float(self.column(name)[-last:].max()) if len(self.strides) else math.nan

    def least(self, name: str, last: int = 0) -> float:
        """The least over the last strides, or all."""
        return float(self.column(name)[-last:].min()) if len(self.strides) else math.nan

    def speed(self, last: int = 0) -> float:
        """m/s, over the last strides, or all."""
        return self.mean("distance", last) / self.mean("period", last)

    def traced(self, name: str) -> FloatArray:
        """A number of every tick."""
        return self.trace[:, TRACE_COLUMNS.index(name)]


def simulate_sampled(
    leg: Leg,
    law: RunningParameters,
    start: Start,
    strides: int = 16,
    *,
    torque: float = 120.0,  # N m, the motor's most
    power: float = 1350.0,  # W, limit of the motor
    tick: float = TICK_S,
    steps: int = STEPS_PER_TICK,
    traced: bool = False,
) -> SampledRun:
    """Run for so many strides. A run that cannot go on ends, with its reason; so does a leg that cannot begin."""
    packed, packed_law = pack(leg), pack_law(law, torque, power)
    try:
        state = start.state(packed)
    except ValueError as error:
        return SampledRun(np.zeros((0, len(STRIDE_COLUMNS))), np.zeros((0, len(TRACE_COLUMNS))), str(error))
    rows, trace = (
        np.zeros((strides, len(STRIDE_COLUMNS))),
        np.zeros((TRACE_CAPACITY_TICKS if traced else 0, len(TRACE_COLUMNS))),
    )
    done, ticks, ended = compiled.simulate(packed, packed_law, state, tick, steps, rows, trace)
    if traced and ticks > len(trace):
        trace = np.zeros((ticks, len(TRACE_COLUMNS)))
        done, ticks, ended = compiled.simulate(packed, packed_law, state, tick, steps, rows, trace)
    return SampledRun(rows[:done], trace[:ticks], REASON_OF_END[ended])

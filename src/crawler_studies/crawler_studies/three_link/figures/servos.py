"""Steps under the law (19) on servos that lag, with its own setpoints and with the measured joints fed back."""

from __future__ import annotations

from collections.abc import Mapping

from crawler_studies.plots.drawing import TextTable
from crawler_studies.three_link.figures.figure_data import FigureData
from crawler_studies.three_link.servo_run import ENCODERS_ALONE, motors, run_on_servos

OMEGA = 8.0  # rad/s
OMEGAS = (2.5, 4.0, 8.0, 12.0)  # rad/s
BANDWIDTHS = (40.0, 60.0, 100.0, 200.0)  # rad/s
DELAYS_S = (0.0, 0.005, 0.01)
RATES = (100.0, 200.0)  # Hz
SLOW_SERVO = (40.0, 0.005)  # rad/s and s: a tick of 200 Hz late
K_PS = (80.0, 300.0)  # 1/s²: the paper's, and a stiffer one
# friction of feet 1 and 2 in the law's equations, over the true one
BELIEFS = {"right": (1.0, 1.0), "×1.3, ×0.7": (1.3, 0.7), "×0.7, ×1.3": (0.7, 1.3)}


def believing(friction: tuple[float, float]) -> Mapping[str, float | str]:
    """Return the law's parameters for contacts from encoders alone, with this belief of friction."""
    return {**ENCODERS_ALONE, "believed_friction_1": friction[0], "believed_friction_2": friction[1]}


def make_servos(_data: FigureData) -> TextTable:
    choices: dict[str, Mapping[str, float | str]] = {
        "measured": {"joints": "measured"},
        "commanded": {},
        **{f"commanded, estimated, {name}": believing(friction) for name, friction in BELIEFS.items()},
    }
    rows = []
    for name, controller in choices.items():
        for rate in RATES:
            for bandwidth in BANDWIDTHS:
                runs = [run_on_servos(OMEGA, motors(bandwidth, delay), rate, controller) for delay in DELAYS_S]
                rows.append([name, f"{rate:g}", f"{bandwidth:g}", *(run.text for run in runs)])
    return TextTable(
        "servos",
        f"step under the law (19) at {OMEGA:g} rad/s on servos that lag, mm",
        ["joints, contacts, friction", "rate, Hz", "bandwidth, rad/s", *(f"{1e3 * d:g} ms late" for d in DELAYS_S)],
        rows,
        "Equations, with the stack's controller and supervisor in one process. The servos are critically damped and "
        "interpolate between setpoints, which reach them so many ms late. Angles are in 4096 counts a turn, "
        "velocities in 0.024 rad/s. Contacts are exact where nothing else is said; estimated ones come from the "
        "measured joints alone, with friction on feet 1 and 2 believed to be so many times the true one.",
    )


def make_servo_frequencies(_data: FigureData) -> TextTable:
    rows = []
    for k_p in K_PS:
        for name, friction in BELIEFS.items():
            controller = {**believing(friction), "k_p": k_p}
            runs = [run_on_servos(omega, motors(*SLOW_SERVO), RATES[-1], controller) for omega in OMEGAS]
            rows.append([f"{k_p:g}", name, *(run.text for run in runs)])
    return TextTable(
        "servo frequencies",
        f"step with estimated contacts on servos of {SLOW_SERVO[0]:g} rad/s, {1e3 * SLOW_SERVO[1]:g} ms late, mm",
        ["K_P, 1/s²", "friction believed", *(f"{omega:g} rad/s" for omega in OMEGAS)],
        rows,
        f"As in the table servos, at {RATES[-1]:g} Hz. K_P = 80 is the paper's.",
    )

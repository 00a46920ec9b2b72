"""Steady step length of the running stack, at 500 Hz in lockstep, beside the paper's equations."""

import pytest
from stack_helpers import lockstep_settings, wait_for_end

from crawler_bringup.stack.options import Options
from crawler_nodes.run_log.stride_metrics import measure
from crawler_testing.fixtures.running_stack import RunningStack
from sim_bridge.physics.engines import installed_engines

RATE = 500.0
# omega in rad/s: step length in mm; periods until the crawl has settled after the gait has faded in; periods to
# average over in physics, where events fall between steps of the physics, so that steps and periods beat
EXACT = {
    0.3: (193.8774, 1, 1),
    1.0: (159.8147, 1, 1),
    3.2: (23.0822, 2, 5),
    8.0: (2.8304, 9, 10),
    16.0: (7.3171, 22, 10),
}
FADE = 2.1  # s, over which a gait fades in
# relative, and absolute in mm, whichever is larger. The model's is that of the stack: joints move on cubics between
# ticks. Physics' is its own: feet are balls of a few millimetres, and friction acts once per step.
TOLERANCE = {"model": (0.01, 0.05), **dict.fromkeys(installed_engines(), (0.03, 0.15))}


# in every run the command line's own run shows a stack on the equations, stacks in physics crawl under feedback and run
# on one leg, and tests without a stack compare the backends with the equations, the slow gaits in exhaustive ones
@pytest.mark.exhaustive
@pytest.mark.parametrize("omega", EXACT)
@pytest.mark.parametrize("backend", TOLERANCE)
def test_the_stack_has_the_step_length_of_the_equations(backend, omega):
    exact, settling, average = EXACT[omega]
    average = 1 if backend == "model" else average
    period = 2.0 * 3.141592653589793 / omega
    end = FADE + (settling + average + 0.2) * period
    settings = {"gait": {"omega": omega}, **lockstep_settings(rate=RATE, stop_at=end, odom_rate=500.0)}
    with RunningStack(Options(backend=backend, settings=settings)) as stack:
        wait_for_end(stack)
    measured = measure(stack.log, period, FADE + settling * period)
    assert measured is not None
    assert measured.steady
    relative, absolute = TOLERANCE[backend]
    print(f"{backend} omega {omega}: {measured.step_length * 1e3:.4f} mm, exact {exact} mm")
    assert abs(measured.step_length * 1e3 - exact) <= max(relative * exact, absolute)

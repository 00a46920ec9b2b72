"""The quadruped holds its heading by its gyro, whatever the phase errors of its legs."""

import itertools
import math

import numpy as np
import pytest

from crawler_core.gait_metrics.heading import Heading
from crawler_core.loop.backend_sensors import make_robot_sensors
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.robot.robot_file import load_robot
from crawler_studies.simulation.control_loop import ControlLoop
from crawler_studies.simulation.tick_settings import SIMULATIONS, simulation_settings
from gait_generators.kinds.gait_registry import make_gait
from hybrid_controller.laws.law_registry import LAWS, law_parameters
from sim_bridge.physics.engines import installed_engines

DT = 0.002  # s, the tick
LEGS = ("fl", "fr", "hl", "hr")
ENGINES = installed_engines()
TURN_S = 0.4  # of the cranks, over which the heading is a mean: each stride sways the robot by 5 degrees
SETTLED_S = 5.5  # half a second of standing, and five of walking
PATTERNS = list(itertools.product((-20.0, 20.0), repeat=4))  # degrees
# whatever the heading, legs in these patterns are slow on encoders of 20 degrees: the hind ones are late by 40
SLOW = {(20.0, 20.0, -20.0, -20.0), (20.0, -20.0, -20.0, -20.0), (-20.0, 20.0, -20.0, -20.0)}


class Walk:
    """A trot with phase errors (degrees) and the robot file's IMU, seen from outside."""

    def __init__(self, kind, errors, seconds, motors="ideal", heading=True):
        spec = load_robot("miniaq")
        gait = make_gait(spec, "trot", {f"error_{leg}": error for leg, error in zip(LEGS, errors, strict=True)})
        law = LAWS["phase_lock"].build(spec, law_parameters(spec, "phase_lock", {"heading": heading}), DT)
        settings, ticks = simulation_settings(spec, kind, {"reality": motors})
        backend = ticks.make_realistic(SIMULATIONS[kind].backend(spec, settings, DT), spec, DT)
        sensors = make_robot_sensors(spec, backend, "typical", 0)
        loop = ControlLoop(spec, gait, law, SupervisedBackend.start(spec, backend, DT, sensors), round(1e9 * DT))
        states = list(loop.run(round(seconds / DT)))
        backend.close()
        self.times = 1e-9 * np.array([state.time_ns for state in states])
        bases = [state.base for state in states]
        self.places = np.array([base.position[:2] for base in bases])
        yaw = np.degrees(np.unwrap([Heading.of(base.quaternion).yaw for base in bases]))
        window = round(TURN_S / (self.times[1] - self.times[0]))
        self.headings = np.convolve(yaw, np.full(window, 1.0 / window), "valid")  # degrees, mean of a turn
        self.heading_times = np.convolve(self.times, np.full(window, 1.0 / window), "valid")

    def settled_rms(self, begin=SETTLED_S):
        """Degrees from the heading at the start."""
        return math.sqrt(np.mean(self.headings[self.heading_times > begin] ** 2))

    def speed(self, begin=SETTLED_S):
        """mm/s along the heading at the start."""
        first = np.searchsorted(self.times, begin)
        return 1e3 * (self.places[-1, 0] - self.places[first, 0]) / (self.times[-1] - self.times[first])


@pytest.mark.parametrize(
    ("kind", "errors", "motors"),
    [
        ("model", (0, 0, 20, 0), "typical"),
        pytest.param(ENGINES[-1], (0, 0, 20, -20), "ideal", marks=pytest.mark.exhaustive),
    ],
)
def test_it_walks_straight_on_with_legs_out_of_phase(kind, errors, motors):
    walk = Walk(kind, errors, 7.5, motors)
    assert walk.settled_rms() < 3.0  # it bends by 9 and 19 degrees a second without the loop
    assert walk.speed() > 110.0


def test_without_the_loop_it_bends():
    assert Walk("model", (0, 0, 20, -20), 2.0, heading=False).headings[-1] > 12.0


@pytest.mark.exhaustive  # minutes; makes the table of docs/miniaq.md
@pytest.mark.parametrize("kind", ["model", ENGINES[-1]])
def test_it_holds_its_heading_in_all_patterns_of_twenty_degrees(kind):
    print(f"\n{kind}: fl fr hl hr, rms of the heading over 10 s (degrees), speed (mm/s)")
    rms, speeds = [], {}
    for errors in PATTERNS:
        walk = Walk(kind, errors, SETTLED_S + 10.0)
        rms.append(walk.settled_rms())
        speeds[errors] = walk.speed()
        print(*(f"{error:+.0f}" for error in errors), f"{rms[-1]:.2f}", f"{speeds[errors]:.1f}")
    assert max(rms) < 4.0
    assert np.median(rms) < 0.8
    assert min(speed for errors, speed in speeds.items() if errors not in SLOW) > 110.0

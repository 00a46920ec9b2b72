"""Robots that are driven by velocities, in one process: the speed that they reach, by the truth."""

import pytest

from crawler_studies.simulation.driving import course_of, drive_course, steering_of
from crawler_studies.study.study_case import StudyCase
from sim_bridge.physics.engines import ENGINES

COURSES = {  # beside the standard one: m/s and rad/s
    "bolt": [(0.0, 0.0), (0.5, 0.0), (0.9, 0.0), (1.36, 0.0), (0.9, 0.0), (0.5, 0.0), (0.0, 0.0)],
    "miniaq": [(0.036, 0.0), (0.12, 0.0), (-0.128, 0.0), (-0.038, 0.0), (0.0, 1.5), (0.06, 0.3), (0.0, 0.0)],
}


def test_a_speed_of_the_equations_is_reached_there_and_back_by_the_loop():
    case = StudyCase("three_link")
    steering = steering_of(case)
    fastest = steering.range.forward
    there, back, rest = drive_course(
        case,
        "model",
        steering,
        [(0.8 * fastest, 0.0), (-0.8 * fastest, 0.0), (0.0, 0.0)],
        trim=0.0,
        strides=1,
        rate=50.0,
    )
    for speed in (there, back):
        assert abs(speed.error) < 0.02
        assert speed.clamped == 0
    assert rest.measured == pytest.approx(0.0, abs=1e-6)


@pytest.mark.exhaustive
@pytest.mark.parametrize("backend", ["model", *ENGINES, "emulated"])
@pytest.mark.parametrize("robot", ["three_link", "snake", "bolt", "miniaq"])
def test_every_robot_reaches_its_speeds_within_its_limits(robot, backend):
    """Print the table of docs/see_and_steer.md, with -s. Its deviations are those of the equations from the backend."""
    case = StudyCase(robot)
    steering = steering_of(case)
    for one in drive_course(case, backend, steering, COURSES.get(robot) or course_of(steering)):
        print(
            f"{robot} {backend}: wanted {1e3 * one.wanted:.1f} mm/s, {one.wanted_yaw:.2f} rad/s; measured "
            f"{1e3 * one.measured:.1f} mm/s ({100.0 * one.error:+.1f} %), {one.measured_yaw:.2f} rad/s; "
            f"joints at {100.0 * one.peak_share:.0f} % of their speed"
        )
        assert one.clamped == 0 or backend == "emulated"  # whose joints lag behind their setpoints
        assert one.peak_share <= 1.0
        if not one.executed and not one.wanted_yaw:
            assert abs(one.measured) < 0.03

"""When a silent or ailing joint becomes a fault: the stated times, by a clock that the test holds."""

import math

from hw_drivers.bus.bus import Reading
from hw_drivers.bus.liveness import MIN_MISSED_READINGS, Liveness

PATIENCE = 0.1


def reading(heard, joint="hip", **more):
    return Reading(joint, heard, 0.5, 0.0, **more)


def first_fault(period, heard_until):
    """The time and the words of the first fault of a joint that is silent from `heard_until` on."""
    liveness = Liveness(PATIENCE)
    for k in range(1000):
        now = k * period
        heard = min(now, math.floor(heard_until / period) * period)
        if fault := liveness.check([reading(now, "knee"), reading(heard)], now):
            return now, fault
    raise AssertionError("it never came")


def test_silence_is_a_fault_after_patience_and_no_later_than_one_cycle_more():
    when, fault = first_fault(0.005, 1.0)
    assert PATIENCE < when - 1.0 <= PATIENCE + 0.0051
    assert fault.joint == "hip"
    assert "has not answered for 0.1" in str(fault)
    assert "cable" in fault.remedy


def test_one_lost_answer_after_a_slow_computer_is_no_fault():
    liveness = Liveness(PATIENCE)
    assert liveness.check([reading(0.0)], 0.0) is None
    for miss in range(1, MIN_MISSED_READINGS):
        assert liveness.check([reading(0.0)], 10.0 + miss) is None
    assert liveness.check([reading(0.0)], 20.0) is not None


def test_an_answer_starts_the_count_again():
    liveness = Liveness(PATIENCE)
    for k in range(100):
        heard = 0.06 * (k // 2)  # every other answer is lost
        assert liveness.check([reading(heard)], 0.03 * k) is None
    assert liveness.missed == 50


def test_what_a_device_reports_is_a_fault_at_once_with_its_remedy():
    fault = Liveness(PATIENCE).check([reading(0.0, errors=("overload", "overheating"), remedy="let it cool")], 0.0)
    assert "overload, overheating" in str(fault)
    assert fault.remedy == "let it cool"


def test_an_angle_that_is_no_number_is_a_fault():
    fault = Liveness(PATIENCE).check([Reading("hip", 0.0, math.nan, 0.0)], 0.0)
    assert "not a number" in str(fault)

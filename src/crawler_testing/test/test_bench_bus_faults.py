"""Disturbed buses: the torque goes off within the stated time, or the run goes on."""

import math

import pytest

from crawler_testing.bench.bus_faults import BUSES, DisturbedRun, describe, markdown, stated_time
from hw_drivers.bus.link_quality import LinkQuality
from hw_drivers.emulation.disturbance import Disturbance, DisturbedWay

HARMLESS = Disturbance("doubled", 1e-4)
MAX_LAG_RAD = math.radians(6.5)  # of undisturbed motors
OLD = Disturbance("late", 0.1)


@pytest.mark.parametrize("bus", BUSES)
def test_torque_is_off_within_the_stated_time_where_commands_come_late_or_spoiled(bus):
    for disturbance in (OLD, Disturbance("lost", 0.1)):
        outcome = DisturbedRun(bus).measure(disturbance, horizon=1.5)
        assert outcome.fault, disturbance
        assert outcome.torque_off_after <= (stated_time(bus, disturbance) or 0.0), disturbance


@pytest.mark.parametrize("bus", BUSES)
def test_a_run_goes_on_over_single_bad_bytes(bus):
    outcome = DisturbedRun(bus).measure(HARMLESS, horizon=0.3)
    assert not outcome.fault
    assert outcome.largest_error < MAX_LAG_RAD


@pytest.mark.parametrize(
    ("bus", "kind"), [("dynamixel", "late_commands"), ("dynamixel", "repeated"), ("odrive", "late")]
)
def test_commands_that_are_a_little_old_are_found_although_all_answers_come(bus, kind):
    disturbance = Disturbance(kind, 0.05)
    outcome = DisturbedRun(bus).measure(disturbance, horizon=1.0)
    assert "lost, damaged or old" in outcome.fault
    assert outcome.torque_off_after <= (stated_time(bus, disturbance) or 0.0)


def test_a_board_ignores_frames_that_are_played_back():
    outcome = DisturbedRun("board").measure(Disturbance("repeated", 0.05), horizon=0.5)
    assert not outcome.fault
    assert outcome.largest_error < MAX_LAG_RAD


def _share_fault(bad, of, patience=0.0):
    quality = LinkQuality("the bus 'servos'")
    for cycle in range(400):
        quality.add(cycle % of < bad, joint="knee")
        quality.add(False, joint="hip")
        if (fault := quality.check(0.01 * cycle, patience)) is not None:
            return fault, cycle, quality
    return None, 400, quality


def test_more_bad_answers_than_allowed_are_a_fault_of_their_joint_after_the_patience():
    fault, cycle, _ = _share_fault(1, 1)
    assert cycle == 5
    assert fault.joint == "knee"
    assert str(fault).startswith("100% of the last 6 answers of the motor of knee are lost, damaged or old")
    assert _share_fault(1, 1, patience=0.5)[1] == 50
    assert 10 < _share_fault(1, 2)[1] < 30


def test_fewer_bad_answers_are_a_warning_with_their_share():
    fault, _, quality = _share_fault(1, 5)
    assert fault is None
    assert quality.warning().startswith("10.0% of the answers of the bus 'servos' are lost")
    quality.reset()
    assert not quality.warning()


def test_a_disturbed_way_spoils_so_many_bytes_as_its_seed_says():
    data = bytes(range(256)) * 40
    for kind, size in (("lost", 0.9), ("doubled", 1.1)):
        way, same = (DisturbedWay(Disturbance(kind, 0.1), "7").spoil(data) for _ in range(2))
        assert way == same
        assert len(way) == pytest.approx(size * len(data), rel=0.02)
    garbled = DisturbedWay(Disturbance("garbled", 0.1), "7").spoil(data)
    assert sum(a != b for a, b in zip(data, garbled, strict=True)) == pytest.approx(0.1 * len(data), rel=0.1)
    delayed = DisturbedWay(Disturbance("delayed", 0.05), "7")
    arrivals = [delayed.arrivals(1000 * k)[0] for k in range(100)]
    assert arrivals == sorted(arrivals)
    with pytest.raises(ValueError, match="no disturbance 'noise'"):
        Disturbance("noise", 0.1)


def test_the_table_has_a_line_for_each_disturbance_and_a_column_for_each_bus():
    row = {"disturbance": "late", "amount": 0.1, "stopped": 2, "torque_off_after_s": 0.2, "largest_error_deg": 7.6}
    rows = [{**row, "bus": bus} for bus in BUSES]
    rows[0] = {**rows[0], "stopped": 0}
    lines = markdown({"bus_faults_runs": 3, "bus_faults": rows}).splitlines()
    assert lines[2] == "| all 20 cycles late | goes on, 8° |" + " 0.20 s, 8°; 1 of 3 go on |" * 3
    assert describe("garbled", 1e-3) == "0.1 % of the bytes garbled"

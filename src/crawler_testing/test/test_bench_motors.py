"""The benchmark of motor buses measures cycles; the speed of this machine is not tested."""

import time

import pytest

from crawler_testing.bench.motors import jitter, measure_cycle_times, measure_loop_jitter, wire_time


def test_the_wire_time_has_ten_bits_per_byte():
    # by hand: sync write 14 + 8 * 5 bytes, sync read 14 + 8, and eight answers of 11 + 19
    assert wire_time(8, 1_000_000) == pytest.approx(316 * 10 / 1e6)
    assert wire_time(8, 2_000_000) == pytest.approx(316 * 10 / 2e6)


def test_a_timed_cycle_takes_at_least_its_wire_time():
    found = measure_cycle_times(0.2)
    assert found["wire_limit_ms"] == pytest.approx(3.16)
    assert found["timed_cycle_p50_ms"] >= found["wire_limit_ms"]
    assert 0.0 < found["software_cycle_p50_ms"] <= found["software_cycle_p99_ms"]


def test_jitter_is_the_deviation_of_the_times_between_cycles():
    found = jitter([10.0, 10.005, 10.0101, 10.015, 10.020, 10.030], 200.0)  # 100 us late, made up for; one missed
    assert found["rate_hz"] == 200.0
    assert found["cycles"] == 6
    assert found["jitter_p50_us"] == pytest.approx(100.0, abs=1e-3)
    assert found["worst_us"] == pytest.approx(5000.0, abs=1e-3)
    assert found["jitter_p99_us"] == pytest.approx(5000.0 - 0.04 * 4900.0, abs=1e-3)  # between the last two of five


def test_the_loop_is_no_faster_than_its_rate():
    start = time.monotonic()
    found = measure_loop_jitter(0.2)
    took = time.monotonic() - start
    assert 2 <= found["cycles"] <= 200.0 * took + 2.0  # missed cycles are not made up for

"""The measurements measure what they say; how fast this machine is, is not asked."""

import pytest

from crawler_cli.bench.motors import cycle_times, loop_jitter, wire_time


def test_the_wire_needs_ten_bits_a_byte():
    # by hand: sync write 14 + 8 * 5 bytes, sync read 14 + 8, and eight answers of 11 + 19
    assert wire_time(8, 1_000_000) == pytest.approx(316 * 10 / 1e6)
    assert wire_time(8, 2_000_000) == pytest.approx(316 * 10 / 2e6)


def test_a_timed_cycle_takes_no_less_than_its_bits():
    found = cycle_times(0.2)
    assert found["wire_limit_ms"] == pytest.approx(3.16)
    assert found["timed_cycle_p50_ms"] >= found["wire_limit_ms"]
    assert 0.0 < found["software_cycle_p50_ms"] <= found["software_cycle_p99_ms"]


def test_the_jitter_is_that_of_real_cycles():
    found = loop_jitter(0.5)
    assert found["cycles"] > 2
    assert 0.0 <= found["jitter_p50_us"] <= found["jitter_p99_us"] <= found["worst_us"]

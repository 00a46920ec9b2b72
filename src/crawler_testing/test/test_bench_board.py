"""The benchmark of boards measures cycles; the speed of this machine is not tested."""

import pytest

from crawler_testing.bench.board import BAUDS, measure, wire_time


def test_the_wire_time_is_that_of_the_bytes_on_the_protocols_page():
    assert wire_time(4, 1_000_000) == pytest.approx(124 * 10 / 1e6)
    assert wire_time(4, 3_000_000) == pytest.approx(124 * 10 / 3e6)


def test_cycles_take_at_least_their_wire_time_and_the_firmware_ticks_meanwhile():
    found = measure(0.2, 1, lambda _: None)
    for baud in BAUDS:
        name = f"board_{baud / 1e6:g}M"
        assert found[f"{name}_cycle_p50_ms"] >= found[f"{name}_wire_limit_ms"]
    assert 0.0 < found["board_software_cycle_p50_ms"] <= found["board_software_cycle_p99_ms"]
    assert 0.0 < found["firmware_cycle_p50_ms"] <= found["firmware_cycle_p99_ms"]
    assert found["firmware_ticks"] > 0
    assert found["firmware_late_p50_us"] <= found["firmware_late_p99_us"] <= found["firmware_late_worst_us"]

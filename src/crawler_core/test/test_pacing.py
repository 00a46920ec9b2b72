"""Keeping pace, on a clock that the test moves."""

import pytest

from crawler_core import pacing


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

        def sleep(self, seconds):
            assert seconds > 0
            self.now += seconds

    fake = Clock()
    monkeypatch.setattr(pacing, "time", fake)
    return fake


def test_ticks_keep_to_the_grid_although_work_takes_time(clock):
    pacer = pacing.Pacer(1.0)
    pacer.wait(0.01)
    start = clock.now
    for _ in range(100):
        clock.now += 0.004
        pacer.wait(0.01)
    assert clock.now == pytest.approx(start + 1.0)
    assert pacer.overruns == 0


def test_a_late_tick_is_made_up_for(clock):
    pacer = pacing.Pacer(1.0)
    pacer.wait(0.01)
    start = clock.now
    clock.now += 0.03
    for _ in range(10):
        pacer.wait(0.01)
    assert clock.now == pytest.approx(start + 0.1)


def test_a_long_stop_is_counted_and_not_raced_after(clock):
    pacer = pacing.Pacer(1.0)
    pacer.wait(0.01)
    clock.now += 5.0
    pacer.wait(0.01)
    resumed = clock.now
    for _ in range(10):
        pacer.wait(0.01)
    assert pacer.overruns == 1
    assert clock.now == pytest.approx(resumed + 0.1)


def test_factor_scales_time_and_zero_never_waits(clock):
    pacer = pacing.Pacer(4.0)
    start = clock.now
    for _ in range(100):
        pacer.wait(0.01)
    assert clock.now == pytest.approx(start + 0.25)
    free = pacing.Pacer(0.0)
    start = clock.now
    free.wait(1.0)
    assert clock.now == start

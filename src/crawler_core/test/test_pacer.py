"""Keeping pace, on a clock that the test moves."""

import itertools

import pytest

from crawler_core.loop import pacer as pacer_module
from crawler_core.loop.pacer import Pacer


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
    monkeypatch.setattr(pacer_module, "time", fake)
    return fake


def test_ticks_keep_to_the_grid_although_work_takes_time(clock):
    pacer = Pacer(1.0)
    pacer.wait(0.01)
    start = clock.now
    for _ in range(100):
        clock.now += 0.004
        pacer.wait(0.01)
    assert clock.now == pytest.approx(start + 1.0)
    assert pacer.overruns == 0


def test_a_late_tick_is_made_up_for(clock):
    pacer = Pacer(1.0)
    pacer.wait(0.01)
    start = clock.now
    clock.now += 0.03
    for _ in range(10):
        pacer.wait(0.01)
    assert clock.now == pytest.approx(start + 0.1)


def test_a_long_stop_is_counted_and_not_raced_after(clock):
    pacer = Pacer(1.0)
    pacer.wait(0.01)
    clock.now += 5.0
    pacer.wait(0.01)
    resumed = clock.now
    for _ in range(10):
        pacer.wait(0.01)
    assert pacer.overruns == 1
    assert clock.now == pytest.approx(resumed + 0.1)


def test_motors_make_nothing_up_so_that_two_ticks_never_come_close_together(clock):
    pacer = Pacer(1.0, evenly=True)
    begun = []
    for late in (0.0, 0.0, 0.003, 0.045, 0.0, 0.0, 0.012, 0.0, 0.0):
        pacer.wait(0.01)
        clock.now += late  # the machine was busy elsewhere when the tick was due
        pacer._last_start = clock.now
        begun.append(clock.now)
        clock.now += 0.001  # the tick's work
    apart = [b - a for a, b in itertools.pairwise(begun)]
    assert min(apart) >= 0.9 * 0.01 - 1e-9
    assert apart[-1] == pytest.approx(0.01)
    assert pacer.overruns == int((begun[-1] - begun[0]) / 0.01) - (len(begun) - 1) == 5  # ticks that were lost


def test_a_pace_can_begin_again(clock):
    pacer = Pacer(1.0)
    pacer.wait(0.01)
    clock.now += 0.04
    pacer.restart()
    began = clock.now
    pacer.wait(0.01)
    assert clock.now == pytest.approx(began + 0.01)
    assert pacer.overruns == 0


def test_factor_scales_time_and_zero_never_waits(clock):
    pacer = Pacer(4.0)
    start = clock.now
    for _ in range(100):
        pacer.wait(0.01)
    assert clock.now == pytest.approx(start + 0.25)
    free = Pacer(0.0)
    start = clock.now
    free.wait(1.0)
    assert clock.now == start

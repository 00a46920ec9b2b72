"""Wall time while the system's clock is set."""

import pytest

from crawler_core.loop.steady_wall_clock import SteadyWallClock

SECOND = 1_000_000_000
WALL = 1_700_000_000 * SECOND


class Machine:
    """A machine whose clock can be set."""

    def __init__(self):
        self.steady = 50 * SECOND
        self.ahead = 0
        self.delays = []  # ns, of the next readings

    def wall(self):
        self.steady += self.delays.pop(0) if self.delays else 0
        return WALL + self.steady + self.ahead

    def clock(self):
        return SteadyWallClock(self.wall, lambda: self.steady)


@pytest.mark.parametrize("step_s", [-60.0, -0.02, 0.02, 3600.0])
def test_it_goes_on_where_the_systems_clock_is_set(step_s):
    machine = Machine()
    clock = machine.clock()
    began = clock()
    assert began == machine.wall()
    machine.ahead = round(step_s * SECOND)
    machine.steady += SECOND
    assert clock() == began + SECOND
    assert clock.take_step_s() == pytest.approx(step_s)
    assert clock.take_step_s() == 0.0


def test_it_takes_the_systems_time_again_where_another_process_has_it():
    machine = Machine()
    clock = machine.clock()
    machine.ahead = -60 * SECOND
    before = clock()
    clock.align(before - SECOND)  # of a process that began before the clock was set
    assert clock() == before
    clock.align(before - 60 * SECOND)
    assert clock() == machine.wall()


def test_an_interrupted_reading_is_no_step():
    machine = Machine()
    clock = machine.clock()
    machine.delays = [SECOND, SECOND // 2]
    assert clock.take_step_s() == 0.0

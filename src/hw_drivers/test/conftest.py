"""On a machine that is busy a test may wait for its turn for longer than a robot may wait for a tick."""

import pytest
from hw_robots import EASY, LONG
from hypothesis import settings

from hw_drivers.bus import bus_loop
from hw_drivers.odrive import odrive_bus as odrive

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """Ticks and cycles may stay away for as long as any test lasts. A test of these deadlines sets one of its own."""
    monkeypatch.setattr(bus_loop, "TICK_TIMEOUT_S", LONG)
    monkeypatch.setattr(bus_loop, "CYCLE_TIMEOUT_S", LONG)
    monkeypatch.setattr(odrive, "ARMING_TIMEOUT_S", EASY)

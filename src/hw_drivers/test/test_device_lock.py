"""Two programs that send setpoints to one bus would fight each other."""

import subprocess
import sys

import pytest

from crawler_core.errors import UserError
from hw_drivers.ports.device_lock import DeviceLock

HOLD = """
import sys
from hw_drivers.ports.device_lock import DeviceLock
claim = DeviceLock(sys.argv[1])
claim.acquire()
print("held", flush=True)
input()
"""


def test_a_bus_that_another_program_has_is_refused_until_that_one_ends_even_by_a_kill():
    name = "test/claim"
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(UserError, match="another program uses test/claim: stop it first"):
            DeviceLock(name).acquire()
    finally:
        other.kill()
        other.communicate()
    ours = DeviceLock(name)
    ours.acquire()
    ours.acquire()
    with pytest.raises(UserError):
        DeviceLock(name).acquire()
    ours.release()
    DeviceLock(name).acquire()

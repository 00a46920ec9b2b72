"""What drives real motors stands without what pretends them; who pretends finds each kind's emulator by its name."""

import subprocess
import sys

import pytest

from crawler_core.registry import import_object
from hw_drivers.bus.bus_kinds import KINDS

PROGRAM = """
import sys
import hw_drivers.backend.hardware_node
from hw_drivers.bus.bus_kinds import KINDS
print(*(KINDS[name].make.kind for name in KINDS))
print(*(name for name in sys.modules if "emulat" in name))
"""


def test_the_hardware_backend_and_its_buses_load_no_emulator():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    kinds, emulators = done.stdout.splitlines()
    assert kinds.split() == list(KINDS)
    assert emulators.split() == []


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_bus_has_its_emulator_where_it_says(kind):
    assert callable(import_object(KINDS[kind].emulator, what=kind))
    assert KINDS[kind].emulator.startswith(f"hw_drivers.{kind}.")

"""What is pretended stays apart from what drives motors, and takes what the robot file says of these."""

import subprocess
import sys
from dataclasses import replace

import pytest
from hw_robots import three_link

from crawler_core.errors import BackendFault
from crawler_core.loop.backend_settings import own_robot_settings
from hw_drivers.emulation.emulated_backend import EmulatedBackend
from hw_drivers.emulation.emulated_settings import EmulatedSettings

DT = 0.01


def test_the_driver_of_real_motors_brings_in_nothing_that_is_pretended():
    script = "import sys, hw_drivers.backend.hardware_node; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    brought = done.stdout.split()
    assert "hw_drivers.backend.hardware_backend" in brought
    assert not [name for name in brought if "emulat" in name or name == "crawler_models.standing_plant"]


def test_what_a_robot_file_wants_of_hardware_holds_for_its_emulation_as_far_as_both_have_it():
    spec = three_link()
    backends = {"hardware": {"patience": 0.5, "port": "/dev/x"}, "emulated": {"fail_after": 3.0}}
    spec = replace(spec, sections={**spec.sections, "backends": backends})
    assert own_robot_settings(spec, "emulated", EmulatedSettings) == {"patience": 0.5, "fail_after": 3.0}


def test_a_noisy_line_is_a_fault_and_its_share_of_bad_answers_is_told():
    backend = EmulatedBackend(three_link(), EmulatedSettings(fail="noisy", fail_after=0.0), DT)
    backend.open()
    try:
        with pytest.raises(BackendFault, match=r"are lost, damaged or old|has not answered"):
            _tick(backend, 400)
        assert 0.02 < backend.loops[0].bus.quality.bad_share == backend.health()["servos.bad_answers"]
        assert not backend.warning() or "answers of the bus 'servos' are lost" in backend.warning()
    finally:
        backend.close()


def _tick(backend, times=2):
    for _ in range(times):
        backend.advance(DT)
        backend.observe()


@pytest.mark.parametrize("fail_after", [0.0, 0.3])
def test_an_ordered_fault_comes_by_itself_and_names_the_joint_that_it_was_ordered_for(fail_after):
    settings = EmulatedSettings(fail="hot", fail_after=fail_after, fail_joint="joint_2")
    backend = EmulatedBackend(three_link(), settings, DT)
    backend.open()
    try:
        for _ in range(round(fail_after / DT) - 1):
            backend.advance(DT)
            backend.observe()
        with pytest.raises(BackendFault, match="overheating") as fault:
            _tick(backend)
        assert fault.value.joint == "joint_2"
    finally:
        backend.close()

"""Failures of motors and their buses while the robot crawls."""

from __future__ import annotations

from crawler_core.sensors.joint_fault import JOINT_FAULTS
from crawler_testing.faults.fault_kind import FaultKind, expect_end
from crawler_testing.fixtures.robot_selection import default_spec
from crawler_testing.fixtures.run_config import RunConfig
from hw_drivers.emulation.disturbance import LINE_FAULTS
from hw_drivers.emulation.emulated_settings import FAULTS

JOINT = default_spec().actuated_names[-1]  # that fails
FAIL_AFTER_S = 6.0  # from the start of the backend
END_AFTER_FAULT_S = 12.0
# degrees and rad/s: a joint that stands still under it stays within its tracking tolerance
SMALL_GAIT = ("gait.amplitude=2", "gait.omega=3")
JUMPED, TREMBLES = f"angle of {JOINT} jumped", f"angle of {JOINT} trembles"
READING_REPORTS = {  # of joints on mock servos and on emulated motors
    "jump": (JUMPED, TREMBLES),  # where readings are few
    "tremble": (JUMPED, TREMBLES),
    "stuck": (f"{JOINT} does not follow",),
}
NO_ANSWER = (JOINT, "answer", "silent")
MOCK_REPORTS = {  # words of which one is reported, by fault
    "late": ("late", "overrun", "slow"),
    "frozen": ("nothing new", "stopped"),
    "no_angle": (f"angle of {JOINT}",),
    "dead_joint": (f"{JOINT} does not follow",),
    "raise": (JOINT,),
    **READING_REPORTS,
}
BUS_REPORTS = {
    "lost": NO_ANSWER,
    "late": NO_ANSWER,
    "corrupt": (*NO_ANSWER, "checksum", "crc"),
    "truncated": NO_ANSWER,
    "dead": NO_ANSWER,
    "hot": (JOINT, "hot", "temperature", "overheat"),
    "gone": ("port", "gone", "/dev", "adapter", "bus"),
    **dict.fromkeys(LINE_FAULTS, ("are lost, damaged or old", "has not answered")),
    **READING_REPORTS,
    "no_supply": (f"motor of {JOINT} reports a supply of 0.0 V",),
    "high_supply": (f"motor of {JOINT} reports a supply of 24",),
    "cold": (f"motor of {JOINT} reports -40",),
}


def _device_fault(name: str, action: str, backend: str, fault: str, reports: tuple[str, ...]) -> FaultKind:
    fail = (f"backend.fail={fault}", f"backend.fail_after={FAIL_AFTER_S:g}", f"backend.fail_joint={JOINT}")
    settings = (*fail, *SMALL_GAIT) if fault == "stuck" else fail
    expected = expect_end(
        *reports,
        within=FAIL_AFTER_S + END_AFTER_FAULT_S,
        text="all torque off; joint, cause and remedy reported; exit code not 0",
    )
    return FaultKind(
        f"devices/{name}",
        action,
        expected,
        lambda _run: None,  # the device fails by itself
        (backend,),
        RunConfig(settings=settings),
        spoils_angles=fault in JOINT_FAULTS,
    )


def _device_faults() -> tuple[FaultKind, ...]:
    missing = set(FAULTS) - set(BUS_REPORTS) - {"none"}
    assert not missing, missing
    mock = (_device_fault(f"mock_{f}", f"mock servos: {f}", "mock", f, words) for f, words in MOCK_REPORTS.items())
    bus = (
        _device_fault(f"servo_{f}", f"emulated bus servos: {f}", "emulated", f, words)
        for f, words in BUS_REPORTS.items()
    )
    return (*mock, *bus)


DEVICE_FAULTS = _device_faults()

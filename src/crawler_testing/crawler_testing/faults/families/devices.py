"""Motors and their buses that fail while the robot crawls."""

from __future__ import annotations

from crawler_testing.faults.fault_kind import FaultKind, RunConfig, ends
from crawler_testing.fixtures.robot_selection import default_spec
from crawler_testing.fixtures.run_harness import RunHarness
from hw_drivers.emulation.emulator import INJECTABLE_FAULTS

JOINT = default_spec().actuated_names[-1]  # that fails
AFTER = 6.0  # s from the start of the backend until it fails
MOCK = {
    "late": ("late", "overrun", "slow"),
    "frozen": ("nothing new", "stopped"),
    "no_angle": (f"angle of {JOINT}",),
    "dead_joint": (f"{JOINT} does not follow",),
    "raise": (JOINT,),
}
BUS = {
    "lost": (JOINT, "answer", "silent"),
    "late": (JOINT, "answer", "silent"),
    "corrupt": (JOINT, "answer", "silent", "checksum", "crc"),
    "truncated": (JOINT, "answer", "silent"),
    "dead": (JOINT, "answer", "silent"),
    "hot": (JOINT, "hot", "temperature", "overheat"),
    "gone": ("port", "gone", "/dev", "adapter", "bus"),
}


def _fails(name: str, does: str, backend: str, fault: str, words: tuple[str, ...]) -> FaultKind:
    sets = (f"backend.fail={fault}", f"backend.fail_after={AFTER:g}", f"backend.fail_joint={JOINT}")
    must = ends(*words, within=AFTER + 12.0, text="all torque off, joint, cause and remedy said; exit code not 0")
    return FaultKind(f"devices/{name}", does, must, _wait, (backend,), RunConfig(sets=sets))


def _wait(scene: RunHarness) -> None:
    """It fails by itself."""


def _all_kinds() -> tuple[FaultKind, ...]:
    missing = set(INJECTABLE_FAULTS) - set(BUS) - {"none"}
    assert not missing, missing
    mocks = (_fails(f"mock_{f}", f"the mock servos fail: {f}", "mock", f, w) for f, w in MOCK.items())
    servos = (_fails(f"servo_{f}", f"emulated bus servos: {f}", "emulated", f, w) for f, w in BUS.items())
    return (*mocks, *servos)


KINDS = _all_kinds()

"""All kinds of fault."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from crawler_core.errors import unknown_name
from crawler_testing.faults.families.devices import DEVICE_FAULTS
from crawler_testing.faults.families.files import FILE_FAULTS
from crawler_testing.faults.families.lifecycle import LIFECYCLE_FAULTS
from crawler_testing.faults.families.messages import MESSAGE_FAULTS
from crawler_testing.faults.families.parameters import PARAMETER_FAULTS
from crawler_testing.faults.families.processes import PROCESS_FAULTS
from crawler_testing.faults.families.second_stack import SECOND_STACK_FAULTS
from crawler_testing.faults.families.sensors import SENSOR_FAULT_KINDS
from crawler_testing.faults.families.services import SERVICE_FAULTS
from crawler_testing.faults.families.system_clock import SYSTEM_CLOCK_FAULTS
from crawler_testing.faults.fault_kind import FaultKind
from crawler_testing.fixtures.run_config import RunConfig

FAULT_KINDS: tuple[FaultKind, ...] = (
    *MESSAGE_FAULTS,
    *SERVICE_FAULTS,
    *PROCESS_FAULTS,
    *PARAMETER_FAULTS,
    *LIFECYCLE_FAULTS,
    *DEVICE_FAULTS,
    *SENSOR_FAULT_KINDS,
    *FILE_FAULTS,
    *SECOND_STACK_FAULTS,
    *SYSTEM_CLOCK_FAULTS,
)
FAMILIES = tuple(dict.fromkeys(kind.family for kind in FAULT_KINDS))


def kinds_for_robot(kinds: Iterable[FaultKind], robot: str) -> list[FaultKind]:
    """Move the kinds to another robot, without those that need a law, a gait or a joint of the default one."""
    return [
        replace(kind, run_config=replace(kind.run_config, robot=robot))
        for kind in kinds
        if replace(kind.run_config, sets_clock=False) in (RunConfig(), RunConfig(starts=False, out=kind.run_config.out))
    ]


def select_kinds(names: Iterable[str]) -> list[FaultKind]:
    """Return the kinds with these names or families; all without names. Raises UserError for an unknown name."""
    wanted = set(names)
    known = {kind.name for kind in FAULT_KINDS}
    for name in wanted - known - set(FAMILIES):
        of_family = [kind for kind in known if kind.startswith(f"{name.partition('/')[0]}/")]
        raise unknown_name("kind of fault", name, of_family or FAMILIES)
    return [kind for kind in FAULT_KINDS if not wanted or wanted & {kind.name, kind.family}]

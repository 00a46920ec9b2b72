"""All kinds of fault."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from crawler_core.errors import unknown_name
from crawler_testing.faults.families import (
    devices,
    files,
    lifecycle,
    messages,
    parameters,
    processes,
    second_stack,
    services,
)
from crawler_testing.faults.fault_kind import FaultKind
from crawler_testing.fixtures.run_config import RunConfig

MODULES = (messages, services, processes, parameters, lifecycle, devices, files, second_stack)
KINDS: tuple[FaultKind, ...] = tuple(kind for module in MODULES for kind in module.KINDS)
FAMILIES = tuple(dict.fromkeys(kind.family for kind in KINDS))


def kinds_for_robot(kinds: Iterable[FaultKind], robot: str) -> list[FaultKind]:
    """Move the kinds to another robot, without those that need a law, a gait or a joint of the default one."""
    return [
        replace(kind, run_config=replace(kind.run_config, robot=robot))
        for kind in kinds
        if kind.run_config in (RunConfig(), RunConfig(starts=False, out=kind.run_config.out))
    ]


def select_kinds(names: Iterable[str]) -> list[FaultKind]:
    """Return the kinds with these names or families; all without names. Raises UserError for an unknown name."""
    wanted = set(names)
    known = {*FAMILIES, *(kind.name for kind in KINDS)}
    for name in wanted - known:
        raise unknown_name("kind of fault", name, (*FAMILIES, *(kind.name for kind in KINDS)))
    return [kind for kind in KINDS if not wanted or wanted & {kind.name, kind.family}]

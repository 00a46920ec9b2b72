"""All kinds of fault."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from crawler_core.errors import unknown_name
from crawler_testing.faults.families import (
    clock,
    cmd_vel,
    devices,
    files,
    gait_reference,
    joint_commands,
    lifecycle,
    parameters,
    processes,
    second_stack,
    services,
    states,
)
from crawler_testing.faults.fault_kind import FaultKind, NeededRun

MODULES = (
    joint_commands,
    gait_reference,
    states,
    cmd_vel,
    clock,
    services,
    processes,
    parameters,
    lifecycle,
    devices,
    files,
    second_stack,
)
KINDS: tuple[FaultKind, ...] = tuple(kind for module in MODULES for kind in module.KINDS)
FAMILIES = tuple(dict.fromkeys(kind.family for kind in KINDS))


def on_robot(kinds: Iterable[FaultKind], robot: str) -> list[FaultKind]:
    """The kinds on another robot than the default one; not those that need a law, a gait or a joint of their own."""
    return [
        replace(kind, stage=replace(kind.stage, robot=robot))
        for kind in kinds
        if kind.stage in (NeededRun(), NeededRun(starts=False, out=kind.stage.out))
    ]


def chosen_kinds(words: Iterable[str]) -> list[FaultKind]:
    """Those that `words` name, each a family or a kind; all without words. Raises UserError for an unknown one."""
    wanted = set(words)
    for word in wanted:
        if word not in FAMILIES and all(kind.name != word for kind in KINDS):
            raise unknown_name("kind of fault", word, (*FAMILIES, *(kind.name for kind in KINDS)))
    return [kind for kind in KINDS if not wanted or wanted & {kind.name, kind.family}]

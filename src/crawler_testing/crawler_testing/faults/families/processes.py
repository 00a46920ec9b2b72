"""Processes of the run that are killed, stopped, or asked to end."""

from __future__ import annotations

import os
import signal
import time

from crawler_cli.run.run_watch import HUNG
from crawler_testing.faults.fault_kind import EVERY, REAL_TIME, SIMULATIONS, FaultKind, Must, NeededRun, crawls, ends
from crawler_testing.fixtures.run_harness import Scene

NODES = ("gait", "controller", "backend", "recorder")
BREATH, GASP, SLEEP = 0.05, 0.5, 5.0  # s that a process is stopped
DEATH = 2.0  # s within which all others have ended when the first process has been killed


def _signal(name: str, number: int) -> FaultKind:
    word = signal.Signals(number).name
    must = ends(name, text=f"the run ends, and names the {name} node; exit code not 0")
    return FaultKind(
        f"processes/{name}_{word[3:].lower()}",
        f"{word} to the {name} node",
        must,
        lambda s: s.send_signal(name, number),
    )


def _pause(
    name: str,
    seconds: float,
    must: Must,
    number: int = signal.SIGSTOP,
    backends: tuple[str, ...] = EVERY,
    label: str = "",
) -> FaultKind:
    """Stopped for so long."""
    word = signal.Signals(number).name

    def inject(scene: Scene) -> None:
        with scene.paused(name, number):
            began = time.monotonic()
            while time.monotonic() - began < seconds and not scene.ended:
                scene.listen(min(0.05, seconds))

    what = label or {BREATH: "breath", GASP: "gasp", SLEEP: "sleep"}[seconds]
    return FaultKind(f"processes/{name}_{what}", f"{word} to it for {seconds:g} s", must, inject, backends)


def _front(number: int, code: int) -> FaultKind:
    word = signal.Signals(number).name
    must = Must(
        f"every process ends within {DEATH:g} s, exit code {code}",
        ends=DEATH,
        code=(code,),
        keeps=number == signal.SIGINT,
    )
    return FaultKind(
        f"processes/cli_{word[3:].lower()}",
        f"{word} to `crawler run`",
        must,
        lambda scene: os.kill(scene.process.pid, number),
    )


def _spin(name: str, must: Must, backends: tuple[str, ...] = EVERY) -> FaultKind:
    """It runs on, and does nothing any more."""
    what = f"{'`crawler run`' if name == 'cli' else 'it'} spins in a callback"
    return FaultKind(f"processes/{name}_spins", what, must, lambda scene: scene.spin(name), backends, SPINS)


def _spins_and_is_asked(scene: Scene) -> None:
    scene.spin("cli")
    scene.listen(0.5)
    scene.send_signal("cli", signal.SIGINT)


SPINS = NeededRun(spins=True, lasts=30.0)
HANGS = ends(
    "hangs", "has said nothing", within=HUNG + 5.0, text="the run ends, and names the node that hangs; exit code not 0"
)
UNWATCHED = ends("hung", within=12.0, text="motors stop, every process ends, said; exit code not 0", keeps=False)
ASKED = ends(within=2.0 * DEATH, text="every process ends; exit code 130", code=(130,), keeps=False)
LATE = Must("goes on within the limits; no success where commands were too late", crawls=True, code=(0, 1))
BITTEN = ends("watchdog", "has not answered", text="the motors' own watchdogs stop them, said; exit code not 0")
STOPPED = ends("stopped", text="the run ends, and says that the node was stopped; exit code not 0")
KINDS = (
    *(_signal(name, number) for name in NODES for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)),
    _front(signal.SIGINT, 130),
    _front(signal.SIGTERM, 143),
    _front(signal.SIGKILL, -9),
    *(_pause(name, BREATH, crawls(text="goes on within the limits")) for name in (*NODES, "cli")),
    _pause("gait", GASP, LATE),
    _pause("controller", GASP, LATE),
    _pause("backend", GASP, LATE, backends=(*SIMULATIONS, "mock")),
    _pause("backend", GASP, BITTEN, backends=("emulated",), label="gasp_on_motors"),
    _pause("recorder", GASP, crawls(text="nothing is missing in the recording")),
    _pause("cli", GASP, crawls()),
    *(_pause(name, SLEEP, STOPPED) for name in NODES),
    *(_spin(name, HANGS) for name in NODES),
    _spin("cli", UNWATCHED, REAL_TIME),
    FaultKind(
        "processes/cli_spins_and_is_asked",
        "`crawler run` spins in a callback, then SIGINT",
        ASKED,
        _spins_and_is_asked,
        SIMULATIONS,
        SPINS,
    ),
    _pause("cli", SLEEP, Must("motors stop, simulations may go on; no success", code=None), backends=REAL_TIME),
    _pause("cli", SLEEP, Must("motors stop", code=None), signal.SIGTSTP, REAL_TIME, label="tstp"),
)

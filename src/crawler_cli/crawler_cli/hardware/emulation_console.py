"""Emulate a robot's buses until Ctrl-C, and inject faults that the user types: `crawler hw emulate`."""

from __future__ import annotations

import json
import math
import os
import select
import sys
import time
from contextlib import suppress
from typing import Any

from crawler_cli.hardware.hardware_task import HardwareTask
from crawler_core.errors import BackendFault, UserError
from hw_drivers.emulation.emulation import Emulation

POLL_PERIOD_S = 0.02


def emulate(task: HardwareTask) -> int:
    """Emulate the buses, print changes of torque, execute typed lines."""
    emulation = Emulation(task.spec, task.buses, task.sensors, in_real_time=True)
    try:
        ports = {name: emulator.port for name, emulator in emulation.emulators.items()}
        _print_event(task, "; ".join(f"{name} is at {port}" for name, port in ports.items()), {"ports": ports})
        before: dict[str, bool] = {}
        has_input = True
        while True:
            with suppress(BackendFault):  # a robot that fell measures nothing new
                emulation.measure(time.monotonic_ns(), *emulation.observe_base())
            torque = emulation.torque()
            if torque != before:
                text = ", ".join(f"{name} {'on' if on else 'off'}" for name, on in torque.items())
                _print_event(task, f"torque: {text}", {"torque": torque})
                before = torque
            if not has_input:
                time.sleep(POLL_PERIOD_S)
            elif select.select([sys.stdin], [], [], POLL_PERIOD_S)[0]:
                typed = os.read(sys.stdin.fileno(), 4096).decode(errors="replace")
                has_input = bool(typed)
                for line in typed.splitlines():
                    _execute(task, emulation, line.split())
    finally:
        emulation.close()


def _execute(task: HardwareTask, emulation: Emulation, words: list[str]) -> None:
    """Execute a typed line: `state`, or a fault and perhaps a joint."""
    if words == ["state"]:
        angles, rates = emulation.motion()
        state = {
            name: {"angle_deg": math.degrees(q), "rate_deg_s": math.degrees(rates[name])} for name, q in angles.items()
        }
        text = "; ".join(f"{n} at {s['angle_deg']:.2f} deg, {s['rate_deg_s']:.2f} deg/s" for n, s in state.items())
        _print_event(task, text, {"state": state, "torque": emulation.torque()})
    elif words:
        try:
            emulation.inject(*words[:2])
        except UserError as error:
            print(f"crawler: {error}", file=sys.stderr, flush=True)


def _print_event(task: HardwareTask, text: str, data: dict[str, Any]) -> None:
    """Print one line at once: text, or a JSON object with --json."""
    print(json.dumps(data) if task.arguments.json else text, flush=True)

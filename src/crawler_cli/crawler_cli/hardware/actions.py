"""What each action of `crawler hw` does."""

from __future__ import annotations

import argparse
import json
import math
import os
import select
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crawler_core.errors import BackendFault, UserError, unknown_name
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.robot.robot_spec import RobotSpec
from hw_drivers.backend.calibration import calibration_path, read_zeros, write_zeros
from hw_drivers.backend.hardware_backend import HardwareBackend, configured_buses
from hw_drivers.backend.hardware_map import BusMap
from hw_drivers.backend.hardware_settings import HardwareSettings
from hw_drivers.bus.bus import Reading, Source
from hw_drivers.emulation.emulated_backend import EmulatedBackend
from hw_drivers.emulation.emulated_settings import EmulatedSettings
from hw_drivers.emulation.emulation import Emulation
from hw_drivers.tools.bus_scan import find_zeros, opened, release_all, scan
from hw_drivers.tools.slow_motion import check_goal, fault_of, guarded, move, placing

LOOKS = 0.2  # s between two lines of monitor
LOOK = 0.02  # s between two looks at emulated motors
Motors = HardwareBackend | EmulatedBackend
ROW = "{:<10} {:>10} {:>10} {:>9} {:>8} {:>8}  {}"


class HardwareTask:
    """One call of the command: what it works on, and what it found, for --json."""

    def __init__(
        self, spec: RobotSpec, settings: HardwareSettings | EmulatedSettings, arguments: argparse.Namespace
    ) -> None:
        self.spec = spec
        self.settings = settings
        self.arguments = arguments
        self.result: dict[str, Any] = {"action": arguments.action}
        self.buses = configured_buses(spec, settings if isinstance(settings, HardwareSettings) else settings.hardware)
        if arguments.joint and arguments.joint not in spec.actuated_names:
            raise unknown_name("actuated joint", arguments.joint, spec.actuated_names)

    def say(self, text: str) -> None:
        """A line for a person."""
        if not self.arguments.json:
            print(text, flush=True)

    def fail(self, faults: Sequence[BackendFault]) -> int:
        """Say what is wrong; the exit code."""
        for fault in faults:
            print(f"crawler: {fault}. Remedy: {fault.remedy.rstrip('.')}.", file=sys.stderr)
        self.result["faults"] = [{"cause": str(f), "remedy": f.remedy, "joint": f.joint} for f in faults]
        return 1 if faults else 0

    @contextmanager
    def ports(self) -> Iterator[tuple[BusMap, ...]]:
        """The buses, on emulators where the user wants those."""
        if isinstance(self.settings, HardwareSettings):
            yield self.buses
            return
        emulation = Emulation(self.spec, self.buses)
        try:
            yield tuple(emulation.connected(bus) for bus in self.buses)
        finally:
            emulation.close()

    @contextmanager
    def robot(self) -> Iterator[tuple[SupervisedBackend, Motors]]:
        """All motors set up behind their supervisor, without torque until they are moved."""
        made: list[Motors] = []

        def make(dt: float) -> Motors:
            if isinstance(self.settings, HardwareSettings):
                made.append(HardwareBackend(self.spec, self.settings, dt))
            else:
                made.append(EmulatedBackend(self.spec, self.settings, dt))
            return made[0]

        with guarded(self.spec, make) as runner:
            yield runner, made[0]


def _scan(task: HardwareTask) -> int:
    with task.ports() as buses:
        found = scan(buses)
    task.result["devices"] = [
        {
            "bus": one.bus,
            "id": one.id,
            "joint": one.joint,
            "model": one.device.model if one.device else None,
            "detail": one.device.detail if one.device else None,
        }
        for one in found
    ]
    for one in found:
        what = f"{one.device.model}, {one.device.detail}" if one.device else "does not answer"
        task.say(f"{one.bus:<12} id {one.id:<4} {one.joint or 'no joint':<12} {what}")
    missing = [one for one in found if one.device is None]
    return task.fail(
        [
            BackendFault(
                f"the motor of {one.joint}, id {one.id} on '{one.bus}', does not answer",
                remedy="check its cable, its power and its id",
                joint=one.joint,
            )
            for one in missing
        ]
    )


def _monitor(task: HardwareTask) -> int:
    once = task.arguments.once or task.arguments.json
    with task.robot() as (runner, backend):
        task.say(ROW.format("joint", "angle deg", "deg/s", "N m", "deg C", "V", "errors"))
        while True:
            moved = runner.tick(None)
            readings = backend.readings()
            task.result["joints"] = {name: _as_json(one) for name, one in readings.items()}
            for name, one in readings.items():
                numbers = (
                    f"{math.degrees(one.position):.2f}",
                    f"{math.degrees(one.velocity):.2f}",
                    f"{one.effort:.3f}",
                    f"{one.temperature:.0f}",
                    f"{one.voltage:.1f}",
                )
                task.say(ROW.format(name, *numbers, ", ".join(one.errors) or "-"))
            if not moved:
                return task.fail([fault_of(runner)])
            if once:
                return 0
            time.sleep(LOOKS)


def _as_json(one: Reading) -> dict[str, Any]:
    return {
        "angle_deg": math.degrees(one.position),
        "velocity_deg_s": math.degrees(one.velocity),
        "effort": one.effort,
        "temperature": one.temperature,
        "voltage": one.voltage,
        "errors": list(one.errors),
        "source": one.source.value,
    }


def _calibrate(task: HardwareTask) -> int:
    chosen = [task.arguments.joint] if task.arguments.joint else list(task.spec.actuated_names)
    path = Path(task.arguments.calibration or calibration_path(task.spec.name))
    home = {joint.name: joint.home for joint in task.spec.actuated}
    maps = {joint.joint: joint for bus in task.buses for joint in bus.joints}
    zeros: dict[str, float] = read_zeros(path, task.spec.name, task.spec.actuated_names) if path.exists() else {}
    with task.robot() as (runner, backend):
        blind = [name for name, one in backend.readings().items() if name in chosen and one.source is Source.COMMANDED]
        if blind:
            raise UserError(f"{blind[0]} cannot be calibrated: its servo does not tell its angle. Use its trim_us.")
        for name in chosen:
            degrees = math.degrees(home[name])
            print(
                f"Put {name} by hand at {degrees:g} degrees, its home, and press Enter ",
                end="",
                file=sys.stderr,
                flush=True,
            )
            if not sys.stdin.readline():
                raise UserError("the input ended before every joint was set: nothing was written.")
            if not runner.tick(None):
                return task.fail([fault_of(runner)])
            one = maps[name]
            zeros[name] = one.to_motor(backend.readings()[name].position) - one.rate_to_motor(home[name])
            task.say(f"{name}: the zero is at {math.degrees(zeros[name]):.2f} degrees of the motor")
    write_zeros(path, task.spec.name, zeros)
    task.result |= {"zero_deg": {name: math.degrees(zero) for name, zero in zeros.items()}, "calibration": str(path)}
    task.say(f"written to {path}")
    return 0


def _home(task: HardwareTask) -> int:
    if isinstance(task.settings, HardwareSettings):  # emulated devices know where they begin
        for name in find_zeros(task.buses):
            task.say(f"{name}: its zero was not known, and is found")
    placed = [joint for joint in placing(task.spec, task.buses).actuated if not joint.is_effort_driven]
    return _move(task, lambda now: {joint.name: joint.home for joint in placed})


def _jog(task: HardwareTask) -> int:
    arguments, name = task.arguments, task.arguments.joint
    if not name or (arguments.to is None and arguments.by is None):
        raise UserError("jog needs a joint and a goal: --joint NAME with --to DEGREES or --by DEGREES.")
    if arguments.to is not None:
        return _move(task, lambda now: {name: math.radians(arguments.to)})
    return _move(task, lambda now: {name: now[name] + math.radians(arguments.by)})


def _move(task: HardwareTask, goal_from: Callable[[Mapping[str, float]], dict[str, float]]) -> int:
    speed = math.radians(task.arguments.speed)
    task.spec = placing(task.spec, task.buses)
    check_goal(task.spec, {}, speed)
    with task.robot() as (runner, backend):
        now = {name: one.position for name, one in backend.readings().items()}
        goal = goal_from(now)
        check_goal(task.spec, goal, speed)
        task.say("moving " + ", ".join(f"{name} to {math.degrees(angle):.1f}" for name, angle in goal.items()))
        move(runner, task.spec, goal, speed)
        task.result["joints"] = {name: _as_json(one) for name, one in backend.readings().items()}
        for name in goal:
            task.say(f"{name} is at {task.result['joints'][name]['angle_deg']:.2f} degrees; the torque goes off")
    return 0


def _estop(task: HardwareTask) -> int:
    with task.ports() as buses:
        faults = release_all(buses)
    if any("another program uses" in str(fault) for fault in faults):
        return _estop_the_run(task)
    if not faults:
        task.say("the torque of every joint is off")
    return task.fail(faults)


def _estop_the_run(task: HardwareTask) -> int:
    """The port is taken, so a run has the motors: press the emergency stop of its backend."""
    from std_srvs.srv import Trigger

    from crawler_nodes.client.stack_monitor import StackMonitor

    with StackMonitor(namespace=task.arguments.namespace, name="estop") as view:
        answer = view.call(Trigger, "backend/estop", Trigger.Request(), 5.0)
    task.say(answer.message)
    return 0 if answer.success else 1


def _reboot(task: HardwareTask) -> int:
    with task.ports() as buses:
        for bus in buses:
            with opened(bus) as driver:
                try:
                    driver.configure(bus.joints)
                except UserError as error:
                    task.say(f"{bus.name}: {error}")
                driver.clear()
    task.say("every motor is well; the torque is off")
    return 0


def _emulate(task: HardwareTask) -> int:
    emulation = Emulation(task.spec, task.buses)
    try:
        ports = {name: emulator.port for name, emulator in emulation.emulators.items()}
        _tell(task, "; ".join(f"{name} is at {port}" for name, port in ports.items()), {"ports": ports})
        before: dict[str, bool] = {}
        listening = True
        while True:
            torque = emulation.torque()
            if torque != before:
                text = ", ".join(f"{name} {'on' if on else 'off'}" for name, on in torque.items())
                _tell(task, f"torque: {text}", {"torque": torque})
                before = torque
            if not listening:
                time.sleep(LOOK)
            elif select.select([sys.stdin], [], [], LOOK)[0]:
                typed = os.read(sys.stdin.fileno(), 4096).decode(errors="replace")
                listening = bool(typed)
                for line in typed.splitlines():
                    _obey(task, emulation, line.split())
    finally:
        emulation.close()


def _obey(task: HardwareTask, emulation: Emulation, words: list[str]) -> None:
    """What was typed: `state`, or a fault and perhaps a joint."""
    if words == ["state"]:
        angles, rates = emulation.motion()
        state = {
            name: {"angle_deg": math.degrees(q), "rate_deg_s": math.degrees(rates[name])} for name, q in angles.items()
        }
        text = "; ".join(f"{n} at {s['angle_deg']:.2f} deg, {s['rate_deg_s']:.2f} deg/s" for n, s in state.items())
        _tell(task, text, {"state": state, "torque": emulation.torque()})
    elif words:
        try:
            emulation.inject(*words[:2])
        except UserError as error:
            print(f"crawler: {error}", file=sys.stderr, flush=True)


def _tell(task: HardwareTask, text: str, data: dict[str, Any]) -> None:
    """One line at once: for a person, or a JSON object."""
    print(json.dumps(data) if task.arguments.json else text, flush=True)


ACTIONS: Mapping[str, Callable[[HardwareTask], int]] = {
    "scan": _scan,
    "monitor": _monitor,
    "calibrate": _calibrate,
    "home": _home,
    "jog": _jog,
    "estop": _estop,
    "reboot": _reboot,
    "emulate": _emulate,
}

"""The motors, without a crawl: find them, watch them, calibrate them, move them slowly, take their torque off."""

from __future__ import annotations

import argparse
import json
import signal
import sys

from crawler_cli.console.arguments import add_json, namespace, number
from crawler_cli.hardware.actions import ACTIONS, HardwareTask
from crawler_core.errors import BackendFault, UserError
from crawler_core.robot.robot_file import default_robot, load_robot, robot_names
from hw_drivers.backend.hardware_settings import NO_CALIBRATION, HardwareSettings
from hw_drivers.emulation.emulated_settings import EmulatedSettings

HELP = """actions:
  scan       what answers on the robot's buses, and which joint's motor is missing; nothing moves
  monitor    the joints' angles, temperatures and voltages until Ctrl-C, or --once; the torque is off
  calibrate  put each joint by hand where you are told; writes where the zeros really are
  home       every joint slowly to its home, and before that to its index where a board has forgotten its zero; one
             that is driven by effort only on a board, and elsewhere it brakes meanwhile
  jog        one joint slowly: --joint NAME and --to or --by DEGREES
  estop      torque off for every joint, on the bus or, while a run has the port, through the run's backend
  reboot     clear the errors that servos have latched; the torque is off then
  emulate    pretend the robot's buses until Ctrl-C; prints their ports, for --port, and the torque when it changes;
             understands lines such as 'dead joint_2', 'hot', 'gone', 'none' and 'state'

examples:
  crawler hw scan
  crawler hw jog --joint joint_1 --by 5 --emulate
  crawler hw monitor --once --json

exit codes: 0 done, 1 a motor is missing or reports a fault, 2 bad input, 130 interrupted

keys of --json: action, joints (by name: angle_deg, velocity_deg_s, effort, temperature, voltage, errors, source),
devices (of scan: bus, id, joint, model, detail), zero_deg, calibration, ports, torque, state (of
emulate, a line each), faults (cause, remedy, joint)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler hw`."""
    parser.add_argument("action", choices=tuple(ACTIONS), help="see below")
    parser.add_argument(
        "--robot", default="", help=f"one of {', '.join(robot_names())}, or a robot.yaml (default: {default_robot()})"
    )
    parser.add_argument("--port", default="", help="in place of the robot file's, for a robot with one bus")
    parser.add_argument("--emulate", action="store_true", help="on pretended motors")
    parser.add_argument("--calibration", default="", metavar="FILE", help="in place of the one in ~/.config/crawler")
    parser.add_argument("--joint", default="", help="for jog and calibrate: which one")
    goal = parser.add_mutually_exclusive_group()
    goal.add_argument("--to", type=number, metavar="DEGREES", help="for jog: the angle to go to")
    goal.add_argument("--by", type=number, metavar="DEGREES", help="for jog: how far to go")
    parser.add_argument("--speed", type=number, default=10.0, metavar="DEGREES/S", help="(default: %(default)s)")
    parser.add_argument("--once", action="store_true", help="for monitor: one look")
    parser.add_argument("--namespace", type=namespace, default="", help="for estop: of the run that has the port")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do the action."""
    signal.signal(signal.SIGTERM, _end)
    spec = load_robot(arguments.robot)
    task = HardwareTask(spec, _settings(arguments), arguments)
    try:
        code = ACTIONS[arguments.action](task)
    except BackendFault as fault:
        print(f"crawler: {fault}. Remedy: {fault.remedy.rstrip('.')}.", file=sys.stderr)
        task.result["faults"] = [{"cause": str(fault), "remedy": fault.remedy, "joint": fault.joint}]
        code = 1
    if arguments.json:
        from crawler_cli.console.output import finite  # brings in all of scipy.optimize

        print(json.dumps(finite(task.result)))
    return code


def _settings(arguments: argparse.Namespace) -> HardwareSettings | EmulatedSettings:
    calibration = arguments.calibration if arguments.action != "calibrate" else NO_CALIBRATION
    if not arguments.emulate:
        return HardwareSettings(port=arguments.port, calibration=calibration)
    if arguments.port:
        raise UserError("--port contradicts --emulate: emulated buses have ports of their own.")
    return EmulatedSettings(calibration=calibration or NO_CALIBRATION)


def _end(_number: int, _frame: object) -> None:
    raise SystemExit(128 + signal.SIGTERM)  # unwinds, so that the torque goes off on the way

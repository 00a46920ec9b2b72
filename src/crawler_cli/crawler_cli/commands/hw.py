"""Find, watch, calibrate and move a robot's motors, and disable their torque."""

from __future__ import annotations

import argparse
import signal

from crawler_cli.console.arguments import add_json, namespace, number
from crawler_cli.console.interruption import drop_terminal
from crawler_cli.console.output import print_json
from crawler_cli.hardware.actions import ACTIONS
from crawler_cli.hardware.hardware_task import HardwareTask
from crawler_core.errors import BackendFault, UserError
from crawler_core.robot.robot_file import default_robot, load_robot, robot_names
from crawler_nodes.shutdown.end_signals import end_signals
from hw_drivers.backend.hardware_settings import NO_CALIBRATION, HardwareSettings
from hw_drivers.emulation.emulated_settings import EmulatedSettings

HELP_TEXT = """
  makes   a report on the terminal; calibrate also writes the motors' zeros
  where   ~/.config/crawler/, or --calibration FILE
  time    some seconds; monitor and emulate until Ctrl-C; home and jog by --speed

actions:
  scan       list what answers on the robot's buses, and which motors and sensors are missing; nothing moves
  monitor    print angles, temperatures, voltages and sensors until Ctrl-C, or --once; the torque is off
  calibrate  ask you to put each joint by hand at its home, and write where the zeros are; then measure the
             rates that gyroscopes show at rest
  home       move every joint slowly to its home; a board that has lost its zero first moves to its
             index; a joint driven by effort moves only on a board and elsewhere brakes
  jog        move one joint slowly: --joint NAME and --to or --by DEGREES
  estop      disable the torque of every joint, on the bus, or through the run that has the port
  reboot     clear the errors that servos have latched; the torque is off afterwards
  emulate    emulate the robot's buses until Ctrl-C: print their ports, for --port, and each change
             of torque; accept lines such as 'dead joint_2', 'hot', 'gone', 'none' and 'state'

examples:
  crawler hw scan
  crawler hw jog --joint joint_1 --by 5 --emulate
  crawler hw monitor --once --json

exit codes: 0 done, 1 a motor is missing or reports a fault, 2 bad input, 130 interrupted

keys of --json: action, joints (by name: angle_deg, velocity_deg_s, effort, temperature, voltage, errors, source),
devices (of scan: bus, id, joint, model, detail), sensors (by name; of scan: kind, found, problem; of monitor: rate,
and gyro_deg_s, accel_m_s2, closed, force or voltage), zero_deg, gyro_bias, calibration, ports, torque, state (of
emulate, a line each), faults (cause, remedy, joint)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=tuple(ACTIONS), help="see below")
    parser.add_argument(
        "--robot", default="", help=f"one of {', '.join(robot_names())}, or a robot.yaml (default: {default_robot()})"
    )
    parser.add_argument("--port", default="", help="in place of the robot file's, for a robot with one bus")
    parser.add_argument("--emulate", action="store_true", help="on emulated motors")
    parser.add_argument("--calibration", default="", metavar="FILE", help="in place of the one in ~/.config/crawler")
    parser.add_argument("--joint", default="", help="for jog and calibrate: which one")
    parser.add_argument("--sensor", default="", metavar="NAME", help="for calibrate: this gyroscope alone")
    goal = parser.add_mutually_exclusive_group()
    goal.add_argument("--to", type=number, metavar="DEGREES", help="for jog: the angle to move to")
    goal.add_argument("--by", type=number, metavar="DEGREES", help="for jog: how far to move")
    parser.add_argument("--speed", type=number, default=10.0, metavar="DEGREES/S", help="(default: %(default)s)")
    parser.add_argument("--once", action="store_true", help="for monitor: print one row per joint and stop")
    parser.add_argument("--namespace", type=namespace, default="", help="for estop: of the run that has the port")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do the action."""
    for end_signal in end_signals():
        if end_signal != signal.SIGINT:  # which raises KeyboardInterrupt already
            signal.signal(end_signal, _exit)
    spec = load_robot(arguments.robot)
    task = HardwareTask(spec, _settings(arguments), arguments)
    try:
        code = ACTIONS[arguments.action](task)
    except BackendFault as fault:
        code = task.report([fault])
    if arguments.json:
        print_json(task.result)
    return code


def _settings(arguments: argparse.Namespace) -> HardwareSettings | EmulatedSettings:
    calibration = arguments.calibration if arguments.action != "calibrate" else NO_CALIBRATION
    if not arguments.emulate:
        return HardwareSettings(port=arguments.port, calibration=calibration)
    if arguments.port:
        raise UserError("--port contradicts --emulate: emulated buses have ports of their own. Leave one out.")
    return EmulatedSettings(calibration=calibration or NO_CALIBRATION)


def _exit(end_signal: int, _frame: object) -> None:
    drop_terminal(end_signal)
    raise SystemExit(128 + end_signal)  # unwinds the stack, which disables the torque

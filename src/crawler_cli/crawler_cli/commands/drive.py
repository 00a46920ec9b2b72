"""Drive a running robot by the keys of the terminal or by a gamepad."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import time
from contextlib import ExitStack, suppress

from crawler_cli.commands.steer import NO_STACK, choose_stack, with_notice
from crawler_cli.console.arguments import namespace
from crawler_cli.console.exit_code import EXIT_NOT_DONE
from crawler_cli.driving.drive_client import DriveClient
from crawler_cli.driving.gamepad import PATTERN, Gamepad, find_gamepad
from crawler_cli.driving.key_steering import Action, KeySteering
from crawler_cli.driving.key_terminal import KeyTerminal
from crawler_core.errors import UserError
from crawler_nodes.client.stack_client import StackClient, open_stack_client
from crawler_nodes.transport.domain_id import domain_id
from crawler_nodes.transport.estop_socket import stop_local_stacks

HELP_TEXT = """
  makes   cmd_vel for a running stack, 20 times a second, while a key or the stick is held
  where   the only stack on this machine, or that of --namespace; 'crawler run' starts one
  time    until q or Ctrl-C; the robot then stops

keys:
  arrows or w a s d   forward, backward, turns; a turn beside a held move is a curve
  + and -             faster and slower, in steps of 10 % of the robot's fastest
  space               stop; so do all other keys, and releasing them
  e                   emergency stop: torque off, latched until 'crawler steer reset'
  q                   quit

A gamepad is used where there is one, too: its left stick drives, B or the circle is the
emergency stop. The line shows what the robot executes, what is wanted, and the speed over its
last stride, by the truth of a simulation or else by its odometry.

examples:
  crawler run --view                       in one terminal
  crawler drive                            in another
  crawler drive --namespace second --gamepad

exit codes: 0 ended by q; 1 there is no stack, or it cannot be driven; 2 bad input; 130 interrupted
"""
PERIOD_S = 0.05
LINE_PERIOD_S = 0.2
RANGE_TIMEOUT_S = 60.0  # for the equations to find the range of speeds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--namespace", type=namespace, default="", help="of the stack, where there are several")
    parser.add_argument(
        "--gamepad", nargs="?", const="", metavar="DEVICE", help="use a gamepad without a terminal; it must be there"
    )


def run(arguments: argparse.Namespace) -> int:
    """Drive until q, Ctrl-C, or the end of the terminal."""
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
    signal.signal(signal.SIGHUP, signal.getsignal(signal.SIGINT))
    with ExitStack() as resources:
        gamepad = find_gamepad(arguments.gamepad or "") if arguments.gamepad is not None else _optional_gamepad()
        if arguments.gamepad is not None and gamepad is None:
            raise UserError(f"there is no gamepad: none of {PATTERN} is there. Connect one, or drive by keys.")
        if gamepad is not None:
            resources.callback(gamepad.close)
        needs_keys = arguments.gamepad is None or os.isatty(sys.stdin.fileno())
        terminal = KeyTerminal(sys.stdin.fileno()) if needs_keys else None
        client = resources.enter_context(open_stack_client("drive", arguments.namespace.strip("/")))
        if not (stacks := asyncio.run(with_notice(client.find_stacks()))):
            print(f"crawler: {NO_STACK}", file=sys.stderr)
            return EXIT_NOT_DONE
        drive = DriveClient(client.node, choose_stack(client, stacks))
        client.discover()
        if sentence := _wait_for_range(client, drive):
            print(f"crawler: {sentence}", file=sys.stderr)
            return EXIT_NOT_DONE
        print("arrows or w a s d: drive   + -: speed   space: stop   e: EMERGENCY STOP   q: quit", flush=True)
        if terminal is not None:
            resources.enter_context(terminal)
        try:
            _drive(client, drive, terminal, gamepad)
        finally:
            drive.send(0.0, 0.0)
            client.spin_once()
            with suppress(OSError):  # the terminal is gone
                print(flush=True)
    return 0


def _optional_gamepad() -> Gamepad | None:
    """Return the first gamepad; None where there is none that can be read."""
    try:
        return find_gamepad("")
    except UserError:
        return None


def _wait_for_range(client: StackClient, drive: DriveClient) -> str:
    """Wait until the gait node tells its range of speeds; return why it does not."""
    end = time.monotonic() + RANGE_TIMEOUT_S
    while drive.limit("fastest_forward") is None:
        client.spin_once()
        time.sleep(0.01)
        if "cannot drive" in drive.notes or "makes no way" in drive.notes or "velocity map" in drive.notes:
            return drive.notes
        if time.monotonic() > end:
            return f"the gait node has not told its range of speeds within {RANGE_TIMEOUT_S:g} s: is it running?"
    return ""


def _drive(client: StackClient, drive: DriveClient, terminal: KeyTerminal | None, gamepad: Gamepad | None) -> None:
    keys, next_line_s = KeySteering(), 0.0
    while True:
        actions = []
        if terminal is None:
            time.sleep(PERIOD_S)
        elif (data := terminal.read(PERIOD_S)) is None:
            return
        else:
            actions += keys.feed(data, time.monotonic())
        forward, left = map(float, keys.direction(time.monotonic()))
        if gamepad is not None:
            actions += gamepad.poll()
            if not (forward or left):
                forward, left = gamepad.direction
        if Action.ESTOP in actions:
            forward = left = 0.0
            print(f"\r\x1b[K{_estop(client)}", flush=True)
        if Action.QUIT in actions:
            return
        speed, yaw = wanted_velocity(drive, keys.share, forward, left)
        drive.send(speed, yaw)
        for _ in range(10):
            client.spin_once()
        if time.monotonic() >= next_line_s:
            next_line_s = time.monotonic() + LINE_PERIOD_S
            print(f"\r\x1b[K{status_line(drive, keys.share, speed, yaw)}", end="", flush=True)


def wanted_velocity(drive: DriveClient, share: float, forward: float, left: float) -> tuple[float, float]:
    """Return the velocity (m/s, rad/s) for a direction and a share of the robot's range."""
    limit = drive.limit("fastest_forward" if forward > 0.0 else "fastest_backward") or 0.0
    speed = share * forward * limit
    return speed, share * left * (drive.limit("fastest_yaw") or 0.0)


def status_line(drive: DriveClient, share: float, speed: float, yaw: float) -> str:
    """Return what is executed, wanted and measured, and what the gait node says about it."""

    def text(value: float | None) -> str:
        return "-" if value is None else f"{1e3 * value:.1f}"

    turn = f", {yaw:+.2f} rad/s" if yaw else ""
    state = f"  [{drive.motion}]" if drive.motion not in ("", "active") else ""
    note = drive.notes if drive.notes not in ("driven by cmd_vel", "streaming") else ""
    return (
        f"{text(drive.limit('forward'))} mm/s (wanted {text(speed)}{turn}, measured {text(drive.measured)})  "
        f"speed key {100.0 * share:.0f} %{state}{f'  {note}' if note else ''}"
    )


def _estop(client: StackClient) -> str:
    """Stop the stack that is driven: by the socket of this machine, else by its service."""
    answers = stop_local_stacks(domain_id(), client.namespace)
    if answers:
        return "; ".join(answer.text for answer in answers)
    try:
        return asyncio.run(client.estop()).text
    except TimeoutError as error:
        return f"NOT STOPPED: {error}"

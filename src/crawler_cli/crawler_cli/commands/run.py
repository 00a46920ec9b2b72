"""Start the ring: a backend, a gait node and a controller, as processes, and watch the robot crawl."""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from crawler_bringup.security.secure_nodes import use_viewer_enclave
from crawler_bringup.stack.backend_flag import BackendFlag, apply_flags
from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.node_engines import node_engines
from crawler_bringup.stack.options import LOG_LEVELS, Options
from crawler_bringup.stack.stack import Stack, make_stack
from crawler_cli.console.arguments import add_json, add_settings, namespace, number, port, settings_of
from crawler_cli.console.exit_code import EXIT_INTERRUPTED
from crawler_cli.console.output import finite
from crawler_cli.recordings.recording_check import check_recording
from crawler_cli.run.run_watch import USAGE, RunOutcome, watch
from crawler_cli.run.summary import summarise, summary_table
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import default_robot, robot_names
from crawler_nodes.transport.duplicate_stack_check import DuplicateStackCheck
from crawler_view.server.view_settings import ViewSettings
from gait_generators.kinds.gait_registry import GAITS
from hybrid_controller.laws.law_registry import LAWS
from sim_bridge.physics.engines import default_physics

NOT_DONE = 1  # exit code
HELP = """examples:
  crawler run                                        the default robot in physics
  crawler run --backend model --lockstep             the paper's equations, as fast as the machine allows
  crawler run --set gait.omega=8 --set robot.friction=0.398
  crawler run --backend hardware --emulate           real drivers on pretended motors; without --emulate, the robot
  crawler run --params my.yaml --duration 60 --record
  crawler run --view                                 with a page for your browser, until Ctrl-C: docs/see_and_steer.md
  crawler run --controller hybrid --set gait.omega=8   feedback on the contacts: docs/feedback.md

files: everything of a run goes to runs/<robot>-<backend>-<time>/: summary.json, run.png, logs/, recording/ (MCAP)

exit codes: 0 done; 1 the robot did not do what was asked: a node ended, hung or was stopped, a fault or an emergency
stop stopped the robot, late commands bent the result, or what was to be left could not be written; 2 bad input; 130
interrupted before the end (by Ctrl-C or Ctrl-Z), 143 and 129 ended by SIGTERM and SIGHUP

keys of --json: robot, backend, controller, gait, duration_s, real_time_factor, start_up_s, step_length_m,
stride_period_s, speed_m_s, cycles_measured, steady, prediction (what the measured is compared with),
predicted_step_length_m, predicted_speed_m_s, demands (what the strides that end with an event of a foot ask for at
most: friction_used, slip_per_stride_m, peak_torque_N_m, peak_power_W), predicted_demands, difference_percent,
distance_m, lateral_m, yaw_rad (to the left, where the base can), ticks, late_ticks, overruns, clamped, rejected,
contact_shares, branch_shares (of the law's parts, once settled), valid (false: late ticks, or a gait that fell silent,
have bent what is measured), why_invalid, fault (why the robot did not do what was asked), interrupted, directory,
picture, recording
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler run`."""
    parser.add_argument("--robot", default=default_robot(), help=f"one of {', '.join(robot_names())}, or a robot.yaml")
    parser.add_argument(
        "--backend",
        default="",
        help=f"what moves: one of {', '.join(BACKENDS)} (default: physics, by the first engine that is installed)",
    )
    parser.add_argument(
        "--controller", default="", help=f"the control law: one of {', '.join(LAWS)} (default: the robot's)"
    )
    parser.add_argument("--gait", default="", help=f"one of {', '.join(GAITS)} (default: the robot's)")
    add_settings(parser)
    parser.add_argument(
        "--duration",
        type=number,
        metavar="SECONDS",
        help="of the run's own time; 0: until Ctrl-C (default: five periods of the gait, at least 20 s)",
    )
    parser.add_argument(
        "--lockstep", action="store_true", help="wait for every command: repeatable to the bit, and as fast as it goes"
    )
    parser.add_argument(
        "--real-time-factor",
        type=number,
        metavar="F",
        help="simulated seconds per second (default: 1; in lockstep 0, as fast as it goes)",
    )
    window = parser.add_mutually_exclusive_group()
    window.add_argument("--gui", action="store_true", help="show PyBullet's window")
    window.add_argument("--headless", action="store_true", help="no window (the default)")
    parser.add_argument(
        "--view", action="store_true", help="serve a page that shows and steers the robot; the run then has no end"
    )
    parser.add_argument(
        "--view-port", type=port, default=ViewSettings.port, metavar="PORT", help="of that page (default: %(default)s)"
    )
    parser.add_argument("--emulate", action="store_true", help="with --backend hardware: on pretended motors and buses")
    parser.add_argument("--record", action="store_true", help="record every topic as MCAP, for Foxglove and rosbag2")
    parser.add_argument("--out", metavar="DIR", help="where the run's files go (default: runs/...); must not exist yet")
    parser.add_argument("--no-picture", action="store_true", help="draw none, and end half a second sooner")
    parser.add_argument("--namespace", type=namespace, default="", help="for a second robot at the same time")
    parser.add_argument(
        "--secure",
        action="store_true",
        help="nobody commands without a key, of 'crawler keys': docs/security.md",
    )
    parser.add_argument("--log-level", default="info", choices=LOG_LEVELS, help="of the nodes")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check everything, start, watch, end, sum up."""
    directory = _directory(arguments)
    if arguments.secure:
        use_viewer_enclave(arguments.namespace)
    with DuplicateStackCheck(arguments.namespace) as lookout:
        stack = make_stack(options(arguments, directory))
        if stack.note:
            print(stack.note, file=sys.stderr)
        stack.prediction  # noqa: B018  it is known before anything moves
        lookout.raise_if_duplicate("give this one --namespace NAME")
    if stack.options.view:
        _say_where_the_page_is(stack)
    try:
        directory.mkdir(parents=True)
    except OSError as error:
        raise UserError(f"{directory} cannot be made ({error.strerror}): give another place with --out.") from None
    draws, quiet = not arguments.no_picture, arguments.json
    return _finish(stack, watch(stack, directory, quiet, draws), directory, quiet, draws)


def _say_where_the_page_is(stack: Stack) -> None:
    from crawler_view.server.access import Access
    from crawler_view.server.web_server import listen

    host, port = ViewSettings.host, stack.options.view_port
    if not port:
        raise UserError("--view-port 0 is not allowed here: give a port, so that the page's address is known.")
    for sock in listen(host, port):  # refused before anything starts
        sock.close()
    print(f"see the robot at {Access.of(host, '').url(port)}", file=sys.stderr)


def options(arguments: argparse.Namespace, directory: Path) -> Options:
    """What the user wants. Raises UserError for flags that contradict what else is said."""
    return Options(
        robot=arguments.robot,
        backend=arguments.backend,
        emulate=arguments.emulate,
        controller=arguments.controller,
        gait=arguments.gait,
        settings=apply_flags(settings_of(arguments), _backend(arguments), _flags(arguments), "--set ", arguments.set),
        duration=0.0 if arguments.view and arguments.duration is None else arguments.duration,
        namespace=arguments.namespace,
        view=arguments.view,
        view_port=arguments.view_port,
        record=str((directory / "recording").resolve()) if arguments.record else "",
        log_level=arguments.log_level,
        command=shlex.join(["crawler", *sys.argv[1:]]),
        secure=arguments.secure,
        extra_state_readers=1,
    )


def _backend(arguments: argparse.Namespace) -> str:
    return arguments.backend or default_physics(node_engines())


def _flags(arguments: argparse.Namespace) -> list[BackendFlag]:
    flags = []
    if arguments.lockstep:
        flags.append(BackendFlag("--lockstep", "lockstep", True))
    if arguments.real_time_factor is not None:
        flags.append(BackendFlag("--real-time-factor", "real_time_factor", arguments.real_time_factor))
    if arguments.gui or arguments.headless:
        flags.append(
            BackendFlag("--gui" if arguments.gui else "--headless", "gui", arguments.gui, about="PyBullet's window")
        )
    return flags


def _directory(arguments: argparse.Namespace) -> Path:
    if not arguments.out:
        what = f"{_label(arguments.robot or default_robot())}-{_backend(arguments)}"
        return Path("runs") / f"{what}-{datetime.now():%Y%m%d-%H%M%S-%f}"[:-3]
    directory = Path(arguments.out)
    if directory.exists():
        raise UserError(f"{directory} exists already: give a new name with --out, nothing is overwritten.")
    return directory


def _label(robot: str) -> str:
    """A robot's name for a directory's: of a robot.yaml the directory that it is in."""
    return Path(robot).resolve().parent.name if robot.endswith((".yaml", ".yml")) else robot


def _finish(stack: Stack, outcome: RunOutcome, directory: Path, quiet: bool, draws: bool) -> int:
    if outcome.refusal:
        print(f"crawler: {outcome.refusal}", file=sys.stderr)
        return USAGE
    summary = summarise(stack, outcome, directory)
    unwritten = []
    if stack.options.record and outcome.log.states:
        summary["recording"], lacks = check_recording(stack.options.record)
        unwritten += [lacks] if lacks else []
    if draws and len(outcome.log.joints) > 2:
        unwritten += _leave_picture(stack, outcome, directory, summary)
    unwritten += _leave_summary(directory, summary)
    if quiet:
        print(json.dumps(finite(summary)))
    else:
        summary_table(summary)
    invalid = summary["why_invalid"] if summary["step_length_m"] is not None else ""
    for sentence in (summary["fault"], invalid, *unwritten):
        if sentence:
            print(f"crawler: {sentence}", file=sys.stderr)
    if outcome.interrupted in (signal.SIGTERM, signal.SIGHUP):
        return 128 + outcome.interrupted
    if summary["fault"] or invalid or unwritten:
        return NOT_DONE
    return EXIT_INTERRUPTED if outcome.interrupted and stack.duration else 0


def _leave_picture(stack: Stack, outcome: RunOutcome, directory: Path, summary: dict[str, Any]) -> list[str]:
    """Draw it, and tell the summary; a sentence where that is not possible."""
    from crawler_cli.plots.run_plot import draw

    title = f"{summary['robot']} on {summary['backend']}, gait {summary['gait']}"
    file = directory / "run.png"
    try:
        draw(outcome.log, title, summary["predicted_speed_m_s"], LAWS[stack.law].marks, file)
    except Exception as error:  # whatever a picture library makes of a full disk
        return [f"{file} cannot be written: {_why(error)}."]
    summary["picture"] = str(file)
    return []


def _leave_summary(directory: Path, summary: dict[str, Any]) -> list[str]:
    """Write it; a sentence where that is not possible."""
    file = directory / "summary.json"
    try:
        file.write_text(json.dumps(finite(summary), indent=2) + "\n")
    except OSError as error:
        return [f"{file} cannot be written: {_why(error)}."]
    return []


def _why(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error).rstrip(".")

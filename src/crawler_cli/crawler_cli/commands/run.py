"""Run a stack of nodes as processes, and report how the robot crawls."""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from crawler_bringup.security.enclave_environment import use_viewer_enclave
from crawler_bringup.stack.backend_flag import BackendFlag, apply_flags
from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.node_engines import node_engines
from crawler_bringup.stack.options import LOG_LEVELS, Options
from crawler_bringup.stack.stack import Stack, make_stack
from crawler_cli.console.arguments import add_json, add_settings, check_new, namespace, number, port, read_all_settings
from crawler_cli.console.exit_code import EXIT_INTERRUPTED, EXIT_NOT_DONE, EXIT_USAGE
from crawler_cli.console.output import finite, print_json
from crawler_cli.recordings.recording_check import check_recording
from crawler_cli.run.run_watch import RunOutcome, watch
from crawler_cli.run.summary import print_summary, summarise
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import default_robot, robot_names
from crawler_nodes.transport.duplicate_stack_check import DuplicateStackCheck
from crawler_view.server.view_settings import ViewSettings
from gait_generators.kinds.gait_registry import GAITS
from hybrid_controller.laws.law_registry import LAWS
from sim_bridge.physics.engines import default_physics

HELP_TEXT = """
  makes   a summary, a picture, the nodes' logs and, with --record, a recording (MCAP)
  where   runs/<robot>-<backend>-<time>/, or --out DIR: summary.json, run.png, logs/, recording/
  time    five periods of the gait, at least 20 s, or --duration; less in lockstep; without a controller until Ctrl-C

examples:
  crawler run                              the default robot in physics
  crawler run --backend model --lockstep   the paper's equations, as fast as the machine allows
  crawler run --set gait.omega=8 --set robot.friction=0.398
  crawler run --params examples/my.yaml --duration 60 --record
  crawler run --view                       with a page for your browser: docs/see_and_steer.md
  crawler run --controller hybrid --set gait.omega=8   contact feedback: docs/feedback.md
  crawler run --backend hardware --emulate             real drivers on emulated motors
  crawler run --controller none --gait none            your own node commands: docs/your_own_controller.md

exit codes: 0 done; 1 the robot did not do what was asked: a node ended, hung or was stopped, a fault or an emergency
stop stopped the robot, late commands bent the result, or a file could not be written; 2 bad input; 130 interrupted
before the end (Ctrl-C or Ctrl-Z), 143 and 129 ended by SIGTERM and SIGHUP

keys of --json: robot, backend, controller, gait, duration_s, real_time_factor, start_up_s, step_length_m,
stride_period_s, speed_m_s, cycles_measured, steady, prediction (source of the predicted values),
predicted_step_length_m, predicted_speed_m_s, peak_loads (largest loads of strides that end with an event of a foot:
friction_used, slip_per_stride_m, peak_torque_N_m, peak_power_W), predicted_peak_loads, difference_percent,
why_different, distance_m, measured_by (what measured the distance: ground truth, external pose, estimate, ruler),
estimated_distance_m, estimate_source (of odom), gait_period_s, lateral_m, yaw_rad (to the left, if the base can
turn), ticks, late_ticks, overruns, clamped, rejected, contact_shares, branch_shares (of the law's parts, once
settled), valid (false: late ticks or a missing reference have bent the result), why_invalid, sensor_warnings (the
first problem of each sensor), fault (why the robot did not do what was asked), interrupted, directory, picture,
recording
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--robot", default=default_robot(), help=f"one of {', '.join(robot_names())}, or a robot.yaml")
    parser.add_argument(
        "--backend",
        default="",
        help=f"what moves: one of {', '.join(BACKENDS)} (default: the first installed physics engine)",
    )
    parser.add_argument(
        "--controller",
        default="",
        help=f"the control law: one of {', '.join(LAWS)} (default: the robot's); none: a node of yours commands",
    )
    parser.add_argument(
        "--gait", default="", help=f"one of {', '.join(GAITS)} (default: the robot's); none: no gait node"
    )
    add_settings(parser)
    parser.add_argument(
        "--duration",
        type=number,
        metavar="SECONDS",
        help="of the run's own time; 0: until Ctrl-C (default: five periods of the gait, at least 20 s)",
    )
    parser.add_argument(
        "--lockstep", action="store_true", help="wait for every command: bit-equal repetition, as fast as possible"
    )
    parser.add_argument(
        "--real-time-factor",
        type=number,
        metavar="F",
        help="simulated seconds per second (default: 1; in lockstep 0, as fast as possible)",
    )
    window = parser.add_mutually_exclusive_group()
    window.add_argument("--gui", action="store_true", help="show PyBullet's window")
    window.add_argument("--headless", action="store_true", help="no window (the default)")
    parser.add_argument(
        "--view", action="store_true", help="serve a page that shows and steers the robot; runs until Ctrl-C"
    )
    parser.add_argument(
        "--view-port", type=port, default=ViewSettings.port, metavar="PORT", help="of that page (default: %(default)s)"
    )
    parser.add_argument("--emulate", action="store_true", help="with --backend hardware: on emulated motors and buses")
    parser.add_argument("--record", action="store_true", help="record every topic as MCAP, for Foxglove and rosbag2")
    parser.add_argument("--out", metavar="DIR", help="where the run's files go (default: runs/...); must not exist yet")
    parser.add_argument("--no-picture", action="store_true", help="draw none, and end half a second sooner")
    parser.add_argument("--namespace", type=namespace, default="", help="for a second robot at the same time")
    parser.add_argument(
        "--secure", action="store_true", help="only nodes with a key of 'crawler keys' command: docs/security.md"
    )
    parser.add_argument("--log-level", default="info", choices=LOG_LEVELS, help="of the nodes")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check the input, run the stack, report."""
    directory = _directory(arguments)
    if arguments.secure:
        use_viewer_enclave(arguments.namespace)
    with DuplicateStackCheck(arguments.namespace) as duplicates:
        stack = make_stack(options(arguments, directory))
        if stack.note:
            print(stack.note, file=sys.stderr)
        stack.prediction  # noqa: B018  known before anything moves
        duplicates.raise_if_duplicate("use --namespace NAME", stack.single_publisher_topics)
    if stack.options.view:
        _print_page_address(stack)
    try:
        directory.mkdir(parents=True)
    except OSError as error:
        raise UserError(f"{directory} cannot be made ({error.strerror}): give another place with --out.") from None
    draws, quiet = not arguments.no_picture, arguments.json
    return _report(stack, watch(stack, directory, quiet, draws), directory, quiet, draws)


def _print_page_address(stack: Stack) -> None:
    from crawler_view.server.access import Access
    from crawler_view.server.web_server import open_sockets

    host, port = ViewSettings.host, stack.options.view_port
    if not port:
        raise UserError("--view-port 0 is not allowed here: give a port, so that the page's address is known.")
    for sock in open_sockets(host, port):  # an unusable address is an error before anything starts
        sock.close()
    print(f"see the robot at {Access.for_host(host, '').url(port)}", file=sys.stderr)


def options(arguments: argparse.Namespace, directory: Path) -> Options:
    """Return the options of the stack. Raises UserError for options that contradict each other."""
    return Options(
        robot=arguments.robot,
        backend=arguments.backend,
        emulate=arguments.emulate,
        controller=arguments.controller,
        gait=arguments.gait,
        settings=apply_flags(
            read_all_settings(arguments), _backend(arguments), _flags(arguments), "--set ", arguments.set
        ),
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
        name = "--gui" if arguments.gui else "--headless"
        flags.append(BackendFlag(name, "gui", arguments.gui, about="PyBullet's window"))
    return flags


def _directory(arguments: argparse.Namespace) -> Path:
    if arguments.out:
        return check_new(Path(arguments.out))
    robot = arguments.robot or default_robot()
    if robot.endswith((".yaml", ".yml")):
        robot = Path(robot).resolve().parent.name
    return Path("runs") / f"{robot}-{_backend(arguments)}-{datetime.now():%Y%m%d-%H%M%S-%f}"[:-3]


def _report(stack: Stack, outcome: RunOutcome, directory: Path, quiet: bool, draws: bool) -> int:
    """Write the run's files, print the summary, return the exit code."""
    if outcome.input_error:
        print(f"crawler: {outcome.input_error}", file=sys.stderr)
        return EXIT_USAGE
    summary = summarise(stack, outcome, directory)
    problems = []  # sentences about files that could not be written
    if stack.options.record and outcome.log.states:
        summary["recording"], problem = check_recording(stack.options.record)
        problems.append(problem)
    if draws and len(outcome.log.joints) > 2:
        picture = directory / "run.png"
        problem = _write(picture, lambda: _draw(stack, outcome, picture, summary))
        summary["picture"] = None if problem else str(picture)
        problems.append(problem)
    file = directory / "summary.json"
    problems.append(_write(file, lambda: file.write_text(json.dumps(finite(summary), indent=2) + "\n")))
    if quiet:
        print_json(summary)
    else:
        print_summary(summary)
    invalid = summary["why_invalid"] if summary["step_length_m"] is not None else ""
    sentences = [sentence for sentence in (summary["fault"], invalid, *problems) if sentence]
    for sentence in sentences:
        print(f"crawler: {sentence}", file=sys.stderr)
    if outcome.interrupted in (signal.SIGTERM, signal.SIGHUP):
        return 128 + outcome.interrupted
    if sentences:
        return EXIT_NOT_DONE
    return EXIT_INTERRUPTED if outcome.interrupted and stack.duration else 0


def _draw(stack: Stack, outcome: RunOutcome, file: Path, summary: dict[str, Any]) -> None:
    from crawler_cli.plots.run_plot import draw

    title = f"{summary['robot']} on {summary['backend']}, gait {summary['gait']}"
    draw(outcome.log, title, summary["predicted_speed_m_s"], stack.marks, file)


def _write(file: Path, write: Callable[[], object]) -> str:
    """Write a file. Return a sentence if that fails: a full disk raises more than OSError in a picture library."""
    try:
        write()
    except Exception as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error).rstrip(".")
        return f"{file} cannot be written: {reason}."
    return ""

"""Start the ring: a backend, a gait node and a controller, as processes, and watch the robot crawl."""

from __future__ import annotations

import argparse
import json
import math
import signal
import sys
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from crawler_bringup.settings import merge
from crawler_bringup.stack import BACKENDS, Options, Stack, make_stack
from crawler_cli.commands.arguments import add_json, add_settings, settings_of, sugar
from crawler_cli.commands.model import finite
from crawler_cli.commands.status import StatusLine, summary_table
from crawler_cli.processes import Processes
from crawler_core.errors import UserError
from crawler_core.robot import robot_names
from crawler_models.prediction import has_equations, predict
from gait_generators.catalogue import GAITS
from hybrid_controller.laws.catalogue import LAWS, law_parameters

EPILOG = """examples:
  crawler run                                        the three-link robot in PyBullet
  crawler run --backend model --lockstep             the paper's equations, as fast as the machine allows
  crawler run --set gait.omega=8 --set robot.friction=0.398
  crawler run --backend hardware --emulate           real drivers on pretended motors; without --emulate, the robot
  crawler run --params my.yaml --duration 60 --record
  crawler run --robot snake --gait serpenoid_closed --set robot.links=10 --set gait.n=5
  crawler run --controller hybrid --set gait.omega=8   feedback on the contacts: docs/feedback.md

files: everything of a run goes to runs/<robot>-<backend>-<time>/: summary.json, run.png, logs/, recording/ (MCAP)

exit codes: 0 done, 1 a node failed or a fault stopped the robot, 2 bad input, 130 interrupted before the end

keys of --json: robot, backend, controller, gait, duration_s, real_time_factor, start_up_s, step_length_m, speed_m_s,
cycles_measured, steady, prediction (what the measured is compared with), predicted_step_length_m, predicted_speed_m_s,
difference_percent, distance_m, ticks, late_ticks, overruns, clamped, refused, contact_shares, branch_shares (of the
law's parts, once settled), fault, interrupted, directory, picture, recording
"""
SHORTEST = 20.0  # s, the default duration of a fast gait
PERIODS = 5  # and of a slow one
UNKNOWN_CYCLES = 2  # periods that a crawl without equations is given to settle
START_UP = 30.0  # s until the first state must have come
USAGE = 2  # exit code of a node that refuses its input, and then ours


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler run`."""
    parser.add_argument("--robot", default="three_link", help=f"one of {', '.join(robot_names())}, or a robot.yaml")
    parser.add_argument(
        "--backend", default="pybullet", help=f"what moves: one of {', '.join(BACKENDS)} (default: %(default)s)"
    )
    parser.add_argument(
        "--controller", default="", help=f"the control law: one of {', '.join(LAWS)} (default: the robot's)"
    )
    parser.add_argument("--gait", default="", help=f"one of {', '.join(GAITS)} (default: the robot's)")
    add_settings(parser)
    parser.add_argument(
        "--duration",
        type=float,
        metavar="SECONDS",
        help="of the run's own time; 0: until Ctrl-C (default: five periods of the gait, at least 20 s)",
    )
    parser.add_argument(
        "--lockstep", action="store_true", help="wait for every command: repeatable to the bit, and as fast as it goes"
    )
    parser.add_argument(
        "--real-time-factor",
        type=float,
        metavar="F",
        help="simulated seconds per second (default: 1; in lockstep 0, as fast as it goes)",
    )
    window = parser.add_mutually_exclusive_group()
    window.add_argument("--gui", action="store_true", help="show PyBullet's window")
    window.add_argument("--headless", action="store_true", help="no window (the default)")
    parser.add_argument("--emulate", action="store_true", help="with --backend hardware: on pretended motors and buses")
    parser.add_argument("--record", action="store_true", help="record every topic as MCAP, for Foxglove and rosbag2")
    parser.add_argument("--out", metavar="DIR", help="where the run's files go (default: runs/...); must not exist yet")
    parser.add_argument("--namespace", default="", help="for a second robot at the same time")
    parser.add_argument("--log-level", default="info", choices=["debug", "info", "warn", "error"], help="of the nodes")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check everything, start, watch, end, sum up."""
    directory = _directory(arguments)
    stack, prediction = prepare(arguments, directory)
    watch = _Watch(stack, prediction, directory, quiet=arguments.json)
    return watch.run(_duration(arguments, stack))


def prepare(arguments: argparse.Namespace, directory: Path) -> tuple[Stack, dict[str, Any] | None]:
    """The checked stack, and what the equations predict of it; None for a robot without equations. Raises UserError."""
    settings = settings_of(arguments)
    if arguments.lockstep:
        settings = sugar(settings, "backend", "lockstep", True, "--lockstep", arguments.set)
    factor = arguments.real_time_factor
    if factor is not None:
        settings = sugar(settings, "backend", "real_time_factor", factor, "--real-time-factor", arguments.set)
    elif settings.get("backend", {}).get("lockstep") is True:
        settings["backend"].setdefault("real_time_factor", 0.0)
    if arguments.gui or arguments.headless:
        if arguments.backend != "pybullet":
            raise UserError(
                f"--gui and --headless are about PyBullet's window; the backend {arguments.backend} has none."
            )
        flag = "--gui" if arguments.gui else "--headless"
        settings = sugar(settings, "backend", "gui", arguments.gui, flag, arguments.set)
    options = Options(
        robot=arguments.robot,
        backend=arguments.backend,
        emulate=arguments.emulate,
        controller=arguments.controller,
        gait=arguments.gait,
        settings=settings,
        namespace=arguments.namespace,
        record=str((directory / "recording").resolve()) if arguments.record else "",
        log_level=arguments.log_level,
        watchers=1,
    )
    stack = make_stack(options)
    duration = _duration(arguments, stack)
    if duration and stack.simulated:
        # time stands still at the end, so that a fast run does not run on
        options = replace(options, settings=merge(settings, {"backend": {"stop_at": duration}}))
        stack = make_stack(options)
    of_law = LAWS[stack.law].prediction
    if of_law is not None:
        parameters = law_parameters(stack.spec, stack.law, settings.get("controller", {}))
        return stack, of_law.of(stack.spec, stack.gait, parameters)
    if not has_equations(stack.spec.name):
        return stack, None
    efforts = [joint.effort for joint in stack.spec.actuated]
    prediction = predict(stack.spec.name, stack.spec.parameters, stack.gait, efforts)
    if not prediction["valid"]:
        raise UserError(
            f"the equations do not hold for this gait: {prediction['reason'].rstrip('.')}; "
            f"{stack.gait.remedies.ground}."
        )
    return stack, prediction


def _duration(arguments: argparse.Namespace, stack: Stack) -> float:
    asked = stack.options.settings.get("backend", {}).get("stop_at")
    if arguments.duration is None and asked:
        return float(asked)
    if arguments.duration is None:
        return max(SHORTEST, PERIODS * stack.gait.period)
    if arguments.duration < 0.0 or not math.isfinite(arguments.duration):
        raise UserError(f"--duration {arguments.duration:g} is not allowed: give seconds, or 0 for until Ctrl-C.")
    return arguments.duration


def _directory(arguments: argparse.Namespace) -> Path:
    if not arguments.out:
        return Path("runs") / f"{_label(arguments.robot)}-{arguments.backend}-{datetime.now():%Y%m%d-%H%M%S-%f}"[:-3]
    directory = Path(arguments.out)
    if directory.exists():
        raise UserError(f"{directory} exists already: give a new name with --out, nothing is overwritten.")
    return directory


def _label(robot: str) -> str:
    """A robot's name for a directory's: of a robot.yaml the directory that it is in."""
    return Path(robot).resolve().parent.name if robot.endswith((".yaml", ".yml")) else robot


class _Interrupt(Exception):
    """Ctrl-C or SIGTERM."""

    def __init__(self, number: int) -> None:
        self.number = number


class _Watch:
    """One run from start to summary."""

    def __init__(self, stack: Stack, prediction: dict[str, Any] | None, directory: Path, quiet: bool) -> None:
        self._stack = stack
        self._prediction = prediction
        self._directory = directory
        self._quiet = quiet
        self._failure = ""
        self._refusal = ""  # a node's sentence on what the user can put right
        self._interrupted = 0
        self._start_up = math.nan

    def run(self, duration: float) -> int:
        nodes = [node for node in self._stack.nodes if not node.installed_with_ros]
        processes = Processes(nodes, self._directory / "logs")
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _raise_interrupt)
        try:
            processes.start()
            self._watch(processes, duration)
        except _Interrupt as interrupt:
            self._interrupted = interrupt.number
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)  # the end is on its way; a second Ctrl-C must not leave orphans
            processes.stop()
        return self._finish(duration)

    def _watch(self, processes: Processes, duration: float) -> None:
        import rclpy
        from rclpy.signals import SignalHandlerOptions

        from crawler_cli.run_log import RunLog

        began = time.monotonic()
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        namespace = self._stack.options.namespace
        node = rclpy.create_node("watch", namespace=namespace)
        self._log = RunLog()
        tap = self._log.tap(node)
        status = StatusLine(self._stack, self._log, duration, quiet=self._quiet)
        try:
            with status:
                while True:
                    tap.drain()
                    elapsed = time.monotonic() - began
                    if self._log.states and math.isnan(self._start_up):
                        self._start_up = elapsed
                        self._first_state = time.monotonic()
                    self._check(processes, node, elapsed)
                    if self._failure or self._refusal or (duration and self._log.time >= duration - 1e-6):
                        break
                    status.update()
                    if elapsed > self._start_up + 2.0:
                        import crawler_cli.picture  # noqa: F401  loaded while there is time, so that the end is quick
                    time.sleep(0.04)
                self._wall = time.monotonic() - getattr(self, "_first_state", began)
                # the last diagnostics carry the counters
                end = time.monotonic() + 0.1
                while time.monotonic() < end:
                    tap.drain()
                    time.sleep(0.02)
        except _Interrupt:
            self._wall = time.monotonic() - getattr(self, "_first_state", began)
            tap.drain()
            raise
        finally:
            node.destroy_node()
            rclpy.try_shutdown()

    def _check(self, processes: Processes, node: Any, elapsed: float) -> None:
        for name, code in processes.ended().items():
            if code == USAGE and not self._log.states:
                self._refusal = processes.last_words(name, lines=1).partition(": ")[2]
                return
            self._failure = f"the node '{name}' ended with exit code {code}:\n{processes.last_words(name)}"
        if node.count_publishers("joint_states") > 1:
            self._failure = (
                "something else publishes joint_states here, perhaps another run: "
                "give this one --namespace NAME or another ROS_DOMAIN_ID."
            )
        if not self._log.states and elapsed > START_UP:
            self._failure = f"no joint state came within {START_UP:g} s:\n{processes.last_words('backend')}"
        if self._log.backend.get("motion") == "faulted":
            remedy = self._log.backend.get("remedy", "")
            fault = self._log.troubles.get("backend", "a fault stopped the robot")
            self._failure = f"{fault.rstrip('.')}; {remedy.rstrip('.')}."

    def _finish(self, duration: float) -> int:
        stopped_by_user = self._interrupted == signal.SIGINT and not duration
        if self._interrupted == signal.SIGTERM or not hasattr(self, "_log"):
            return 128 + signal.SIGTERM if self._interrupted == signal.SIGTERM else 130
        if self._refusal:
            print(f"crawler: {self._refusal}", file=sys.stderr)
            return USAGE
        summary = self._summary(duration)
        if len(self._log.joints) > 2:
            from crawler_cli.picture import draw

            title = f"{summary['robot']} on {summary['backend']}, gait {summary['gait']}"
            marks = LAWS[self._stack.law].marks
            draw(self._log, title, summary["predicted_speed_m_s"], marks, self._directory / "run.png")
            summary["picture"] = str(self._directory / "run.png")
        (self._directory / "summary.json").write_text(json.dumps(finite(summary), indent=2) + "\n")
        if self._quiet:
            print(json.dumps(finite(summary)))
        else:
            summary_table(summary)
        if self._failure:
            print(f"crawler: {self._failure}", file=sys.stderr)
            return 1
        return 130 if self._interrupted and not stopped_by_user else 0

    def _summary(self, duration: float) -> dict[str, Any]:
        from crawler_cli.run_log import branch_shares, measure, mode_shares

        log, prediction, options = self._log, self._prediction, self._stack.options
        period = self._stack.gait.period
        if prediction is not None and not prediction["valid"]:
            prediction = None
        cycles = prediction["cycles_to_steady"] if prediction else UNKNOWN_CYCLES
        settling = (1 + cycles) * period  # the gait fades in over its first period
        measured = measure(log, period, settling)
        expected = prediction["step_length_m"] if prediction else None
        counters = {
            key: int(log.backend.get(key, 0)) for key in ("ticks", "late_ticks", "overruns", "clamped", "refused")
        }
        return {
            "robot": self._stack.spec.name,
            "backend": options.backend,
            "controller": self._stack.law,
            "gait": self._stack.gait_name,
            "duration_s": log.time,
            "real_time_factor": log.time / self._wall if self._wall > 0 else math.nan,
            "start_up_s": self._start_up,
            "step_length_m": measured.step_length if measured else None,
            "speed_m_s": measured.speed if measured else None,
            "cycles_measured": measured.cycles if measured else 0,
            "steady": bool(measured and measured.steady),
            "prediction": self._kind_of_prediction(),
            "predicted_step_length_m": expected,
            "predicted_speed_m_s": prediction["speed_m_s"] if prediction else None,
            "difference_percent": 100.0 * (measured.step_length / expected - 1.0) if measured and expected else None,
            "distance_m": log.distance,
            **counters,
            "contact_shares": mode_shares(log),
            "branch_shares": branch_shares(log, settling),
            "fault": self._failure,
            "interrupted": bool(self._interrupted),
            "directory": str(self._directory),
            "picture": None,
            "recording": options.record or None,
        }

    def _kind_of_prediction(self) -> str:
        """What the measured numbers are compared with, or why with nothing."""
        if self._prediction is None:
            return "none: there are no equations for this robot"
        if not self._prediction["valid"]:
            return f"none: {self._prediction['reason']}"
        of_law = LAWS[self._stack.law].prediction
        return "equations" if of_law is None else of_law.title


def _raise_interrupt(number: int, _frame: object) -> None:
    raise _Interrupt(number)

"""Tuning with real processes: killed and resumed, on a running stack, as an action."""

import argparse
import contextlib
import json
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest
import rclpy
from ament_index_python.packages import get_package_prefix
from crawler_interfaces.action import Tune
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from stack_helpers import DEADLINE_S, LOW_RATE_HZ, PHYSICS, lockstep_settings, wait_for
from std_srvs.srv import SetBool, Trigger

from crawler_bringup.stack.options import Options
from crawler_cli.commands import tune
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_models.model_registry import predict
from crawler_studies.evaluators.live_link import LiveLink
from crawler_studies.tuning.plan import TuningRequest, make_plan
from crawler_studies.tuning.tuning_loop import open_tuning, read_tuning
from crawler_testing.fixtures.running_stack import RunningStack
from gait_generators.kinds.gait_registry import make_gait


def tune_process(crawler, *words, cwd):
    return subprocess.run([*crawler, "tune", *words], capture_output=True, text=True, timeout=280, cwd=cwd)


def rows(study):
    """Return the evaluations in a study file, after a repair if its process was killed while it wrote."""
    with closing(sqlite3.connect(study)) as connection:
        return connection.execute("SELECT * FROM evaluations ORDER BY number").fetchall()


# the command line

REFUSALS = [
    (["--over", "gait.pci"], ["gait.pci", "did you mean 'gait.psi'"]),
    (["--over", "gait.psi", "--maximise", "stap"], ["stap", "did you mean 'step'"]),
    (["--over", "gait.psi", "--budget", "0"], ["budget of 0"]),
    (["--over", "gait.psi=90:20"], ["empty"]),
    (["--over", "gait.alpha", "--gait", "harmonic"], ["time_scaled"]),
    (["--over", "gait.psi", "--set", "gait.psi=3"], ["gait.psi", "varied and set"]),
    (["--over", "gait.psi", "--backend", "pybulet"], ["did you mean 'pybullet'"]),
    (["--over", "gait.psi", "--spread", "0", "--maximise", "robust_step"], ["spread"]),
    (["--over", "gait.psi", "--namespace", "a"], ["running stack", "the backend live"]),
    (["--over", "gait.psi", "--backend", "ring"], ["'ring' has a new name", "live"]),
    (["--over", "gait.psi", "--out", "a.yaml"], ["gait.shape"]),
    (["--over", "robot.friction=0.1:0.2", "--backend", "live"], ["robot.friction", "running stack"]),
    (["--over", "gait.psi", "--maximise", "robust_step", "--backend", "live"], ["robust_step", "running stack"]),
    (["--over", "controller.k_v=5:20", "--backend", "live"], ["controller.k_v", "its gait alone"]),
    (["--over", "gait.psi", "--controller", "hybrid", "--backend", "live"], ["running stack", "the law"]),
    (["bolt", "--over", "gait.omega=-20:-15", "--minimise", "peak_power_W", "--backend", "live"], ["not measured"]),
    (["bolt", "--over", "controller.stiffness", "--minimise", "peak_powr_W"], ["did you mean 'peak_power_W'"]),
    (["--over", "gait.shape", "--minimise", "step"], ["--minimise", "gait.shape"]),
    (["--over", "gait.shape,gait.omega"], ["by itself"]),
    (
        ["snake", "--gait", "fourier", "--over", "gait.shape"],
        ["gait.shape cannot be varied: it is not a number", "snake has no search"],
    ),
    (["snake", "--over", "gait.alpha=20:40", "--maximise", "robust_step"], ["foot_", "cannot vary by itself"]),
    (["--over", "gait.shape", "--gait", "harmonic"], ["harmonic", "no shapes"]),
    (["tree_link", "--over", "gait.psi"], ["did you mean 'three_link'"]),
    ([], ["nothing to tune"]),
]


@pytest.mark.parametrize(("words", "expected"), REFUSALS, ids=[" ".join(words) for words, _ in REFUSALS])
def test_invalid_input_is_rejected_before_anything_is_written(tmp_path, monkeypatch, words, expected):
    monkeypatch.chdir(tmp_path)
    parser = argparse.ArgumentParser()
    tune.add_arguments(parser)
    with pytest.raises(UserError) as refusal:
        tune.run(parser.parse_args(words))
    for text in expected:
        assert text in str(refusal.value)
    assert not list(tmp_path.iterdir())


def test_bad_input_is_one_sentence_and_exit_code_2(crawler, tmp_path):
    result = tune_process(crawler, "--over", "gait.pci", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.strip().splitlines()) == 1
    assert "did you mean 'gait.psi'" in result.stderr


def test_a_killed_and_resumed_tuning_has_the_result_of_an_uninterrupted_one(crawler, call, tmp_path):
    words = ["--over", "gait.psi,gait.alpha", "--set", "gait.omega=8", "--json"]
    study = tmp_path / "parts.sqlite"
    endless = [*crawler, "tune", *words, "--budget", "500", "--out", study.name]
    process = subprocess.Popen(endless, cwd=tmp_path, stderr=subprocess.PIPE)
    written = set()

    def under_way():
        written.add(study.stat().st_mtime_ns if study.exists() else 0)
        return len(written) > 6  # what is seen of the evaluations, of which each is written at once

    wait_for(under_way)
    process.kill()
    process.communicate(timeout=DEADLINE_S)
    assert process.returncode == -signal.SIGKILL
    kept = rows(study)
    assert 0 < len(kept) < 500
    budget = len(kept) + 8
    code, out, err = call("tune", *words, "--budget", str(budget), "--out", study.name)
    assert code == 0, err
    output = json.loads(out)
    assert (output["finished_before"], output["evaluated"]) == (len(kept), 8)
    assert rows(study)[: len(kept)] == kept
    code, out, err = call("tune", *words, "--budget", str(budget), "--out", "whole.sqlite")
    assert code == 0, err
    whole = json.loads(out)
    assert rows(study) == rows(tmp_path / "whole.sqlite")
    assert output["best"] == whole["best"]
    (listed,) = re.findall(r"^keys of --json: (.*)", tune.HELP_TEXT, re.DOTALL | re.MULTILINE)
    assert set(output) == {item.split()[0] for item in re.sub(r"\([^)]*\)", "", listed).split(",")}
    assert output["command"] == whole["command"]
    assert (tmp_path / "parts.png").exists()


# a running stack

OMEGA_RAD_S = 8.0  # rad/s: ticks enough in a period, where numbers count
FAST_OMEGA = 16.0  # and where they do not


@pytest.fixture
def stack(request):
    """Start a stack: fast, but not so fast that other processes cannot start."""
    backend, factor, omega = getattr(request, "param", ("model", 10.0, OMEGA_RAD_S))
    settings = {"gait": {"omega": omega}, **lockstep_settings(factor, rate=LOW_RATE_HZ)}
    with RunningStack(Options(backend=backend, settings=settings), logged=False) as running:
        yield running


def the_gait(names=("psi", "omega")):
    link = LiveLink(load_robot("three_link"))
    found = {}

    def answers():
        with contextlib.suppress(TimeoutError):  # a busy machine lets a node wait long to be seen
            found.update(link.gait_parameters())
        return found

    try:
        wait_for(answers)
        return {name: found[name] for name in names}
    finally:
        link.close()


def test_a_running_stack_is_tuned_and_restored(long_timeouts, crawler, tmp_path, stack):
    before = the_gait()
    result = tune_process(crawler, "--over", "gait.psi", "--backend", "live", "--budget", "2", "--json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    output = json.loads(result.stdout)
    assert output["evaluations"] == 2
    assert the_gait() == before
    # the same gait by the equations: the stack's transients have faded, and the change was in force
    spec = load_robot("three_link")
    for row in rows(tmp_path / output["study"]):
        gait = make_gait(spec, "harmonic", {"omega": OMEGA_RAD_S, "psi": row[1]})
        expected = predict(spec, gait)["step_length_m"]
        assert row[2] == pytest.approx(expected, rel=0.01, abs=6e-5)


# in physics, because joints that stop at once let the feet of the equations leave the ground
@pytest.mark.exhaustive  # a stack is tuned and restored in every run
@pytest.mark.parametrize("stack", [(PHYSICS, 10.0, FAST_OMEGA)], indirect=True)
def test_tuning_waits_during_an_emergency_stop_and_ctrl_c_restores_the_stack(long_timeouts, crawler, tmp_path, stack):
    before = the_gait()
    settles = "gait.psi=70:110"  # deg, where physics measures every gait
    words = ["--over", settles, "--backend", "live", "--budget", "500", "--out", "a.sqlite"]
    stderr_file = tmp_path / "stderr.txt"
    with stderr_file.open("w") as stderr:
        process = subprocess.Popen([*crawler, "tune", *words], cwd=tmp_path, stderr=stderr)

    def has_printed(text):
        return text in stderr_file.read_text()

    def done():
        return int(re.findall(r"^(\d+) of 500", stderr_file.read_text(), re.MULTILINE)[-1])

    try:
        wait_for(lambda: has_printed(" of 500; "))
        stack.call(Trigger, "backend/estop", Trigger.Request())
        wait_for(lambda: has_printed("e-stopped"))
        stack.call(Trigger, "backend/reset", Trigger.Request())
        stack.call(SetBool, "backend/enable", SetBool.Request(data=True))
        wait_for(lambda: has_printed("repeated"))
        before_stop = done()
        wait_for(lambda: done() > before_stop + 1)
        process.send_signal(signal.SIGINT)
        process.wait(DEADLINE_S)
    finally:
        process.kill()
    assert process.returncode == 130
    assert has_printed("interrupted with")
    assert the_gait() == before
    values = [row[2] for row in rows(tmp_path / "a.sqlite")]
    assert len(values) >= 3
    assert None not in values  # the stop cost no evaluation


@pytest.mark.exhaustive  # sentences of other input are asked for in every run
@pytest.mark.parametrize("stack", [("model", 1.0, FAST_OMEGA)], indirect=True)
def test_what_a_stack_cannot_do_is_one_sentence(call, tmp_path, stack):
    code, _, err = call("tune", "--over", "gait.alpha", "--gait", "time_scaled", "--backend", "live")
    assert code == 2
    assert "start it with --gait time_scaled" in err
    code, _, err = call("tune", "--over", "gait.psi", "--backend", "live", "--namespace", "empty")
    assert code == 2
    assert "no running stack in the namespace empty" in err
    assert not list(tmp_path.iterdir())


# the action

ABORTED, CANCELED, SUCCEEDED = 6, 5, 4
GOAL = {"objective": "step", "variables": ["gait.psi"], "settings": "{gait: {omega: 8.0}}", "study": "a.sqlite"}
LEAST = {
    "objective": "step",
    "minimise": True,
    "controller": "hybrid",
    "variables": ["gait.psi"],
    "settings": "{gait: {omega: 8.0}, controller: {k_v: 5.0}}",
    "study": "b.sqlite",
}
RESTART_TIMEOUT_S = 2.0  # s without an answer


class Client:
    """A client of the tuner node, which runs as a process."""

    def __init__(self, cwd):
        executable = Path(get_package_prefix("crawler_studies")) / "lib/crawler_studies/tuner_node"
        self.process = subprocess.Popen([executable], cwd=cwd, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node("asker", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.client = ActionClient(self.node, Tune, "tune")
        self.feedback = []
        self.until(self.client.server_is_ready)
        nothing = Tune.Goal(**{**GOAL, "objective": "stap"})
        self.asked(lambda: self.client.send_goal_async(nothing))  # harmless, until answers find their way

    def until(self, condition):
        end = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < end, "it did not come in time"
            self.executor.spin_once(timeout_sec=0.05)

    def asked(self, ask):
        """Return the response to a request that may be repeated: the middleware drops it for an undiscovered client."""
        asked = []

        def answered():
            if not asked or time.monotonic() > asked[-1][0] + RESTART_TIMEOUT_S:
                asked.append((time.monotonic(), ask()))
            return any(future.done() for _, future in asked)

        self.until(answered)
        return next(future.result() for _, future in asked if future.done())

    def send(self, **goal):
        sent = self.client.send_goal_async(Tune.Goal(**goal), lambda message: self.feedback.append(message.feedback))
        self.until(sent.done)
        handle = sent.result()
        assert handle.accepted
        return handle

    def result(self, handle):
        return self.asked(handle.get_result_async)

    def close(self):
        self.process.terminate()
        try:
            return self.process.wait(DEADLINE_S)
        finally:
            self.process.kill()
            self.client.destroy()
            self.executor.shutdown()
            self.node.destroy_node()
            self.context.try_shutdown()


def test_the_action_gives_feedback_can_be_cancelled_and_goes_on(tmp_path):
    client = Client(tmp_path)
    try:
        handle = client.send(**GOAL, budget=500)
        client.until(lambda: client.feedback and client.feedback[-1].evaluations >= 4)
        output = client.feedback[-1]
        assert output.budget == 500
        assert len(output.point) == len(output.best_point) == 1
        assert output.best_value >= output.value
        second = client.result(client.send(**GOAL, budget=5))
        assert second.status == ABORTED
        assert "another tuning" in second.result.message
        client.asked(handle.cancel_goal_async)
        ended = client.result(handle)
        assert ended.status == CANCELED
        assert 4 <= ended.result.evaluations < 500
        kept = rows(tmp_path / "a.sqlite")
        assert len(kept) == ended.result.evaluations
        whole = client.result(client.send(**GOAL, budget=len(kept) + 2))
        assert whole.status == SUCCEEDED
        assert whole.result.evaluations == len(kept) + 2
        assert rows(tmp_path / "a.sqlite")[: len(kept)] == kept
        assert whole.result.best_value == max(row[2] for row in rows(tmp_path / "a.sqlite"))
        refused = (
            ({"objective": "stap"}, "did you mean 'step'"),
            ({"low": [0.0]}, "as many of each"),
            ({"objective": "worst_step", "minimise": True}, "Maximise it"),
            ({"controller": "hybird"}, "did you mean 'hybrid'"),
            ({"settings": "{gait: 8.0}"}, "must hold 'name: value' pairs"),
            ({"settings": "{backend: {step: 0.001}}"}, "a tuning on model has no use for 'backend' settings"),
            ({"keep_best": True}, "the backend live"),
            ({"backend": "live", "stack_namespace": "a b"}, "the namespace 'a b' is not allowed"),
            ({"variables": ["gait.shape"]}, "crawler tune --over gait.shape"),
        )
        for change, stderr_file in refused:
            bad = client.result(client.send(**{**GOAL, **change}, budget=5))
            assert bad.status == ABORTED
            assert stderr_file in bad.result.message
        # the least under another law, with a setting of it; the command's request goes on in the same study
        least = client.result(client.send(**LEAST, budget=4))
        assert least.status == SUCCEEDED
        assert least.result.best_value == min(row[2] for row in rows(tmp_path / "b.sqlite") if row[2] is not None)
        settings = {"gait": {"omega": 8.0}, "controller": {"k_v": 5.0}}
        asked = TuningRequest(minimise="step", law="hybrid", over=("gait.psi",), settings=settings, budget=4)
        with open_tuning(plan := make_plan(asked), tmp_path / "b.sqlite") as study:
            assert read_tuning(plan, study).best.value == least.result.best_value
        client.send(**GOAL, budget=500)
    finally:
        code = client.close()  # in the middle of a tuning
    assert code == 0

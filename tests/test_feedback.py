"""The stack with the hybrid law against (19) in continuous time, which makes 44.0 mm a cycle at 8 rad/s."""

import argparse
import math

import pytest
from crawler_interfaces.msg import ControllerState
from rclpy.serialization import deserialize_message
from stack_helpers import lockstep_settings

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from crawler_cli.commands import run
from crawler_cli.run.run_watch import RunOutcome
from crawler_cli.run.summary import summarise
from crawler_core.errors import UserError
from crawler_nodes.run_log.log import RunLog
from crawler_nodes.run_log.stride_metrics import branch_shares, measure
from crawler_nodes.topics import Topic
from crawler_testing.fixtures.running_stack import RunningStack
from sim_bridge.physics.engines import installed_engines

OMEGA, LITERAL = 8.0, 44.0  # rad/s, mm
WITHOUT = 2.8304  # mm, without feedback
PERIOD = 2.0 * math.pi / OMEGA
SETTLING = 2.1 + 3 * PERIOD  # the gait fades in; then joint errors decay by exp(-0.8 t)
END = SETTLING + 3.1 * PERIOD


def settled_time(log):
    """Seconds of steady crawling of which the law's branches are known."""
    return log.branches[-1][0] - max(SETTLING, log.branches[0][0])


@pytest.mark.parametrize(
    ("backend", "controller", "tolerance"),
    [
        pytest.param("model", {}, 0.05, marks=pytest.mark.exhaustive),  # the others are both halves of it
        ("model", {"contacts": "estimated"}, 0.05),
        *(
            (engine, {}, 0.05) for engine in installed_engines()[:1]
        ),  # of which 1 % are the physics' own: steps, and a stick that is a slow slip
    ],
)
def test_the_stack_crawls_as_far_as_the_law_in_continuous_time(backend, controller, tolerance):
    states = []

    def note(data, _info):
        states.append(deserialize_message(data, ControllerState))

    settings = {"gait": {"omega": OMEGA}, **lockstep_settings(law=controller, rate=250.0)}
    options = Options(backend=backend, controller="hybrid", settings=settings)
    with RunningStack(options, [(Topic("controller_state", ControllerState), note)]) as stack:
        # no node waits for subscribers of controller_state: the first messages may be missed
        stack.wait_until(
            lambda: stack.log.time >= END and stack.log.branches and settled_time(stack.log) >= 3.0 * PERIOD, 200.0
        )
    measured = measure(stack.log, PERIOD, SETTLING)
    assert measured is not None
    print(f"{backend} {controller}: {measured.step_length * 1e3:.2f} mm, {LITERAL} in continuous time")
    assert measured.step_length * 1e3 == pytest.approx(LITERAL, rel=tolerance)
    assert measured.step_length * 1e3 > 10.0 * WITHOUT

    shares = branch_shares(stack.log, SETTLING)
    assert shares["contact_tracking"] == pytest.approx(0.139, abs=0.03)  # 50 samples a second of short bursts
    tracking = [state for state in states if state.branch == "contact_tracking"]
    assert tracking
    assert all(len(state.slip_reference) == len(state.slip_velocity) == 2 for state in tracking)
    assert not any(state.note for state in states[10:])
    assert not any(any(state.saturated) for state in states)


def test_a_robot_that_is_no_three_link_crawler_is_refused_before_anything_starts(tmp_path):
    from crawler_core.robot.robot_file import load_robot

    text = (load_robot("three_link").directory / "robot.yaml").read_text().replace("central_inertia", "girth")
    (tmp_path / "robot.yaml").write_text(text)
    with pytest.raises(UserError, match="the law 'hybrid' is for three-link crawlers, and three_link is none"):
        make_stack(Options(robot=str(tmp_path / "robot.yaml"), backend="mock", controller="hybrid"))


@pytest.mark.parametrize(
    ("omega", "step_mm", "words"),
    [
        (8.0, LITERAL, "equations with the feedback in continuous time"),
        (0.5, None, "none: With a period above 7 s"),
        (25.0, None, "none: Foot "),
    ],
)
def test_a_run_is_compared_with_the_law_in_continuous_time_or_says_why_not(tmp_path, omega, step_mm, words):
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    arguments = parser.parse_args(["--controller", "hybrid", "--backend", "model", "--set", f"gait.omega={omega}"])
    stack = make_stack(run.options(arguments, tmp_path))
    summary = summarise(stack, RunOutcome(RunLog.of(stack.spec)), tmp_path)  # as after a run in which nothing came
    assert summary["prediction"].startswith(words)
    expected = summary["predicted_step_length_m"]
    assert expected is None if step_mm is None else expected * 1e3 == pytest.approx(step_mm, abs=0.3)  # the hysteresis

"""What a run comes to, from a log that nobody had to run for."""

from dataclasses import replace
from pathlib import Path

import pytest

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from crawler_cli.run.difference import explain_difference
from crawler_cli.run.run_watch import RunOutcome
from crawler_cli.run.summary import summarise
from crawler_cli.run.verdict import why_invalid
from crawler_nodes.run_log.base_track import BasePose
from crawler_nodes.run_log.log import RunLog


@pytest.mark.parametrize(("changed", "step"), [(0.0, 0.1), (12.0, 0.02)])
def test_after_a_change_of_the_gait_its_own_steps_are_measured_and_compared_with_nothing(
    tmp_path: Path, changed: float, step: float
) -> None:
    """0.1 m in each period of 4.8 s; after the change 0.02 m in 2 s."""
    stack = make_stack(Options(backend="mock"))
    first = stack.gait.period
    log = RunLog()
    log.start = 50.0
    for k in range(4000):
        t = 0.01 * k
        before, after = min(t, changed or t), max(0.0, t - (changed or t))
        log.base.poses.append(BasePose(t, 0.1 * before / first + 0.02 * after / 2.0, 0.0, 0.0, 0.0))
    log.time, log.status.period = t, 2.0 if changed else first
    log.status.changed_ns = round((50.0 + changed) * 1e9) if changed else 0
    summary = summarise(stack, RunOutcome(log), tmp_path)
    assert summary["step_length_m"] == pytest.approx(step, rel=1e-3)
    if changed:
        assert summary["prediction"].startswith("none: the gait was changed on the way, at 12.0 s")
        assert summary["difference_percent"] is None
        assert summary["why_different"] == ""
    else:
        assert summary["prediction"] == stack.prediction.source
        assert summary["difference_percent"] is not None


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (Options(backend="model"), ""),
        (Options(backend="mock", settings={"backend": {"reality": "typical"}}), "motors lag"),
        (Options(backend="hardware", emulate=True), "motors lag"),
        (Options(backend="mujoco"), "goes in steps"),
    ],
)
def test_a_difference_of_a_percent_or_more_is_explained(options: Options, word: str) -> None:
    pytest.importorskip("mujoco")
    stack = make_stack(options)
    reason = explain_difference(stack, -1.5)
    assert word in reason
    assert bool(word) == bool(reason)
    assert explain_difference(stack, 0.9) == explain_difference(stack, None) == ""


def test_a_law_that_drives_joints_by_effort_explains_a_difference_from_the_bare_equations() -> None:
    stack = make_stack(Options(backend="model"))
    joints = tuple(replace(joint, command_interface="effort") for joint in stack.spec.joints)
    driven = replace(stack, spec=replace(stack.spec, joints=joints), law="effort_tracking")
    assert explain_difference(driven, 3.45).endswith("the law effort_tracking drives them by effort")


@pytest.mark.parametrize("can_lockstep", [True, False])
def test_lockstep_is_a_remedy_for_simulations_only(can_lockstep: bool) -> None:
    log = RunLog()
    log.status.backend.update({"ticks": "1000", "late_ticks": "50"})
    reason = why_invalid(log, can_lockstep=can_lockstep)
    assert reason.startswith("5.0 % of the ticks had no command in time")
    assert ("--lockstep" in reason) == can_lockstep

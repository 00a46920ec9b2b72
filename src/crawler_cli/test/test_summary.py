"""What a run comes to, from a log that nobody had to run for."""

from pathlib import Path

import pytest

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from crawler_cli.run.run_watch import RunOutcome
from crawler_cli.run.summary import summarise
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
    else:
        assert summary["prediction"] == stack.prediction.source
        assert summary["difference_percent"] is not None

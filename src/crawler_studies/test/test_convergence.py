"""When a crawl is steady: step lengths from its log, steady or not, with a foot in the air."""

import math

import numpy as np
import pytest

from crawler_core.robot.robot_spec import StrideSpec
from crawler_core.types import ContactMode
from crawler_nodes.run_log.base_track import BasePose
from crawler_nodes.run_log.log import FeetSample, RunLog
from crawler_studies.evaluators.convergence import MAX_BLOCKS, StrideConvergence, find_lifted_foot

PERIOD = 0.7853  # s, no multiple of the time between messages


def crawl(seconds, drift=lambda t: 0.02 * t, rate=100.0):
    """Odometry of a base that swings by 10 mm and drifts."""
    log = RunLog()
    for t in np.arange(0.0, seconds, 1.0 / rate).tolist():
        h = 1e-6
        speed = (drift(t + h) - drift(t - h)) / (2.0 * h)
        swing = 2.0 * math.pi / PERIOD
        forward, speed = drift(t) + 0.01 * math.sin(swing * t), speed + 0.01 * swing * math.cos(swing * t)
        log.base.poses.append(BasePose(t, forward, speed, 0.0, 0.0))
    return log


def test_a_steady_crawl_gives_its_step_length():
    step = StrideConvergence(0.5, PERIOD).result(crawl(8.0))
    assert step.length == pytest.approx(0.02 * PERIOD, rel=1e-5)
    assert step.period == pytest.approx(PERIOD, rel=1e-12)


def test_strides_that_end_with_an_event_have_the_period_that_is_measured():
    log = crawl(12.0)
    log.strides.spec = StrideSpec("touch_down", "foot")
    log.strides.events.extend(np.arange(0.1, 12.0, PERIOD).tolist())
    step = StrideConvergence(0.5, 0.7).result(log)  # the gait's period is another
    assert step.period == pytest.approx(PERIOD, rel=1e-9)
    assert step.length == pytest.approx(0.02 * PERIOD, rel=1e-5)


def test_transients_are_waited_for():
    def drift(t):
        return 0.02 * t + 0.03 * math.exp(-t / 2.0)

    short = StrideConvergence(0.0, PERIOD).result(crawl(4.0, drift))
    assert short is None
    assert StrideConvergence(0.0, PERIOD).result(crawl(20.0, drift)).length == pytest.approx(0.02 * PERIOD, rel=0.01)


def test_a_crawl_that_never_settles_is_nan():
    measurement = StrideConvergence(0.0, PERIOD)
    seconds = (MAX_BLOCKS + 1) * measurement.block_periods * PERIOD
    step = measurement.result(crawl(seconds, lambda t: 0.005 * t * t))
    assert step is not None
    assert math.isnan(step.length)


def test_a_fast_gait_is_averaged_over_several_periods():
    assert StrideConvergence(0.0, 0.3).block_periods == 5
    assert StrideConvergence(0.0, 20.0).block_periods == 1


def test_a_foot_that_flickers_is_on_the_ground_and_one_that_lifts_is_not():
    log = RunLog()
    log.feet = ["foot_1", "foot_2"]
    for k in range(1000):
        flicker = ContactMode.OPEN if k % 100 == 0 else ContactMode.STICK
        lifted = ContactMode.OPEN if k % 20 == 0 else ContactMode.SLIP_POS
        log.contacts.append(FeetSample(0.01 * k, [flicker, lifted], [0.0, 0.0]))
    assert find_lifted_foot(log) == "foot_2"
    assert find_lifted_foot(log, {"foot_2"}) == ""
    log.clear()
    assert find_lifted_foot(log) == ""

"""Step lengths from odometry: between messages, steady or not, with a foot in the air."""

import math

import numpy as np
import pytest

from crawler_core.types import ContactMode
from crawler_studies.ring_log import MOST_BLOCKS, Measurement, RingLog

PERIOD = 0.7853  # s, no multiple of the time between messages


def crawl(seconds, drift=lambda t: 0.02 * t, rate=100.0):
    """Odometry of a base that swings by 10 mm and drifts."""
    log = RingLog()
    for t in np.arange(0.0, seconds, 1.0 / rate).tolist():
        h = 1e-6
        speed = (drift(t + h) - drift(t - h)) / (2.0 * h)
        swing = 2.0 * math.pi / PERIOD
        log.on_odometry(t, drift(t) + 0.01 * math.sin(swing * t), speed + 0.01 * swing * math.cos(swing * t))
    return log


def test_a_steady_crawl_gives_its_step_length():
    step = Measurement(0.5, PERIOD).result(crawl(8.0))
    assert step == pytest.approx(0.02 * PERIOD, rel=1e-5)


def test_the_position_between_two_messages_is_that_of_the_motion():
    log = crawl(3.0)
    assert log.x_at(1.2345) == pytest.approx(0.02 * 1.2345 + 0.01 * math.sin(2.0 * math.pi / PERIOD * 1.2345), abs=1e-8)
    assert math.isnan(log.x_at(3.5))


def test_transients_are_waited_for():
    def drift(t):
        return 0.02 * t + 0.03 * math.exp(-t / 2.0)

    short = Measurement(0.0, PERIOD).result(crawl(4.0, drift))
    assert short is None
    assert Measurement(0.0, PERIOD).result(crawl(20.0, drift)) == pytest.approx(0.02 * PERIOD, rel=0.01)


def test_a_crawl_that_never_settles_is_nan():
    measurement = Measurement(0.0, PERIOD)
    seconds = (MOST_BLOCKS + 1) * measurement.periods * PERIOD
    step = measurement.result(crawl(seconds, lambda t: 0.005 * t * t))
    assert step is not None
    assert math.isnan(step)


def test_a_fast_gait_is_averaged_over_several_periods():
    assert Measurement(0.0, 0.3).periods == 5
    assert Measurement(0.0, 20.0).periods == 1


def test_a_foot_that_flickers_is_on_the_ground_and_one_that_lifts_is_not():
    log = RingLog()
    for k in range(1000):
        flicker = ContactMode.OPEN if k % 100 == 0 else ContactMode.STICK
        lifted = ContactMode.OPEN if k % 20 == 0 else ContactMode.SLIP_POS
        log.on_contacts({"foot_1": flicker, "foot_2": lifted})
    assert log.foot_in_the_air() == "foot_2"
    log.clear()
    assert log.foot_in_the_air() == ""


def test_time_that_goes_back_is_noticed():
    log = crawl(2.0)
    log.on_odometry(0.1, 0.0, 0.0)
    assert log.went_back
    assert log.now == 0.1

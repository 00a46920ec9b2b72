"""Predictions as plain numbers."""

import json
import math

import pytest
from three_link_cases import SOFT, TABLE_I, Harmonic

from crawler_models.three_link.prediction import predict


def test_prediction_carries_the_steady_gait_in_si_units_and_ros_axes():
    prediction = predict(TABLE_I, Harmonic(16.0))
    assert prediction["step_length_m"] == pytest.approx(7.3171e-3, abs=1e-6)
    assert prediction["speed_m_s"] == pytest.approx(7.3171e-3 * 16 / (2 * math.pi), abs=1e-6)
    assert [switch["modes"] for switch in prediction["mode_switches"]] == [
        ["slip_neg", "slip_neg"],
        ["slip_neg", "slip_pos"],
        ["slip_pos", "slip_pos"],
        ["slip_pos", "slip_neg"],
    ]
    assert prediction["valid"]
    assert prediction["unique"]
    assert prediction["reason"] == ""
    assert 0.0 < prediction["min_normal_force_N"] < 0.236 * 9.81 / 2
    assert 0.0 < prediction["painleve_margin"] < 1.0
    assert json.loads(json.dumps(prediction)) == prediction


def test_prediction_says_why_there_is_none():
    prediction = predict({**TABLE_I, "friction": SOFT}, Harmonic(19.0, phi0=145.0))
    assert not prediction["valid"]
    assert prediction["reason"].startswith("Foot 1 leaves the ground")


def test_parameters_of_another_robot_are_refused_with_what_they_lack():
    with pytest.raises(ValueError, match=r"lack .*friction_scale_1"):
        predict({"gravity": 9.81, "friction": 0.2}, Harmonic(1.0))

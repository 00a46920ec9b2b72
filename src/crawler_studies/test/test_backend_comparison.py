"""Runs side by side: what counts as agreement, and when they part."""

import numpy as np
import pytest

from crawler_core.types import ContactMode
from crawler_studies.simulation.backend_comparison import BackendTrace, compare_traces

STICK, POS, OPEN = ContactMode.STICK, ContactMode.SLIP_POS, ContactMode.OPEN
PERIOD, STRIDE = 0.5, 0.020  # s, m
FEET = ("front", "rear")


def run(*, scale=1.0, late=0.0, bend=0.0, ended="", until=4.0, odd=None):
    """Strides of 20 mm times `scale`, on a wave; from 2 s on each is `bend` longer; foot front differs in `odd`."""
    times = np.arange(0.0, until + 1e-9, 0.005)
    forward = scale * STRIDE * (times / PERIOD + 0.3 * np.sin(2.0 * np.pi * (times - late) / PERIOD))
    forward += bend * STRIDE * np.clip(times - 2.0, 0.0, None) / PERIOD
    modes = np.tile([int(STICK), int(POS)], (len(times), 1))
    if odd:
        modes[(times >= odd[0]) & (times < odd[1]), 0] = int(OPEN)
    return BackendTrace("any", times, forward, modes, np.arange(0.0, until + 1e-9, PERIOD), ended)


def test_equal_runs_agree_and_never_part():
    verdict = compare_traces(run(), run(), FEET, within=0.03)
    assert (verdict.agrees, verdict.parted, verdict.contact) == (True, None, "")
    assert verdict.off == pytest.approx(0.0, abs=1e-12)


def test_strides_are_measured_in_the_later_half_of_the_run():
    stride, speed = run(bend=0.1).settled
    assert stride == pytest.approx(1.1 * STRIDE)
    assert speed == pytest.approx(1.1 * STRIDE / PERIOD)


def test_a_longer_stride_is_said_in_percent():
    verdict = compare_traces(run(), run(scale=1.05), FEET, within=0.03)
    assert not verdict.agrees
    assert verdict.off == pytest.approx(0.05)


def test_runs_part_when_a_stride_goes_another_way_and_not_before():
    verdict = compare_traces(run(), run(bend=0.10), FEET, within=0.03)
    # the wave goes 0.6 and more of a stride to and fro, so 3 % of the way in a stride are some 30 % of the bend
    assert verdict.parted is not None
    assert 2.0 < verdict.parted < 2.0 + PERIOD
    assert not verdict.agrees


def test_what_was_lost_in_earlier_strides_does_not_count_again():
    """A drift of 1 % a stride adds up to more than 3 % of one in a few, and is still an agreement."""
    verdict = compare_traces(run(), run(scale=1.01), FEET, within=0.03)
    assert (verdict.agrees, verdict.parted) == (True, None)


def test_strides_that_differ_by_less_than_can_be_told_agree_however_short():
    short, other = run(scale=1e-3), run(scale=2e-3)  # 0.02 and 0.04 mm
    assert compare_traces(short, other, FEET, within=0.03).agrees


def test_the_first_contact_that_differs_for_long_is_named():
    assert compare_traces(run(), run(odd=(1.0, 1.1)), FEET, within=0.03).contact == "front at 1.000 s: stick, here open"


def test_a_contact_that_differs_for_a_tick_is_no_difference():
    assert compare_traces(run(), run(odd=(1.0, 1.004)), FEET, within=0.03).contact == ""


def test_a_run_that_ends_early_never_agrees():
    verdict = compare_traces(run(), run(until=3.0, ended="it fell"), FEET, within=0.03)
    assert not verdict.agrees
    assert verdict.parted == pytest.approx(3.0)


def test_a_run_without_two_strides_has_no_settled_one():
    assert np.isnan(run(until=0.4).settled).all()

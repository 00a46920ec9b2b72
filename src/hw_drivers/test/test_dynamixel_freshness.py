"""Telling old answers by the servo's own clock."""

from hypothesis import given
from hypothesis import strategies as st

from hw_drivers.dynamixel.freshness import MAX_LAG_S, Freshness
from hw_drivers.dynamixel.tables import REALTIME_WRAP_TICKS


def verdicts(answers, offset=12345.6, rate=1.0):
    """What is said of answers that were made and came at these times, by a servo whose clock runs at `rate`."""
    fresh = Freshness()
    return [fresh.is_fresh(int(1e3 * (offset + rate * made)) % REALTIME_WRAP_TICKS, came) for made, came in answers]


@given(st.floats(0.0, 100.0), st.floats(0.985, 1.015))
def test_prompt_answers_are_fresh_whatever_the_clocks_offset_and_drift(offset, rate):
    # two minutes, longer than the servo's clock takes to start again
    assert all(verdicts([(0.05 * k, 0.05 * k + 0.001) for k in range(2400)], offset, rate))


def test_answers_that_lag_are_stale_from_the_first_on_and_fresh_again_when_they_catch_up():
    prompt = [(0.005 * k, 0.005 * k) for k in range(100)]
    late = [(0.5 + 0.005 * k, 0.65 + 0.005 * k) for k in range(100)]
    prompt_again = [(1.2 + 0.005 * k, 1.2 + 0.005 * k) for k in range(10)]
    said = verdicts([*prompt, *late, *prompt_again])
    assert said == [True] * 100 + [False] * 100 + [True] * 10


def test_a_computer_that_was_slow_once_is_forgiven_with_the_next_answer():
    assert verdicts([(0.0, 0.0), (0.01, 0.01), (0.02, 0.02 + 2 * MAX_LAG_S), (0.13, 0.13)]) == [True, True, False, True]


def test_a_long_silence_starts_anew():
    assert verdicts([(0.0, 0.0), (100.0, 100.0)]) == [True, True]

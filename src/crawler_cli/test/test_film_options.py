"""Which film is made where not everything is said, and which cannot be."""

import pytest

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from crawler_cli.recordings.film_options import FilmOptions
from crawler_core.errors import UserError


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"begin": -1.0}, "give 0 <= from < to"),
        ({"begin": 3.0, "end": 3.0}, "--from 3 --to 3 is not allowed"),
        ({"speed": 0.0}, "give more than 0"),
        ({"fps": 0.5}, "give 1 to 50"),
        ({"fps": 60.0}, "give 1 to 50"),
        ({"width": 100}, "give 200 to 3840 pixels"),
    ],
)
def test_numbers_that_no_film_has_are_refused(given, sentence):
    with pytest.raises(UserError, match=sentence):
        FilmOptions(**given)


def test_a_film_that_is_too_large_is_refused():
    with pytest.raises(UserError, match=r"25000 frames .* is too large"):
        FilmOptions(end=1000.0).sample_times(None)


@pytest.mark.parametrize(("omega", "speed"), [(1.0, 1.0), (16.0, 0.25)])
def test_a_fast_gait_is_shown_slowly_enough_for_a_period_to_last_a_second(omega, speed):
    stack = make_stack(Options(robot="three_link", backend="model", settings={"gait": {"omega": omega}}))
    begin, end, step = FilmOptions(begin=2.0).sample_times(stack)
    assert FilmOptions().playback_speed(stack) == speed
    assert (begin, end, step) == pytest.approx((2.0, 2.0 + 5.0 * speed, 0.04 * speed))


def test_pictures_last_whole_hundredths_of_a_second_and_the_speed_stays_true():
    options = FilmOptions(fps=30.0, speed=0.5)
    assert options.frame_time_ms == 30  # ms, 33.3 frames a second
    assert options.sample_times(None)[2] == pytest.approx(0.015)

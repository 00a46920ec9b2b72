"""The firmware on a damaged line, under a mad host and mad sensors, with sanitizers of addresses and behaviour."""

import subprocess

import pytest

from crawler_core.errors import UserError
from hw_drivers.board.firmware import compiled, core, sources

SANITIZED = (
    "-std=c++17",
    "-O1",
    "-g",
    "-fno-exceptions",
    "-fno-rtti",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
)


COUNTS = [5_000, pytest.param(1_000_000, marks=pytest.mark.exhaustive)]


def run(what, frames):
    host = sources() / "host"
    units = [*core(), host / "library.cpp", *sorted(host.glob("fuzz*.cpp"))]
    try:
        program = compiled("fuzz", units, SANITIZED)
    except UserError as error:
        if "san" not in str(error):
            raise
        pytest.skip(f"this compiler has no sanitizers: {error}")
    done = subprocess.run([program, what, str(frames), "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [int(word) for word in done.stdout.replace(",", "").split() if word.isdigit()]


@pytest.mark.parametrize("frames", COUNTS)
def test_flipped_cut_glued_played_back_and_reordered_frames_move_nothing_and_those_that_are_right_all_do(frames):
    _, taken, damaged, ticks, with_torque = run("line", frames)
    assert min(taken, damaged) > 0.3 * frames
    assert with_torque > 0.5 * ticks


@pytest.mark.parametrize("frames", COUNTS)
def test_no_number_that_a_host_or_a_sensor_can_say_makes_it_crash_or_give_what_the_supply_does_not_have(frames):
    _, answers, driven = run("fields", frames)
    assert answers == frames
    assert driven > 0.01 * frames

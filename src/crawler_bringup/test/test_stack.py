"""What the stack decides for both front doors: pace, end, contradictions, and the gaits that cannot be."""

import pytest

from crawler_bringup.flags import Flag, with_flags
from crawler_bringup.settings import merge, parse_assignments
from crawler_bringup.stack import BACKENDS, Options, make_stack
from crawler_core.errors import UserError


def backend(options):
    """The parameters of the backend's node."""
    return next(node for node in make_stack(options).nodes if node.name == "backend").parameters


def settings(**values):
    return {"backend": values}


def test_lockstep_goes_as_fast_as_it_can_unless_a_pace_is_given():
    unpaced = Options(backend="model", settings=settings(lockstep=True))
    paced = Options(backend="model", settings=settings(lockstep=True, real_time_factor=2.0))
    assert backend(unpaced)["real_time_factor"] == 0.0
    assert backend(paced)["real_time_factor"] == 2.0
    assert "real_time_factor" not in backend(Options(backend="model"))


@pytest.mark.parametrize("name", ["mock", "hardware", "emulated"])
def test_lockstep_is_for_simulations(name):
    with pytest.raises(UserError, match="time passes by itself"):
        make_stack(Options(backend=name, settings=settings(lockstep=True)))


def test_the_time_of_a_simulation_stands_still_at_the_end_and_that_of_motors_cannot():
    assert backend(Options(backend="model", duration=7.0))["stop_at"] == 7.0
    assert "stop_at" not in backend(Options(backend="mock", duration=7.0))
    assert "stop_at" not in backend(Options(backend="model"))


def test_a_run_without_a_duration_lasts_five_periods_or_twenty_seconds():
    fast = make_stack(Options(duration=None, settings={"gait": {"omega": 8.0}}))
    slow = make_stack(Options(duration=None, settings={"gait": {"omega": 0.5}}))
    assert fast.duration == 20.0
    assert slow.duration == pytest.approx(5.0 * slow.gait.period)
    assert make_stack(Options(duration=None, settings=settings(stop_at=3.0))).duration == 3.0


def test_two_ends_of_a_run_contradict_each_other():
    with pytest.raises(UserError, match=r"--duration 5 contradicts backend\.stop_at = 3"):
        make_stack(Options(duration=5.0, settings=settings(stop_at=3.0)))


@pytest.mark.parametrize("name", list(BACKENDS))
def test_a_gait_that_the_equations_rule_out_is_refused_whatever_moves(name):
    with pytest.raises(UserError, match="the equations do not hold for this gait: Foot"):
        make_stack(Options(backend=name, settings={"gait": {"omega": 40.0, "amplitude": 10.0}}))


def test_pretended_motors_are_for_backends_that_have_motors():
    stack = make_stack(Options(backend="hardware", emulate=True))
    assert stack.nodes[0].executable == "emulated_backend"
    with pytest.raises(UserError, match="the backend model has none"):
        make_stack(Options(backend="model", emulate=True))


LOCKSTEP = Flag("lockstep:=true", "lockstep", True)


def test_a_flag_stands_over_a_file_and_contradicts_what_was_assigned():
    file = {"backend": {"lockstep": False}}
    assert with_flags(file, "model", [LOCKSTEP], "set:=", [])["backend"] == {"lockstep": True}
    words = ["backend.lockstep=false"]
    said = merge(file, parse_assignments(words))
    with pytest.raises(UserError, match=r"lockstep:=true contradicts set:=backend\.lockstep=False: give one of them"):
        with_flags(said, "model", [LOCKSTEP], "set:=", words)


def test_a_flag_that_says_what_was_assigned_is_no_contradiction():
    words = ["backend.lockstep=true"]
    assert with_flags(parse_assignments(words), "model", [LOCKSTEP], "set:=", words) == {"backend": {"lockstep": True}}


def test_a_flag_that_means_nothing_to_the_backend_is_refused():
    window = Flag("--gui", "gui", True, about="PyBullet's window")
    with pytest.raises(UserError, match="--gui is about PyBullet's window: the backend model has none"):
        with_flags({}, "model", [window], "--set ", [])


@pytest.mark.parametrize("word", ["omega=8", "gait.omega", "gait.=8"])
def test_an_assignment_names_section_and_parameter(word):
    with pytest.raises(UserError, match=r"write section\.name=value"):
        parse_assignments([word])

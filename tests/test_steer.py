"""A running ring, told from a second terminal what to do."""

import asyncio
import json

import pytest
from stack_helpers import DEADLINE_S, LOW_RATE_HZ, lockstep_settings

from crawler_bringup.stack.options import Options
from crawler_nodes.client import stack_client
from crawler_testing.fixtures.running_stack import RunningStack


@pytest.fixture(autouse=True)
def long_timeouts(monkeypatch):
    """A service of a machine that is busy answers late."""
    monkeypatch.setattr(stack_client, "RESPONSE_TIMEOUT_S", DEADLINE_S)


@pytest.fixture(scope="module")
def stack():
    """A ring in a namespace, that crawls."""
    options = Options(
        backend="model",
        settings={"gait": {"omega": 4.0}, **lockstep_settings(1.0, rate=LOW_RATE_HZ)},
        namespace="first",
    )
    with RunningStack(options) as stack:
        stack.wait_until(lambda: stack.log.status.motion == "active", DEADLINE_S)
        yield stack


def now(stack, motion):
    stack.wait_until(lambda: stack.log.status.motion == motion, DEADLINE_S)
    return stack.log.status.motion == motion


def test_the_ring_is_found_and_its_parameters_are_shown(stack, call):
    assert call("steer", "list") == (0, "first\n", "")
    code, out, _ = call("steer", "show", "gait.omega", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["namespace"] == "first"
    assert told["parameters"] == {
        "gait.omega": {
            "value": 4.0,
            "unit": "rad/s",
            "range": "0.05 to 40 rad/s",
            "meaning": "angular frequency of the joints",
            "set": "any time",
        }
    }
    code, out, _ = call("steer", "show", "controller", "--namespace", "first")
    assert code == 0
    assert "controller.law" in out
    assert "gait.omega" not in out


def test_a_parameter_is_set_and_what_is_not_allowed_is_refused_with_the_rings_sentence(stack, call):
    code, out, _ = call("steer", "set", "gait.psi=25")
    assert code == 0
    assert "gait.psi = 25 is set" in out
    assert json.loads(call("steer", "show", "gait.psi", "--json")[1])["parameters"]["gait.psi"]["value"] == 25
    code, _, err = call("steer", "set", "gait.psi=25", "gait.omega=400")
    assert code == 1
    assert "0.05 to 40 rad/s" in err


def test_the_robot_is_stopped_and_goes_on(stack, call):
    for action, motion in (("stop", "disabled"), ("enable", "active"), ("estop", "e-stopped")):
        assert call("steer", action)[0] == 0
        assert now(stack, motion), action
    code, _, err = call("steer", "enable")
    assert code == 1
    assert "call the reset service, then enable" in err
    assert call("steer", "reset")[0] == 0
    assert call("steer", "enable")[0] == 0
    assert now(stack, "active")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["set"], "needs what to set"),
        (["set", "robot.friction=0.3"], "robot cannot be set while a stack runs"),
        (["set", "gait.omega"], "section.name=value"),
        (["estop", "now"], "takes no further words"),
        (["set", "gait.omga=8"], "did you mean 'gait.omega'"),
        (["set", "gait.rate=100"], "read at start only"),
        (["show", "gait.omga"], "did you mean 'gait.omega'"),
        (["stop", "--namespace", "second"], "there is no stack 'second' here: there is first"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(stack, call, words, said):
    code, out, err = call("steer", *words)
    assert code == 2
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def seen(call, action, both):
    """What is said where both rings are seen: on a busy machine that may be later than a command looks for them."""
    for _ in range(30):
        said = call("steer", action)
        if both(*said):
            break
    return said


def test_with_two_rings_one_must_be_named_and_an_emergency_stop_is_for_both(stack, call):
    options = Options(backend="mock", namespace="second")
    with RunningStack(options) as second:
        second.wait_until(lambda: second.log.status.motion == "active", DEADLINE_S)
        code, _, err = seen(call, "show", lambda code, _out, _err: code == 2)
        assert code == 2
        assert "2 stacks run here, first, second: choose one with --namespace NAME" in err
        code, out, _ = seen(call, "estop", lambda _code, out, _err: "second: " in out and "first: " in out)
        assert code == 0
        assert "first: stopped" in out
        assert "second: stopped" in out
        assert now(second, "e-stopped")
    assert now(stack, "e-stopped")


def test_without_a_ring_that_is_said(call, monkeypatch):
    monkeypatch.setattr("crawler_nodes.client.stack_client.StackClient.rings", lambda _: [])
    monkeypatch.setattr("crawler_cli.commands.steer.StackClient.look", nobody)
    for action in ("show", "estop"):
        code, _, err = call("steer", action)
        assert code == 1
        assert "no stack runs here: './crawler run' starts one" in err


def test_who_has_to_wait_for_a_ring_is_told_so(call, monkeypatch):
    looked = []

    async def after_a_while(*_):
        looked.append(await asyncio.sleep(0.01))
        return []

    monkeypatch.setattr("crawler_cli.commands.steer.StackClient.look", after_a_while)
    for quiet, said in ((0.0, True), (DEADLINE_S, False)):
        monkeypatch.setattr("crawler_cli.commands.steer.NOTICE_DELAY_S", quiet)
        code, out, err = call("steer", "list")
        assert (code, out) == (0, "no stack runs here\n")
        assert ("looking for 10 s at most" in err) is said
    assert len(looked) == 2


async def nobody(*_):
    return []

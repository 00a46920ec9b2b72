"""Commands to a running stack from a second terminal."""

import asyncio
import json

import pytest
from stack_helpers import DEADLINE_S, LOW_RATE_HZ, lockstep_settings

from crawler_bringup.stack.options import Options
from crawler_cli import __main__ as front_door
from crawler_nodes.client import stack_client
from crawler_testing.fixtures.running_stack import RunningStack


@pytest.fixture(autouse=True)
def long_timeouts(monkeypatch):
    """Let services respond late, as on a busy machine."""
    monkeypatch.setattr(stack_client, "RESPONSE_TIMEOUT_S", DEADLINE_S)


@pytest.fixture(scope="module")
def stack():
    """Start a stack that crawls in a namespace."""
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


def test_the_stack_is_discovered_and_its_parameters_are_shown(stack, call):
    assert call("steer", "list") == (0, "first\n", "")
    code, out, _ = call("steer", "show", "gait.omega", "--json")
    output = json.loads(out)
    assert code == 0
    assert output["namespace"] == "first"
    assert output["parameters"] == {
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


def test_a_parameter_is_set_and_an_invalid_one_is_rejected_with_the_nodes_sentence(stack, call):
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
    ("words", "sentence"),
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
def test_an_invalid_command_is_one_sentence(stack, call, words, sentence):
    code, out, err = call("steer", *words)
    assert code == 2
    assert out == ""
    assert sentence in err
    assert err.count("\n") == 1


def seen(call, action, both):
    """Repeat a command until it discovers both stacks, which may take long on a busy machine."""
    for _ in range(30):
        sentence = call("steer", action)
        if both(*sentence):
            break
    return sentence


def test_with_two_stacks_one_must_be_named_and_an_emergency_stop_is_for_both(stack, call, monkeypatch):
    monkeypatch.setattr(front_door, "stop_at_once", lambda *_: None)  # as from another machine
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


def test_without_a_stack_there_is_one_sentence(call, monkeypatch):
    monkeypatch.setattr(front_door, "stop_at_once", lambda *_: None)
    monkeypatch.setattr("crawler_nodes.client.stack_client.StackClient.stacks", lambda _: [])
    monkeypatch.setattr("crawler_cli.commands.steer.StackClient.find_stacks", no_stack)
    for action in ("show", "estop"):
        code, _, err = call("steer", action)
        assert code == 1
        assert "no stack runs here: './crawler run' starts one" in err


def test_a_wait_for_a_stack_is_reported(call, monkeypatch):
    looked = []

    async def after_a_while(*_):
        looked.append(await asyncio.sleep(0.01))
        return []

    monkeypatch.setattr("crawler_cli.commands.steer.StackClient.find_stacks", after_a_while)
    for quiet, sentence in ((0.0, True), (DEADLINE_S, False)):
        monkeypatch.setattr("crawler_cli.commands.steer.NOTICE_DELAY_S", quiet)
        code, out, err = call("steer", "list")
        assert (code, out) == (0, "no stack runs here\n")
        assert ("looking for 10 s at most" in err) is sentence
    assert len(looked) == 2


async def no_stack(*_):
    return []

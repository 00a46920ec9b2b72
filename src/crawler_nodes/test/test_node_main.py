"""The main that all nodes share, in processes of their own."""

import os
import signal
import subprocess
import sys

import pytest

from crawler_nodes.shutdown import watchdog

PROGRAM = """
import ctypes, time
import rclpy
from crawler_core.errors import UserError
from crawler_nodes.shutdown import watchdog
from crawler_nodes.node_main import run_node

watchdog.FORCED_EXIT_S = {last}

def make():
    if {refuse}:
        raise UserError("oven.heat = 400 is not allowed.")
    node = rclpy.create_node("oven")
    node.create_timer(0.01, lambda: print("spinning", flush=True) or ({hang} if "{where}" == "loop" else None))
    return node

def leave(node):
    print("left", node.get_name(), flush=True)
    if "{where}" == "leave":
        {hang}

if "{where}" == "shutdown":
    rclpy.try_shutdown = lambda: {hang}
run_node(make, cleanup=leave, release_torque=lambda node: print("let go", flush=True), drives_motors={moves})
"""
SLEEP = "time.sleep(600)"
STANDSTILL = "ctypes.PyDLL(None).sleep(600)"  # as time.sleep, but no other thread of Python goes on meanwhile


def start(refuse=False, *arguments, where="nowhere", hang="None", moves=False, **environment):
    # who can end by himself may take his time for it on a busy machine
    last = watchdog.FORCED_EXIT_S if hang == STANDSTILL else 60.0
    program = PROGRAM.format(refuse=refuse, where=where, hang=hang, moves=moves, last=last)
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF", **environment},
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_node_cleanly(number):
    process = start()
    assert process.stdout is not None
    assert process.stdout.readline() == "spinning\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert out.endswith("left oven\n")
    assert "Traceback" not in err


def test_what_the_user_can_put_right_is_one_sentence_and_exit_code_2():
    process = start(refuse=True)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert out == ""
    assert err == "-c: oven.heat = 400 is not allowed.\n"


@pytest.mark.parametrize("arguments", [("-p", "heat"), ("--heat",), ("--params-file", "missing.yaml")])
def test_arguments_that_ros_cannot_read_are_a_sentence_and_exit_code_2(arguments):
    process = start(False, "--ros-args", *arguments)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert err.splitlines()[-1].startswith("-c: the ROS arguments cannot be used: ")  # rcl may log before it
    assert "Traceback" not in err


@pytest.fixture
def parent():
    """A process that looks after a node, as far as the node knows."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def test_a_node_whose_loop_hangs_lets_go_and_ends_when_it_is_asked():
    process = start(where="loop", hang=SLEEP)
    assert process.stdout is not None
    assert process.stdout.readline() == "spinning\n"
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert out == "let go\n"
    assert err.endswith("-c: it was asked to end, but its loop hangs: the watchdog ended it.\n")


@pytest.mark.parametrize(
    ("where", "hang", "code"),
    [("shutdown", SLEEP, 0), ("shutdown", STANDSTILL, 1), ("leave", SLEEP, 1), ("leave", STANDSTILL, 1)],
)
def test_a_node_ends_although_something_hangs_on_the_way_out(where, hang, code):
    process = start(where=where, hang=hang)
    assert process.stdout is not None
    assert process.stdout.readline() == "spinning\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == code
    assert out.endswith("let go\n" if (where, hang) == ("leave", SLEEP) else "left oven\n")
    assert ("in leave" in err or "in <lambda>" in err) == (hang == STANDSTILL)  # where that was


def test_a_node_ends_and_says_why_when_whoever_started_it_is_gone(parent):
    process = start(CRAWLER_PARENT=str(parent.pid))
    assert process.stdout is not None
    assert process.stdout.readline() == "spinning\n"
    parent.kill()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert out.endswith("left oven\n")
    assert f"its parent process {parent.pid} is gone: ending" in err


def test_only_what_moves_motors_ends_when_whoever_started_it_is_stopped(parent):
    still, moving = (start(moves=moves, CRAWLER_PARENT=str(parent.pid)) for moves in (False, True))
    for process in (still, moving):
        assert process.stdout is not None
        assert process.stdout.readline() == "spinning\n"
    parent.send_signal(signal.SIGSTOP)
    out, err = moving.communicate(timeout=120)
    assert moving.returncode == 1
    assert out.endswith("left oven\n")
    assert f"its parent process {parent.pid} is stopped" in err
    assert still.poll() is None
    still.send_signal(signal.SIGTERM)
    still.communicate(timeout=120)
    assert still.returncode == 0


def test_ctrl_z_ends_what_moves_motors():
    process = start(moves=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "spinning\n"
    process.send_signal(signal.SIGTSTP)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert out.endswith("left oven\n")
    assert "Ctrl-Z would leave the motors as they are: ending" in err

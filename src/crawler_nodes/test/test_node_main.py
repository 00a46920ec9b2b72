"""The main that all nodes share, in processes of their own."""

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import rclpy
from crawler_core.errors import UserError
from crawler_nodes.node_main import run_node

def make():
    if {refuse}:
        raise UserError("oven.heat = 400 is not allowed.")
    node = rclpy.create_node("oven")
    node.create_timer(0.01, lambda: print("spinning", flush=True))
    return node

run_node(make, leave=lambda node: print("left", node.get_name(), flush=True))
"""


def start(refuse=False, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(refuse=refuse), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"},
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
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

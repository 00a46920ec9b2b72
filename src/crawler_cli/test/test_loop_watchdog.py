"""A loop that hangs, and the thread that ends its process."""

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import signal, sys, time
from crawler_cli.run import loop_watchdog
loop_watchdog.MOTOR_LOOP_TIMEOUT_S = loop_watchdog.STOP_TIMEOUT_S = 0.3
signal.signal(signal.SIGINT, lambda *_: None)
with loop_watchdog.LoopWatchdog(lambda: print("stopped", flush=True), [signal.SIGINT], sys.argv[1] == "motors") as one:
    one.feed()
    print("hangs", flush=True)
    while True:
        time.sleep(1.0)
"""


@pytest.mark.parametrize(("drives", "number", "code"), [("motors", 0, 1), ("a simulation", signal.SIGINT, 130)])
def test_a_hanging_loop_ends_motors_at_once_and_simulations_on_sigint(drives, number, code):
    words = [sys.executable, "-c", PROGRAM, drives]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "hangs\n"
    if number:
        process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert out == "stopped\n"
    assert "the command line hung" in err
    assert process.returncode == code

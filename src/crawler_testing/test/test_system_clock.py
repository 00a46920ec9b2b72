"""A system clock that is set for one process alone."""

import os
import subprocess
import sys
import time

import pytest

from crawler_testing.fixtures.system_clock import SystemClock

PROGRAM = "import time\nwhile input():\n    print(time.time() - time.monotonic(), flush=True)"


@pytest.mark.skipif(not SystemClock.is_available(), reason="no C compiler")
def test_only_the_process_with_its_environment_sees_the_clock_set(tmp_path):
    clock = SystemClock(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", PROGRAM],
        env={**os.environ, **clock.environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def offset():
        process.stdin.write("?\n")
        return float(process.stdout.readline())

    here = time.time() - time.monotonic()
    assert offset() == pytest.approx(here, abs=10.0)
    clock.step(-60.0)
    assert offset() == pytest.approx(here - 60.0, abs=10.0)
    clock.step(30.0)
    assert offset() == pytest.approx(here - 30.0, abs=10.0)
    assert time.time() - time.monotonic() == pytest.approx(here, abs=10.0)
    process.communicate("\n")

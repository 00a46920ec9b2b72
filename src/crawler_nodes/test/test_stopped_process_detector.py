"""Looking after other processes: what it sees, and what it costs who looks for days."""

import os
import signal
import subprocess
import sys

from crawler_nodes.shutdown.stopped_process_detector import StoppedProcessDetector, is_stopped, read_process_status

LOOKS = 50_000  # well over an hour of a node
MOST = 0.3  # MB

HOUR = f"""
import sys
import crawler_nodes.backend_node.node
from crawler_nodes.shutdown.stopped_process_detector import read_process_status

def own():
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Pss_Anon:")) / 1000

before = own()
for _ in range({LOOKS}):
    read_process_status(int(sys.argv[1]))
print(own() - before)
"""


def test_a_process_that_is_stopped_for_a_while_stands_still_and_one_that_goes_on_does_not():
    now = 0.0
    child = subprocess.Popen(["sleep", "1000"])
    try:
        stands = StoppedProcessDetector(child.pid, lambda: now, stopped_s=0.5)
        assert not stands()
        child.send_signal(signal.SIGSTOP)
        os.waitpid(child.pid, os.WUNTRACED)
        assert is_stopped(child.pid)
        now = 1.0
        assert not stands()  # it may be for a moment
        now = 1.6
        assert stands()
        child.send_signal(signal.SIGCONT)
        os.waitpid(child.pid, os.WCONTINUED)
        now = 2.0
        assert not stands()
    finally:
        child.kill()
        child.wait()
    assert read_process_status(child.pid) == []
    assert not is_stopped(child.pid)


def test_a_node_that_looks_for_hours_needs_no_more_memory():
    done = subprocess.run([sys.executable, "-c", HOUR, str(os.getpid())], capture_output=True, text=True, check=True)
    assert float(done.stdout) < MOST

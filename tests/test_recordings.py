"""Recordings have one time axis and are readable, however their processes ended."""

import contextlib
import json
import os
import random
import resource
import signal
import struct
import subprocess
import time
from collections import Counter

import mcap.exceptions
import mcap.reader
import pytest
from rosbags.highlevel import AnyReader
from stack_helpers import SITECUSTOMIZE, set_timeouts

from crawler_cli.recordings.recording_check import check_recording
from crawler_nodes.testing.free_domain_id import free_domain_id
from crawler_studies.recordings.recording_reader import open_recording
from crawler_testing.fixtures.run_config import RunConfig
from crawler_testing.fixtures.run_harness import RunHarness

RUN = ("run", "--set", "backend.answer_timeout=60", "--json", "--record")
SECOND = 1_000_000_000


def by_crawler(file):
    with open_recording(file) as reader:
        return [(connection.topic, when, data) for connection, when, data in reader.messages()]


def by_rosbags(file):
    with AnyReader([file]) as reader:
        return [(connection.topic, when, data) for connection, when, data in reader.messages()]


def by_rosbags_directory(file):
    return by_rosbags(file.parent)


def by_mcap(file):
    with file.open("rb") as data:
        found = mcap.reader.make_reader(data).iter_messages()
        return [(channel.topic, message.log_time, message.data) for _, channel, message in found]


READERS = (by_crawler, by_rosbags, by_rosbags_directory, by_mcap)


SLOW = """
import sys
if any(word.endswith("recorder_node") for word in sys.orig_argv):
    import time
    from rclpy.node import Node
    plain = Node.create_subscription
    def slow(*words, **more):
        time.sleep(0.05)
        return plain(*words, **more)
    Node.create_subscription = slow
    open(__file__ + ".used", "w")
"""


@pytest.fixture
def slow(tmp_path):
    """An environment in which a recorder takes longer to begin than all others."""
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "sitecustomize.py").write_text(SLOW + (SITECUSTOMIZE / "sitecustomize.py").read_text())
    with set_timeouts():
        yield {**os.environ, "PYTHONPATH": f"{tmp_path / 'slow'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}


def test_a_slow_recorder_records_a_whole_simulation_in_simulated_time(crawler, tmp_path, slow):
    words = [*crawler, *RUN, "--backend", "model", "--lockstep", "--duration", "3", "--out", "crawl", "--no-picture"]
    words += ["--set", "gait.omega=8", "--set", "backend.lockstep_timeout=60"]
    words += ["--set", "controller.reference_timeout=60"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=200, cwd=tmp_path, env=slow)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "slow" / "sitecustomize.py.used").exists()
    assert not (tmp_path / "crawl" / "run.png").exists()
    found = by_mcap(tmp_path / "crawl" / "recording" / "recording.mcap")
    topics = {topic for topic, _, _ in found}
    assert {"/tf", "/diagnostics", "/robot_description", "/tf_static", "/run_description", "/joint_states"} <= topics
    # a node without diagnostics for long ends the run: the recorder, too
    assert any(b"recorder\0" in data for topic, _, data in found if topic == "/diagnostics")
    assert min(when for _, when, _ in found) == 0  # the simulation's first state is of time 0
    assert max(when for _, when, _ in found) == 3 * SECOND
    # each stamp once, since a state that is not answered for long is sent again; the last one needs no answer
    counts = Counter(topic for topic, _ in {(topic, data[4:12]) for topic, _, data in found})
    assert counts["/joint_states"] == counts["/contact_states"] == 601
    assert counts["/odom"] == 301
    assert counts["/joint_commands"] in (600, 601)
    assert counts["/controller_state"] in (150, 151)
    files = [tmp_path / "crawl" / "recording" / "recording.mcap"]
    assert [sorted(read(files[0])) for read in READERS[:-1]] == [sorted(found)] * (len(READERS) - 1)


@pytest.fixture
def run(holding_robot):
    config = RunConfig(robot=holding_robot)
    with RunHarness(config, "mock", domain=free_domain_id(), rng=random.Random(0)) as run:
        file = run.out / "recording" / "recording.mcap"
        sizes = set()
        # the file has grown, and its first end has been overwritten
        assert run.wait_until(lambda: file.exists() and (sizes.add(file.stat().st_size) or len(sizes) > 3), 120.0)
        assert run.wait_until_crawling()
        assert run.wait_until(lambda: "/joint_states" in topics_so_far(file), 120.0)  # written with a delay
        yield run


def topics_so_far(file):
    """The topics in a file that is being written."""
    with contextlib.suppress(mcap.exceptions.McapError, struct.error):  # in the middle of that
        return {topic for topic, _, _ in by_mcap(file)}
    return set()


def test_all_readers_can_read_a_recording_whose_processes_were_killed(run):
    file = run.out / "recording" / "recording.mcap"
    run.processes.signal(signal.SIGKILL)
    assert run.wait_until(lambda: not run.processes.running(), 60.0)
    found = by_mcap(file)
    assert sum(topic == "/joint_states" for topic, _, _ in found) > 0
    times = [when for _, when, _ in found]
    assert times == sorted(times)
    assert abs(times[0] - time.time_ns()) < 600 * SECOND  # mock is stamped by the wall clock
    assert times[-1] - times[0] < 600 * SECOND
    for read in READERS:
        assert sorted(read(file)) == sorted(found), read.__name__


def test_a_full_disk_is_reported_and_leaves_summary_and_recording(long_timeouts, run):
    file = run.out / "recording" / "recording.mcap"
    size = file.stat().st_size
    resource.prlimit(run.processes.pid("recorder"), resource.RLIMIT_FSIZE, (size + 4096, size + 4096))
    assert run.wait_until(lambda: run.has_ended, 60.0)
    assert run.process.returncode == 1
    assert "the node 'recorder' gave up" in run.stderr()
    assert "ends here: File too large; what is there can be read" in run.stderr()
    output = json.loads((run.directory / "run.out").read_text())
    assert output == json.loads((run.out / "summary.json").read_text())
    assert output["recording"] == str(file)
    assert len(by_crawler(file)) == len(by_mcap(file)) > 0


def test_a_killed_recorder_ends_the_run_which_names_its_file(run):
    os.kill(run.processes.pid("recorder"), signal.SIGKILL)
    assert run.wait_until(lambda: run.has_ended, 60.0)
    assert run.process.returncode == 1
    assert "the node 'recorder' ended with exit code -9" in run.stderr()
    assert "recording.mcap was not closed: it holds the first" in run.stderr()
    file = run.out / "recording" / "recording.mcap"
    assert json.loads((run.out / "summary.json").read_text())["recording"] == str(file)
    assert by_crawler(file)


def test_a_missing_recording_is_not_named(tmp_path):
    (tmp_path / "recording").mkdir()
    (tmp_path / "recording" / "metadata.yaml").touch()
    where, lacks = check_recording(str(tmp_path / "recording"))
    assert where is None
    assert lacks == (
        f"nothing was recorded: there is no recording in {tmp_path / 'recording'}: './crawler run --record' makes one."
    )


def test_an_unwritable_directory_is_one_sentence_before_anything_starts(call):
    code, out, err = call("run", "--backend", "model", "--out", "/proc/crawl", "--record")
    assert (code, out) == (2, "")
    assert "/proc/crawl cannot be made" in err
    assert len(err.strip().splitlines()) == 1

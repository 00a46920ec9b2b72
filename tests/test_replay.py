"""A recording that is replayed: what was recorded, below a namespace, and nothing that drives a robot."""

import subprocess
import sys
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from stack_helpers import set_timeouts
from tf2_msgs.msg import TFMessage

from crawler_cli.recordings.replay_publisher import REPLAYED, ReplayPublisher
from crawler_nodes.client.stack_monitor import StackMonitor
from crawler_nodes.run_log.log import RunLog
from crawler_nodes.topics import Topic
from crawler_nodes.transport import duplicate_stack_check
from crawler_studies.recordings.recording_reader import open_recording, topic_connections

DRIVING = ("joint_commands", "gait_reference", "cmd_vel")


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """A recorded run of a second."""
    place = tmp_path_factory.mktemp("runs")
    words = ["run", "--backend", "model", "--lockstep", "--duration", "1", "--record", "--no-picture", "--out", "crawl"]
    words += ["--set", "backend.lockstep_timeout=60", "--set", "controller.reference_timeout=60"]
    with set_timeouts():
        made = subprocess.run(
            [sys.executable, "-m", "crawler_cli", *words], cwd=place, capture_output=True, timeout=200
        )
    assert made.returncode == 0, made.stderr
    return place / "crawl"


class Timer:
    """A clock that only sleep moves; `at` has what happens at its times."""

    def __init__(self, at=()):
        self.now, self.at = 0.0, list(at)

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        while self.at and self.now >= self.at[0][0]:
            self.at.pop(0)[1]()


def test_a_replay_pauses_and_goes_to_any_time(crawl):
    with open_recording(crawl) as reader, ReplayPublisher("sought", "") as replay:
        published, reports = [], []

        def set_parameter(name, value):
            assert replay._node.set_parameters([Parameter(name, value=value)])[0].successful

        def end():
            raise KeyboardInterrupt

        def note(*_):
            reports.append((replay._settings.paused, round((replay._time_ns - replay._begin_ns) * 1e-9, 2)))

        recorder: Any = SimpleNamespace(publish=published.append)
        replay._publishers["joint_states"] = recorder
        timer = Timer(
            [
                (0.3, lambda: set_parameter("paused", True)),
                (2.0, note),
                (2.0, lambda: set_parameter("time", 0.8)),
                (2.5, note),
                (2.5, lambda: set_parameter("time", 0.1)),
                (3.0, note),
                (3.0, lambda: set_parameter("paused", False)),
                (3.5, note),
                (3.5, end),
            ]
        )
        with pytest.raises(KeyboardInterrupt):
            replay.play(reader, 1.0, timer=timer)
    assert [paused for paused, _ in reports] == [True, True, True, False]
    assert [at for _, at in reports] == pytest.approx([0.3, 0.8, 0.1, 0.6], abs=0.05)
    assert len(published) > 100


def test_a_viewer_below_the_namespace_sees_what_was_recorded_and_nothing_drives(crawl):
    states, frames, timer = [], set(), Timer()

    def see(data, _):
        for one in deserialize_message(data, TFMessage).transforms:
            frames.update((one.header.frame_id, one.child_frame_id))

    topics = [
        (Topic("joint_states", JointState, depth=5000), lambda data, _: states.append(data)),
        (Topic("/tf", TFMessage), see),
    ]
    log = RunLog()
    with open_recording(crawl) as reader, ReplayPublisher("yesterday", "") as replay:
        recorded = [data for _, _, data in reader.messages(topic_connections(reader, "joint_states"))]
        with StackMonitor(topics, log=log, joints=False, namespace="yesterday") as view:
            looked_at = ("joint_states", "odom", "contact_states", "tf")
            assert view.wait(lambda: all(replay.has_subscriber(name) for name in looked_at), 60.0)
            # messages of a publisher that is not discovered yet may be dropped
            assert view.wait(lambda: ("replay", "/yesterday") in view.node.get_node_names_and_namespaces(), 60.0)
            replay.play(reader, 0.1, timer=timer)
            assert view.wait(lambda: len(states) == len(recorded), 60.0)
            assert view.wait(lambda: log.base.poses and log.base.now == pytest.approx(1.0), 60.0)
            assert view.wait(lambda: log.feet and frames, 60.0)
            published = {
                name.removeprefix("/yesterday").strip("/")
                for name, _ in view.node.get_publisher_names_and_types_by_node("replay", "/yesterday")
            }
    assert states == recorded
    assert log.feet == ["foot_1", "foot_2"]
    assert "yesterday/odom" in frames
    assert "yesterday/body" in frames
    assert all(frame.startswith("yesterday/") for frame in frames)
    assert set(REPLAYED) <= published
    assert not published & set(DRIVING)
    assert timer.now == pytest.approx(10.0, abs=0.1)  # a second, a tenth as fast


def test_a_replay_ends_by_itself_and_reports_its_length(call, crawl):
    code, out, err = call("replay", str(crawl), "--real-time-factor", "20")
    assert (code, out) == (0, "")
    assert "1.0 s in the namespace replay" in err
    assert "messages replayed" in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--namespace", ""], "needs a namespace of its own"),
        (["--real-time-factor", "0"], "give 0.001 to 1e+06"),
    ],
)
def test_an_invalid_replay_is_one_sentence(call, crawl, words, sentence):
    code, out, err = call("replay", str(crawl), *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.strip().splitlines()) == 1


def test_a_replay_is_rejected_beside_a_stack(call, crawl, monkeypatch):
    monkeypatch.setattr(duplicate_stack_check, "DISCOVERY_S", 60.0)  # it looks until they are there
    with ExitStack() as stack:
        for topic in duplicate_stack_check.SINGLE_PUBLISHER_TOPICS:
            view = stack.enter_context(StackMonitor(namespace="taken", name=topic.name))
            view.node.create_publisher(JointState, topic.name, 10)
        code, out, err = call("replay", str(crawl), "--namespace", "taken")
    assert (code, out) == (2, "")
    assert "a stack already runs in this namespace" in err

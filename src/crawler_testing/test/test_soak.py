"""A soak run fails for growth of memory and for missed or late messages, and for nothing else."""

import mmap
import os
from dataclasses import replace

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from crawler_testing.soak.memory_log import MemoryLog, growth_mb, private_memory_mb
from crawler_testing.soak.message_counter import MessageCounter, RecorderCounter
from crawler_testing.soak.soak_result import SoakResult

GOOD = SoakResult(
    robot="three_link",
    backend="mock",
    rate=200.0,
    duration_s=3600.0,
    run_s=3600.0,
    ticks=720_000,
    late_ticks=700,
    overruns=3,
    received={"joint_states": 720_000},
    missed={"joint_states": 0},
    memory_MB={"gait": 60.0},
    growth_MB={"gait": 0.9},
    recorded=720_000,
    not_recorded=0,
    recorder_reported=2_900_000,
    recording_holds=2_900_100,
    recording_lacks_s=0.4,
    troubles=(),
)


def test_a_good_soak_has_no_problems():
    assert GOOD.problems == []
    assert GOOD.growth_summary == "largest growth of a process: 0.90 MB"


def test_a_soak_shorter_than_its_warm_up_does_not_judge_memory():
    assert replace(GOOD, growth_MB={}).growth_summary == "too short to judge memory"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"missed": {"joint_states": 1}}, "1 messages of joint_states were missed"),
        ({"received": {"joint_states": 0}}, "no message of joint_states was received"),
        ({"late_ticks": 721}, "721 of 720000 ticks were late"),
        ({"growth_MB": {"cli": 1.2}}, "cli grew by 1.20 MB"),
        ({"not_recorded": 2}, "2 states are not in the recording"),
        ({"recording_holds": 2_899_999}, "holds 2899999 messages, the recorder had reported 2900000"),
        ({"recording_lacks_s": 1.5}, "lacks the last 1.5 s"),
        ({"recording_lacks_s": float("nan")}, "lacks the last nan s"),
        ({"troubles": ("the run ended after 7 s",)}, "ended after 7 s"),
    ],
)
def test_each_deviation_is_one_sentence(change, words):
    (problem,) = replace(GOOD, **change).problems
    assert words in problem


def test_private_memory_is_measured():
    before = private_memory_mb(os.getpid())
    # from the kernel: an allocator may have some left, or keep what is freed
    with mmap.mmap(-1, 32_000_000, flags=mmap.MAP_PRIVATE) as kept:
        for page in range(0, len(kept), mmap.PAGESIZE):
            kept[page] = 1
        assert private_memory_mb(os.getpid()) - before == pytest.approx(32.0, abs=4.0)
    assert private_memory_mb(2**22 + 1) != private_memory_mb(2**22 + 1)  # NaN without a process


def test_growth_is_between_the_first_and_the_last_tenth():
    samples = [(float(t), 50.0 + 0.01 * t) for t in range(100)]
    assert growth_mb(samples) == pytest.approx(0.9)
    samples[50] = (50.0, 400.0)
    assert growth_mb(samples) == pytest.approx(0.9)
    memory = MemoryLog({"gait": [(0.0, 10.0), (1.0, 30.0), (2.0, 30.0)], "cli": [(1.0, 5.0)]})
    assert memory.growth(0.5) == {"gait": 0.0}
    assert memory.last() == {"gait": 30.0, "cli": 5.0}


def test_a_lost_message_is_missed():
    counter = MessageCounter()
    assert counter.missed == 0
    for number in (7, 8, 10, 11):  # the first received is 7, and 9 is lost
        counter.add(serialize_message(JointState()), {"publication_sequence_number": number})
    assert (counter.received, counter.missed) == (4, 1)


def test_stamps_of_the_wall_clock_are_exact_to_the_nanosecond():
    message = JointState()
    message.header.stamp.sec, message.header.stamp.nanosec = 1_800_000_000, 123_456_789
    counter = MessageCounter()
    counter.add(serialize_message(message), {"publication_sequence_number": 1})
    assert list(counter.stamps) == [1_800_000_000_123_456_789]


def test_messages_of_the_recorders_report_before_the_last_are_in_the_file():
    recorder, kept = RecorderCounter(), []
    for name, count in (("recorder", 5), ("backend", 7), ("recorder", 8), ("recorder", 8), ("one/recorder", 9)):
        status = DiagnosticStatus(name=name, values=[KeyValue(key="messages", value=str(count))])
        recorder.add(serialize_message(DiagnosticArray(status=[status])), {})
        kept.append(recorder.flushed)
    assert kept == [0, 0, 5, 5, 8]

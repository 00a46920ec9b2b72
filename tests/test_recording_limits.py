"""A recording takes a bounded time and memory, whatever it claims; beyond that one sentence names the limit."""

import os
import sqlite3
import time
import tracemalloc
from dataclasses import replace
from types import SimpleNamespace

import pytest
import yaml

from crawler_cli.recordings.replay_publisher import MAX_GAP_S, ReplayPublisher
from crawler_core.errors import UserError
from crawler_studies.recordings import bounded_mcap as limits
from crawler_studies.recordings.recording_reader import (
    MAX_FILES,
    MAX_MESSAGE_BYTES,
    find_recording,
    open_recording,
)
from crawler_testing.file_fuzz.mcap_file import Channel, Layout, McapFile, McapMessage, Schema
from crawler_testing.file_fuzz.sample_recording import sample_recording

STATES = Schema("sensor_msgs/msg/JointState", "ros2msg", "uint8 a\n")
FILE = McapFile({1: STATES}, {1: Channel(1, "/joint_states")}, tuple(McapMessage(1, k, bytes(5)) for k in range(9)))
CHUNK_BYTES = 2**20  # in place of the limit, to be quick
MAX_COUNT = 50  # topics and types, likewise
MAX_PYTHON_BYTES = 4 * CHUNK_BYTES


@pytest.fixture(autouse=True)
def low_limits(monkeypatch):
    monkeypatch.setattr(limits, "MAX_CHUNK_BYTES", CHUNK_BYTES)
    monkeypatch.setattr(limits, "MAX_READ_BYTES", CHUNK_BYTES)
    monkeypatch.setattr(limits, "MAX_CHANNELS", MAX_COUNT)
    monkeypatch.setattr(limits, "MAX_SCHEMAS", MAX_COUNT)
    monkeypatch.setattr(limits, "MAX_OPEN_BYTES", 4 * CHUNK_BYTES)


def with_definition(text, encoding="ros2msg"):
    return replace(FILE, schemas={1: STATES._replace(text=text, encoding=encoding)})


def read(path):
    with open_recording(path) as reader:
        for connection, _, data in reader.messages():
            reader.deserialize(data, connection.msgtype)


ZEROS = McapFile({1: STATES}, {1: Channel(1, "/joint_states")}, (McapMessage(1, 1, bytes(10 * CHUNK_BYTES)),))
MANY = {k: Channel(1, f"/t{k}") for k in range(1, MAX_COUNT + 2)}
TYPES = {k: Schema(f"a/msg/T{k}", "ros2msg", "uint8 a\n") for k in range(1, MAX_COUNT + 2)}
CASES = {
    "a chunk that unpacks to more": (ZEROS, Layout(10**9, "zstd"), "a chunk in it has more than 1 MB"),
    "the same by lz4": (ZEROS, Layout(10**9, "lz4", True), "more than 4 MB at one time"),
    "a chunk that claims less": (ZEROS, Layout(10**9, "zstd", declared_bytes=1000), "expected 1000 bytes, got 1001"),
    "the same by lz4 with an index": (ZEROS, Layout(10**9, "lz4", True, 1000), "expected 1000 bytes, got 1001"),
    "many topics": (replace(FILE, channels=MANY), Layout(), "more than 50 topics"),
    "many topics in an index": (replace(FILE, channels=MANY), Layout(10**6, "", True), "more than 50 topics"),
    "many message types": (replace(FILE, schemas=TYPES), Layout(), "more than 50 message types"),
    "a long definition": (with_definition("uint8 a\n" * 10_000), Layout(), "more than 65536 bytes"),
    "a definition in IDL": (with_definition("module a {};", "ros2idl"), Layout(), "in IDL, which is not read"),
    "an array of strings": (with_definition("string[1000000000] a\n"), Layout(), "1 to 1000 are allowed"),
    "arrays of nothing": (with_definition("uint8[0] a\n"), Layout(), "1 to 1000 are allowed"),
    "a large message": (FILE.with_message(4, bytes(MAX_MESSAGE_BYTES + 1)), Layout(), "has more than 64 KiB"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_recording_beyond_a_limit_is_one_sentence(tmp_path, case):
    file, layout, words = CASES[case]
    (tmp_path / "run.mcap").write_bytes(file.write(layout))
    tracemalloc.start()
    begin = time.process_time()
    try:
        with pytest.raises(UserError, match=words) as error:
            read(tmp_path / "run.mcap")
        assert tracemalloc.get_traced_memory()[1] < MAX_PYTHON_BYTES
    finally:
        tracemalloc.stop()
    assert "run.mcap cannot be read as a recording" in str(error.value)
    assert time.process_time() - begin < 60.0  # of this process's own work


def test_chunks_at_one_time_are_bounded(tmp_path):
    size = CHUNK_BYTES - 1000
    messages = tuple(McapMessage(1, time_ns, bytes(size)) for time_ns in (5, 5, 5, 5, 5))
    file = replace(FILE, messages=messages)
    (tmp_path / "run.mcap").write_bytes(file.write(Layout(1, "zstd", True)))
    with pytest.raises(UserError, match="more than 4 MB at one time"):
        read(tmp_path / "run.mcap")


def test_within_the_limits_every_form_of_a_file_is_read(tmp_path):
    file = sample_recording()
    for layout in (Layout(), Layout(4000), Layout(4000, "zstd"), Layout(4000, "lz4", True), Layout(10**6, "", True)):
        (tmp_path / "run.mcap").write_bytes(file.write(layout))
        with open_recording(tmp_path) as reader:
            assert [data for _, _, data in reader.messages()] == [message.data for message in file.messages]


def test_a_recording_is_a_regular_file(tmp_path, call):
    os.mkfifo(tmp_path / "pipe.mcap")
    (tmp_path / "link.mcap").symlink_to("/dev/zero")
    (tmp_path / "loop.mcap").symlink_to("loop.mcap")
    os.mkfifo(tmp_path / "pipe.yaml")
    for words, sentence in (
        (["plot", "pipe.mcap"], "no regular file"),
        (["film", "link.mcap"], "no regular file"),
        (["gait-analysis", "/dev/zero"], "no regular file"),
        (["replay", "loop.mcap"], "loop.mcap"),
        (["model", "--params", "pipe.yaml"], "no regular file"),
        (["model", "pipe.yaml"], "no regular file"),
    ):
        code, out, err = call(*words)
        assert (code, out) == (2, "")
        assert sentence in err
        assert len(err.strip().splitlines()) == 1


def metadata(files, **more):
    names = [f"{k}.mcap" for k in range(files)]
    return yaml.safe_dump({"rosbag2_bagfile_information": {"version": 9, "relative_file_paths": names, **more}})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (metadata(MAX_FILES + 1), f"lists more than {MAX_FILES} files"),
        (metadata(2, compression_mode="file"), "compressed as a whole"),
        ("rosbag2_bagfile_information: [1, 2]", "not that of rosbag2"),
        (f"a: {'x' * 2**20}", "larger than 1 MB"),
    ],
)
def test_metadata_beyond_a_limit_is_one_sentence(tmp_path, text, words):
    for k in range(2):
        (tmp_path / f"{k}.mcap").write_bytes(FILE.write())
    (tmp_path / "metadata.yaml").write_text(text)
    assert find_recording(tmp_path)[0] == tmp_path
    with pytest.raises(UserError, match=words):
        read(tmp_path)


def test_a_database_computes_nothing(tmp_path):
    for k, text in enumerate(("CREATE VIEW messages AS SELECT 1", "CREATE TABLE t(a INT, b AS (zeroblob(1e9)))")):
        with sqlite3.connect(tmp_path / f"{k}.db3") as database:
            database.execute(text)
        with pytest.raises(UserError, match="tables that are computed"):
            read(tmp_path / f"{k}.db3")


def test_a_gap_is_replayed_as_a_minute(tmp_path):
    whole = sample_recording()
    messages = tuple(
        message._replace(time_ns=message.time_ns + (10**18 if message.time_ns > 10**9 else 0))
        for message in whole.messages
    )
    (tmp_path / "run.mcap").write_bytes(replace(whole, messages=messages).write())
    slept = [0.0]  # s in all; nothing sleeps
    timer = SimpleNamespace(monotonic=lambda: slept[-1], sleep=lambda seconds: slept.append(slept[-1] + seconds))
    with open_recording(tmp_path / "run.mcap") as reader, ReplayPublisher("gap", "") as replay:
        replay.play(reader, 1.0, timer=timer)
    assert MAX_GAP_S < slept[-1] < MAX_GAP_S + 13.0  # the recording takes 12 s


def test_a_loop_of_nothing_and_a_pace_of_nothing_end(call, tmp_path):
    (tmp_path / "run.mcap").write_bytes(replace(FILE, channels={1: Channel(1, "/nothing")}).write())
    code, _, err = call("replay", "run.mcap", "--loop")
    assert code == 2
    assert "holds no messages that are replayed" in err
    (tmp_path / "run.mcap").write_bytes(sample_recording().write())
    code, _, err = call("replay", "run.mcap", "--real-time-factor", "1e-9")
    assert code == 2
    assert "give 0.001 to" in err

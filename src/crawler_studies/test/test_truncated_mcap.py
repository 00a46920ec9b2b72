"""A recording that was cut off reads up to the cut, wherever that is."""

import pytest
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from crawler_core.errors import UserError
from crawler_studies.recordings.recording_reader import open_recording
from crawler_studies.recordings.truncated_mcap import has_end

KIND = "std_msgs/msg/String"
MESSAGES = 300


@pytest.fixture(params=[CompressionMode.NONE, CompressionMode.STORAGE])
def whole(request, tmp_path):
    """The bytes of a recording."""
    store = get_typestore(Stores.ROS2_JAZZY)
    writer = Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(request.param, CompressionFormat.ZSTD)
    with writer:
        channel = writer.add_connection("/talk", KIND, typestore=store)
        for time in range(MESSAGES):
            data = store.serialize_cdr(store.types[KIND]("x" * 7000), KIND)
            writer.write(channel, time, data)
    return (tmp_path / "bag" / "bag.mcap").read_bytes()


def test_a_recording_reads_up_to_the_cut(whole, tmp_path):
    file = tmp_path / "cut.mcap"
    found = []
    for cut in (*range(1000, len(whole), len(whole) // 60), len(whole) - 1):
        file.write_bytes(whole[:cut])
        assert not has_end(file)
        with open_recording(file) as reader:
            times = [time for _, time, _ in reader.messages()]
        assert times == list(range(len(times)))
        if len(whole) > 7000 * MESSAGES:  # not compressed: what fits into so many bytes
            assert len(times) >= min(MESSAGES, (cut - 2500) // 7100)
        found.append(len(times))
    assert found == sorted(found)
    assert found[-1] == MESSAGES


def test_what_is_closed_ends(whole, tmp_path):
    file = tmp_path / "whole.mcap"
    file.write_bytes(whole)
    assert has_end(file)


@pytest.mark.parametrize("error", [BrokenPipeError, ZeroDivisionError, KeyError])
def test_an_error_of_the_caller_is_not_reported_as_damage_of_the_file(whole, tmp_path, error):
    file = tmp_path / "whole.mcap"
    file.write_bytes(whole)
    with pytest.raises(error), open_recording(file):
        raise error


@pytest.mark.parametrize("length", [1, 8, 20])
def test_a_recording_of_which_hardly_anything_is_left_is_empty_or_refused(whole, tmp_path, length):
    file = tmp_path / "cut.mcap"
    file.write_bytes(whole[:length])
    with pytest.raises(UserError, match="cannot be read as a recording"), open_recording(file):
        pass


def test_a_message_with_invalid_content_is_damage_of_the_file(whole, tmp_path):
    file = tmp_path / "whole.mcap"
    file.write_bytes(whole)
    with (
        pytest.raises(UserError, match=r"whole\.mcap cannot be read as a recording: it is damaged \(bad bytes\)"),
        open_recording(file) as reader,
        reader.content_errors(),
    ):
        raise RuntimeError("bad bytes")  # as the middleware raises for a payload that is too short

"""The recording is readable at any moment, and on a full disk."""

import errno
import os

import pytest
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from crawler_bringup.recorder.crash_safe_bag import CrashSafeBag

KIND = "std_msgs/msg/String"
STORE = get_typestore(Stores.ROS2_JAZZY)
TEXT = "x" * 1000


@pytest.fixture
def bag(tmp_path):
    made = CrashSafeBag(tmp_path / "bag")
    channel = made.add_connection("/talk", KIND, STORE)
    data = bytes(STORE.serialize_cdr(STORE.types[KIND](TEXT), KIND))

    def fill(times):
        for time in times:
            made.write(channel, time, data)
        made.flush()

    return made, fill


def times_in(place):
    with AnyReader([place]) as reader:
        return [time for _, time, _ in reader.messages()]


def test_after_each_flush_another_reader_finds_all_messages(bag, tmp_path):
    made, fill = bag
    for count in (1, 2, 700, 1300, 1301, 4000):  # some of them within a chunk of a megabyte, and some beyond
        there = times_in(tmp_path / "bag") if count > 1 else []
        fill(range(len(there), count))
        assert times_in(tmp_path / "bag") == list(range(count))
        assert times_in(tmp_path / "bag" / "bag.mcap") == list(range(count))
    made.close()
    with AnyReader([tmp_path / "bag"]) as reader:
        assert (reader.message_count, reader.start_time, reader.end_time) == (4000, 0, 4000)
        assert [time for _, time, _ in reader.messages(start=3990)] == list(range(3990, 4000))


@pytest.fixture
def full(tmp_path, monkeypatch):
    """A function that leaves the disk room for so many more bytes of the recording."""

    def leave(room):
        end = (tmp_path / "bag" / "bag.mcap").stat().st_size + room
        put = os.pwrite

        def put_where_there_is_room(fd, data, at):
            if at >= end:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return put(fd, data[: end - at], at)

        monkeypatch.setattr(os, "pwrite", put_where_there_is_room)

    return leave


@pytest.mark.parametrize("room", [0, 1, 30, 1000, 20_000, 1_500_000])
def test_earlier_messages_stay_readable_on_a_full_disk(bag, tmp_path, full, room):
    _, fill = bag
    fill(range(100))
    full(room)
    with pytest.raises(OSError, match="No space left on device"):
        fill(range(100, 3000))
    assert times_in(tmp_path / "bag") == list(range(100))


def test_without_room_for_the_index_the_messages_stay_readable(bag, tmp_path, full):
    made, fill = bag
    fill(range(100))
    full(0)
    with pytest.raises(OSError, match="No space left on device"):
        made.close()
    assert times_in(tmp_path / "bag") == list(range(100))

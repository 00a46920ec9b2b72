"""Recordings that run again: bit by bit, with the place where they part, and as a picture."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image, ImageSequence
from rclpy.serialization import deserialize_message, serialize_message
from rosbags.typesys import Stores, get_typestore
from stack_helpers import engine_parameters, set_timeouts
from std_msgs.msg import String

from crawler_bringup.recorder.crash_safe_bag import CrashSafeBag
from crawler_cli.commands import film
from crawler_cli.recordings.recorded_run import find_differences, find_interventions
from crawler_studies.recordings.recording_comparison import compare_recordings
from crawler_studies.recordings.recording_reader import open_recording, read_run_metadata

WAIT = ("--set", "backend.lockstep_timeout=60", "--set", "controller.reference_timeout=60")


STORE = get_typestore(Stores.ROS2_JAZZY)


def done(words, place):
    with set_timeouts():
        return subprocess.run(words, capture_output=True, text=True, timeout=300, cwd=place, check=False)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return a directory with a recording of the equations in `crawl`, and its rerun in `again`."""
    return tmp_path_factory.mktemp("runs")


def record(crawler, place, robot, backend, seconds, *more):
    words = ["run", "--robot", robot, "--backend", backend, "--lockstep", "--duration", str(seconds), *WAIT, *more]
    made = done([*crawler, *words, "--record", "--no-picture", "--out", f"{robot}-{backend}", "--json"], place)
    assert made.returncode == 0, made.stderr
    return place / f"{robot}-{backend}"


@pytest.fixture(scope="module")
def crawl(place):
    return record([sys.executable, "-m", "crawler_cli"], place, "three_link", "model", 1.5, "--set", "gait.omega=8")


def rewritten(crawl, to, change=lambda topic, data: data, keep=lambda topic, when: True):
    """A recording as `crawl`, with other messages."""
    bag = CrashSafeBag(to)
    store = get_typestore(Stores.ROS2_JAZZY)
    with open_recording(crawl) as reader:
        store.register({k: v for k, v in reader.typestore.fielddefs.items() if k.startswith("crawler")})
        there = {c.topic: bag.add_connection(c.topic, c.msgtype, store) for c in reader.connections}
        for connection, when, data in reader.messages():
            if keep(connection.topic, when):
                bag.write(there[connection.topic], when, change(connection.topic, data))
    bag.flush()
    bag.close()
    return to


def with_about(crawl, to, change):
    """Rewrite a recording with other metadata."""

    def changed(topic, data):
        if topic != "/run_description":
            return data
        about = yaml.safe_load(deserialize_message(data, String).data)
        change(about)
        return serialize_message(String(data=yaml.safe_dump(about)))

    return rewritten(crawl, to, changed)


def test_a_run_of_the_equations_is_repeated_to_the_bit_up_to_where_its_recording_was_cut(crawler, crawl, tmp_path):
    whole = (crawl / "recording" / "recording.mcap").read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(whole[: len(whole) // 2])
    again = done([*crawler, "rerun", str(cut), "--out", "again", "--json"], tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr
    output = json.loads(again.stdout)
    assert output["equal"] is True
    assert output["parting"] is None
    assert 0.1 < output["duration_s"] < 1.5
    counts = output["messages"]
    assert counts["joint_states"]["equal"] == round(200 * output["duration_s"]) + 1
    assert min(count["equal"] for count in counts.values()) > 0
    assert output["differs"] == []  # the same settings and versions made it
    assert (tmp_path / "again" / "recording" / "recording.mcap").is_file()


@pytest.mark.exhaustive  # runs of the equations are repeated in every run, and two runs in physics are compared
@pytest.mark.parametrize("backend", engine_parameters())
@pytest.mark.parametrize("robot", ["three_link", pytest.param("snake", marks=pytest.mark.exhaustive)])
def test_a_run_in_physics_is_repeated_to_the_bit(crawler, tmp_path, robot, backend):
    where = record(crawler, tmp_path, robot, backend, 0.6)
    again = done([*crawler, "rerun", where.name, "--out", "again"], tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "equal to the bit" in again.stdout
    assert "differs" not in again.stdout


def test_the_first_different_message_is_named_to_the_last_digit(crawl, tmp_path):
    changed = []

    def nudge(topic, data):
        if topic != "/joint_commands":
            return data
        message: Any = STORE.deserialize_cdr(data, "sensor_msgs/msg/JointState")
        if message.header.stamp.nanosec < 500_000_000:
            return data
        changed.append(float(message.position[1]))
        nudged = replace(message, position=message.position + np.array([0.0, 1e-15]))
        return bytes(STORE.serialize_cdr(nudged, "sensor_msgs/msg/JointState"))

    other = rewritten(crawl, tmp_path / "other", nudge)
    with open_recording(crawl) as before, open_recording(other) as now:
        found = compare_recordings(before, now)
        same = compare_recordings(before, before)
    assert same.same
    assert not found.same
    assert found.different["joint_commands"] == len(changed) > 100
    assert sum(found.different.values()) == len(changed)
    assert found.parting.topic == "joint_commands"
    assert found.parting.stamp == 500_000_000
    assert found.parting.words == (f"position of joint_2 was {changed[0]!r}, and is {changed[0] + 1e-15!r} now")


def test_the_arrival_of_a_reference_is_no_difference(crawl, tmp_path):
    kind = "crawler_interfaces/msg/ControllerState"
    with open_recording(crawl) as reader:
        store = reader.typestore

    def earlier(topic, data):
        if topic != "/controller_state":
            return data
        message: Any = store.deserialize_cdr(data, kind)
        return bytes(store.serialize_cdr(replace(message, horizon_remaining=message.horizon_remaining + 0.01), kind))

    other = rewritten(crawl, tmp_path / "other", earlier)
    with open_recording(crawl) as before, open_recording(other) as now:
        found = compare_recordings(before, now)
    assert found.same
    assert found.equal["controller_state"] in (75, 76)  # the last state needs no answer


def far_ahead(topic, data):
    """The state of 1 s, stamped as one of a million seconds later."""
    is_it = topic == "/joint_states" and data[4:12] == (1).to_bytes(4, "little") + bytes(4)
    return data[:4] + (1_000_001).to_bytes(4, "little") + data[8:] if is_it else data


@pytest.mark.parametrize(
    "changes", [{"keep": lambda topic, when: (topic, when) != ("/joint_states", 10**9)}, {"change": far_ahead}]
)
def test_a_missing_state_is_a_difference(crawl, tmp_path, changes):
    other = rewritten(crawl, tmp_path / "other", **changes)
    with open_recording(crawl) as before, open_recording(other) as now:
        found = compare_recordings(before, now)
    assert found.missing["joint_states"] == 1
    assert found.equal["joint_states"] == 300
    assert found.parting is None
    assert not found.same


def test_a_recording_of_another_version_names_the_difference(crawl, tmp_path):
    def older(about):
        about["versions"]["numpy"] = "1.0"
        about["parameters"]["gait"]["omega"] = 7.5
        about["robot_file"]["safety"]["command_timeout"] = 0.2
        del about["versions"]["machine"]

    other = with_about(crawl, tmp_path / "other", older)
    with open_recording(crawl) as now, open_recording(other) as before:
        differs = find_differences(read_run_metadata(before), read_run_metadata(now))
        assert find_interventions(before) == []
        assert find_differences(read_run_metadata(now), read_run_metadata(now)) == []
        numpy, machine = (read_run_metadata(now)["versions"][name] for name in ("numpy", "machine"))
    assert differs == [
        f"machine: not there then, {machine} now",
        f"numpy: 1.0 then, {numpy} now",
        "parameters.gait.omega: 7.5 then, 8.0 now",
        "robot_file.safety.command_timeout: 0.2 then, 0.1 now",
    ]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda about: about["backend"].update(lockstep=False), "was not made in lockstep"),
        (lambda about: about.update(backend_name="mock"), "is of the backend mock: only simulations"),
        (lambda about: about.pop("given"), "does not say how it was made"),
        (lambda about: about["gait"].update(omgea=3.0), "it was recorded by crawler 0.1.0"),
    ],
)
def test_a_run_that_cannot_be_repeated_is_one_sentence(call, crawl, tmp_path, change, sentence):
    other = with_about(crawl, tmp_path / "other", change)
    code, out, err = call("rerun", str(other))
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("command", ["rerun", "plot", "film"])
def test_a_file_that_is_not_a_recording_is_one_sentence(call, tmp_path, command):
    (tmp_path / "foreign.mcap").write_text("hello")
    (tmp_path / "short.mcap").write_bytes(b"\x89MCAP0\r\n\x01")
    for words in (["foreign.mcap"], ["short.mcap"], ["nowhere.mcap"], ["."]):
        code, out, err = call(command, *words)
        assert (code, out) == (2, "")
        assert words[0] in err
        assert len(err.strip().splitlines()) == 1


def test_the_picture_of_a_run_is_drawn_from_its_recording_up_to_the_cut(call, crawl, tmp_path):
    whole = (crawl / "recording" / "recording.mcap").read_bytes()
    (tmp_path / "cut.mcap").write_bytes(whole[: len(whole) // 2])
    code, out, err = call("plot", "cut.mcap", "--json")
    assert (code, err) == (0, "")
    output = json.loads(out)
    assert output["picture"] == "cut.png"
    assert (tmp_path / "cut.png").read_bytes().startswith(b"\x89PNG")
    assert output["robot"] == "three_link"
    assert 0.1 < output["duration_s"] < 1.5
    code, out, _ = call("plot", str(crawl), "--out", "crawl.svg", "--json")
    assert code == 0
    assert b"<svg" in (tmp_path / "crawl.svg").read_bytes()
    run = json.loads((crawl / "summary.json").read_text())
    assert json.loads(out)["duration_s"] == pytest.approx(run["duration_s"])
    assert json.loads(out)["distance_m"] == pytest.approx(run["distance_m"], abs=1e-9)


def test_a_film_shows_a_recording_up_to_the_cut_and_is_the_same_to_the_byte_again(call, crawl, tmp_path):
    whole = (crawl / "recording" / "recording.mcap").read_bytes()
    (tmp_path / "cut.mcap").write_bytes(whole[: len(whole) // 2])
    size = ("--width", "200", "--fps", "10", "--json")
    code, out, err = call("film", "cut.mcap", "--speed", "0.5", *size)
    assert (code, err) == (0, "")
    output = json.loads(out)
    keys = re.sub(r"\([^)]*\)", "", film.HELP_TEXT.partition("keys of --json:")[2])
    assert set(output) == set(keys.replace(",", " ").split())
    assert (output["film"], output["robot"], output["speed"]) == ("cut.gif", "three_link", 0.5)
    assert 0.1 < output["end_s"] < 1.5  # there is half of it
    with Image.open("cut.gif") as made:
        assert made.size == (200, output["height"])
        assert sum(1 for _ in ImageSequence.Iterator(made)) == output["frames"] == round(output["end_s"] / 0.05) + 1
    first = (tmp_path / "cut.gif").read_bytes()
    assert call("film", "cut.mcap", "--speed", "0.5", *size, "--out", "again.gif")[0] == 0
    assert (tmp_path / "again.gif").read_bytes() == first
    assert sorted(file.name for file in tmp_path.iterdir()) == ["again.gif", "cut.gif", "cut.mcap"]


def test_a_film_of_another_makers_recording_needs_its_robots_description_and_no_more(call, crawl, tmp_path):
    def without(*topics):
        to = tmp_path / topics[0]
        rewritten(crawl, to, keep=lambda topic, _: topic.rpartition("/")[2] not in topics)
        return call("film", topics[0], "--to", "0.2", "--width", "200", "--out", "film.gif", "--json")

    code, out, err = without("run_description", "contact_states", "odom")
    assert (code, err) == (0, "")
    assert (json.loads(out)["robot"], json.loads(out)["frames"]) == ("three_link", 6)
    for topic in ("robot_description", "joint_states"):
        code, out, err = without(topic)
        assert (code, out) == (2, "")
        assert f"no {topic}" in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--from", "20"], "has no two frames of a film"),
        (["--gait", "harmonic"], "--gait is about a run that is made here"),
        (["--robot", "snake"], "the gait 'harmonic'"),
        (["--out", "film.avi"], "no suffix of a film"),
    ],
)
def test_a_film_that_cannot_be_made_is_one_sentence(call, crawl, words, sentence):
    code, out, err = call("film", str(crawl), *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.strip().splitlines()) == 1


def test_a_picture_that_cannot_be_written_is_one_sentence(call, crawl, tmp_path):
    for file in ("/proc/picture.png", "picture.nothing"):
        code, _, err = call("plot", str(crawl), "--out", file)
        assert code == 2
        assert f"{file} cannot be written" in err
        assert len(err.strip().splitlines()) == 1

"""The layouts for Foxglove and PlotJuggler: what they show is what the stack records."""

import json
import re
from xml.etree import ElementTree

import pytest

from crawler_core.registry import import_object
from crawler_core.robot.robot_file import load_robot, robot_names, robots_directory
from crawler_nodes.topics import CONTACT_MARKERS, RECORDED

TOPICS = {f"/{topic.name.strip('/')}": topic.type for topic in RECORDED}
STEP = re.compile(r"(\w+)(?:\[(\d*):?\])?(?:\{(\w+)==\"(\w+)\"\})?")


def split_topic(text, separator):
    """Return the recorded topic with which a path begins, and the rest of the path."""
    topic = max((name for name in TOPICS if text.startswith(name + separator)), key=len)
    return topic, text[len(topic) + 1 :]


def check_fields(message, path, separator):
    """Raise KeyError where a message has no such field; return the index and the filter in the path."""
    index, wanted = None, None
    for part in path.split(separator):
        name, at, key, value = STEP.fullmatch(part).groups()
        kind = message.get_fields_and_field_types()[name]
        assert ("sequence" in kind) == ("[" in part), part
        index = int(at) if at else index
        kind = kind.removeprefix("sequence<").removesuffix(">")
        message = import_object(kind.replace("/", ".msg:"), what="a field") if "/" in kind else None
        if key:
            wanted = (key, value)
            assert key in message.get_fields_and_field_types()
    assert message is None, f"{path} is no number or text"
    return index, wanted


@pytest.mark.parametrize("name", robot_names())
def test_foxglove_shows_recorded_fields_of_this_robot(name):
    spec = load_robot(name)
    layout = json.loads((robots_directory() / name / f"{name}.foxglove.json").read_text())
    shown = []
    for panel in layout["configById"].values():
        assert set(panel.get("topics", ())) <= {*TOPICS, f"/{CONTACT_MARKERS.name}"}
        for path in panel.get("paths", ()):
            topic, fields = split_topic(path["value"], ".")
            index, wanted = check_fields(TOPICS[topic], fields, ".")
            if topic == "/joint_states":
                assert spec.joints[index].name == path["label"]
            if wanted:
                assert wanted == ("foot", path["label"])
            shown.append((topic, path["label"]))
    assert {label for topic, label in shown if topic == "/joint_states"} == set(spec.actuated_names)
    assert {label for topic, label in shown if topic == "/contact_states"} == {foot.name for foot in spec.feet}
    assert set(re.findall(r'"(\w+!\w+)"', json.dumps(layout["layout"]))) == set(layout["configById"])


@pytest.mark.parametrize("name", robot_names())
def test_plotjuggler_shows_recorded_fields_of_this_robot(name):
    spec = load_robot(name)
    root = ElementTree.parse(robots_directory() / name / f"{name}.plotjuggler.xml")
    curves = [split_topic(curve.get("name"), "/") for curve in root.iter("curve")]
    joints = [fields.split("/") for topic, fields in curves if topic == "/joint_states"]
    assert joints == [[joint, "position"] for joint in spec.actuated_names]
    feet = set()
    for topic, fields in curves:
        if topic != "/joint_states":  # PlotJuggler names its series by the joints
            index, _ = check_fields(TOPICS[topic], fields, "/")
            feet |= {index} if topic == "/contact_states" else set()
    assert feet == set(range(len(spec.feet)))

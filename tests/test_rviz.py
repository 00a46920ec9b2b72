"""Every robot's RViz configuration has valid properties, and the topics and frames of a stack."""

from collections.abc import Mapping

import pytest
import rviz_schema as rviz
import yaml

from crawler_core.robot.robot_file import load_robot, robot_names
from crawler_nodes.run_log.log import RunLog
from crawler_nodes.topics import ODOM_FRAME
from crawler_view.markers.contact_markers import FEET, FORCES, TRAIL
from crawler_view.scene.live_state import LiveState


def unknown(given, known, place):
    """The names and values of a configuration that RViz does not declare, each with its place."""
    if isinstance(known, Mapping):
        if known is rviz.ANY:
            return
        if not isinstance(given, Mapping):
            yield f"{place}: {given!r} has no properties"
            return
        for name, value in given.items():
            if name in known:
                yield from unknown(value, known[name], f"{place} / {name}")
            else:
                yield f"{place}: there is no property '{name}'"
    elif isinstance(known, tuple) and isinstance(known[0], str):
        if given not in known:
            yield f"{place}: {given!r} is none of {', '.join(known)}"
    elif not isinstance(given, known) or (isinstance(given, bool) and known is not bool):
        yield f"{place}: {given!r} is of another type"


def wrong(config):
    """Everything in a whole configuration that RViz does not declare."""
    manager = config["Visualization Manager"]
    yield from (f"Visualization Manager: there is no '{name}'" for name in manager.keys() - rviz.MANAGER)
    yield from unknown(manager["Global Options"], rviz.GLOBAL_OPTIONS, "Global Options")
    if manager["Transformation"]["Current"]["Class"] not in rviz.TRANSFORMATIONS:
        yield "Transformation: there is no such class"
    base = {"Class": str, "Name": str}
    view = {**base, "Value": str}
    for kind, ones, known, shared in (
        ("display", manager["Displays"], rviz.DISPLAYS, rviz.DISPLAY),
        ("panel", config["Panels"], rviz.PANELS, base),
        ("tool", manager["Tools"], rviz.TOOLS, base),
        ("view", [manager["Views"]["Current"]], rviz.VIEWS, view),
    ):
        for one in ones:
            if one["Class"] in known:
                yield from unknown(one, {**known[one["Class"]], **shared}, f"{kind} {one['Class']}")
            else:
                yield f"there is no {kind} {one['Class']}"


def view_of(robot):
    spec = load_robot(robot)
    return spec, yaml.safe_load((spec.directory / f"{robot}.rviz").read_text())


@pytest.mark.parametrize("robot", robot_names())
def test_every_class_property_and_choice_of_a_robots_view_is_valid(robot):
    assert list(wrong(view_of(robot)[1])) == []


@pytest.mark.parametrize("robot", robot_names())
def test_a_robots_view_follows_its_base_and_shows_the_topics_of_its_stack(robot):
    spec, config = view_of(robot)
    manager = config["Visualization Manager"]
    assert manager["Global Options"]["Fixed Frame"] == ODOM_FRAME
    assert manager["Views"]["Current"]["Target Frame"] == spec.base_link
    shown = {display["Class"]: display for display in manager["Displays"]}
    assert set(shown) == set(rviz.DISPLAYS)
    topics = {topic.name: topic for topic, _ in [*LiveState().topics(), *RunLog().topics()]}
    for (display, key), kind in rviz.TAKES.items():
        topic = shown[display][key]
        if topic["Value"] in topics:  # contact_markers are a test of crawler_view
            entry = topics[topic["Value"]]
            assert kind == f"{entry.type.__module__.split('.')[0]}/msg/{entry.type.__name__}"
            assert (topic["Durability Policy"] == "Transient Local") == entry.latched
        assert topic["Reliability Policy"] == "Reliable"
    assert shown["rviz_default_plugins/RobotModel"]["Description Topic"]["Value"] == "robot_description"
    assert shown["rviz_default_plugins/Odometry"]["Topic"]["Value"] == "odom"
    markers = shown["rviz_default_plugins/MarkerArray"]
    assert markers["Topic"]["Value"] == "contact_markers"
    assert set(markers["Namespaces"]) == {FEET, FORCES, TRAIL}


def test_invalid_properties_are_found():
    _, config = view_of("three_link")
    grid, *others = config["Visualization Manager"]["Displays"]
    grid["Cellsize"] = grid.pop("Cell Size")
    grid["Plane"] = "XYZ"
    grid["Offset"]["W"] = 0
    others[0]["Class"] = "rviz/RobotModel"
    others[1]["Marker Scale"] = "large"
    others[2]["Topic"]["Reliability Policy"] = "reliable"
    assert len(list(wrong(config))) == 6

"""The arguments of the launch files, without a launch system."""

import pytest

from crawler_bringup.launch.launch_argument import (
    robot_view_arguments,
    robot_view_options,
    stack_arguments,
    stack_options,
)
from crawler_bringup.stack.robot_view import robot_view_nodes
from crawler_bringup.stack.stack import make_stack
from crawler_core.errors import UserError


def launched(*typed, arguments=stack_arguments):
    """Return a getter of the arguments; `typed` are the user's, such as robot:=snake."""
    in_force = {word.name: word.default for word in arguments()}
    given = dict(pair.split(":=", 1) for pair in typed)
    assert set(given) <= set(in_force)
    in_force.update(given)
    return in_force.__getitem__


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["backend:=pybulet"], "did you mean 'pybullet'"),
        (["gait:=hramonic"], "did you mean 'harmonic'"),
        (["set:=gait.omeg=8"], r"did you mean 'gait\.omega'"),
        (["lockstep:=true", "set:=backend.lockstep=false"], "lockstep:=true contradicts"),
        (["backend:=model", "gui:=true"], "gui:=true is about PyBullet's window: the backend model has none"),
        (["backend:=mock", "lockstep:=true"], "needs a simulation"),
        (["backend:=model", "emulate:=true"], "emulate is about motors"),
        (["view_port:=http"], "view_port:=http is no port"),
        (["params_file:=nowhere.yaml"], "nowhere.yaml"),
        (["robot:=tree_link"], "did you mean 'three_link'"),
    ],
)
def test_bad_arguments_are_one_sentence(words, sentence):
    with pytest.raises(UserError, match=sentence) as refusal:
        make_stack(stack_options(launched(*words), ""))
    assert "\n" not in str(refusal.value)


def test_the_robot_view_follows_its_arguments():
    get = launched("robot:=snake", "set:=robot.links=9", "namespace:=b", "rviz:=false", arguments=robot_view_arguments)
    nodes = robot_view_nodes(robot_view_options(get))
    assert [node.executable for node in nodes] == ["description_node", "joint_state_publisher_gui"]
    assert {node.namespace for node in nodes} == {"b"}
    assert len(nodes[1].parameters) == 8  # a slider for each joint

"""joint_commands as the backend reads them."""

import math
from pathlib import Path

import numpy as np
import pytest
from sensor_msgs.msg import JointState

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_nodes.messages.command_reader import CommandReader
from crawler_nodes.messages.joint_message import JointMessage

GYMNAST = Path(__file__).parents[2] / "crawler_core/test/robots/gymnast/robot.yaml"


@pytest.fixture
def reader() -> CommandReader:
    """Of a robot with a crank that is driven by position and a flywheel that is driven by effort."""
    return CommandReader(load_robot(str(GYMNAST)))


def test_an_effort_driven_joint_needs_no_position(reader: CommandReader) -> None:
    nan = math.nan
    message = JointState(name=["flywheel", "crank"], position=[nan, 1.5], velocity=[nan, 2.0], effort=[0.01, nan])
    command = reader.read(JointMessage.of(message)).setpoints
    np.testing.assert_array_equal(command.position, [1.5, np.nan])
    np.testing.assert_array_equal(command.velocity, [2.0, np.nan])
    np.testing.assert_array_equal(command.effort, [np.nan, 0.01])


def test_without_efforts_none_is_commanded(reader: CommandReader) -> None:
    command = reader.read(JointMessage.of(JointState(name=["crank", "flywheel"], position=[1.5, math.nan]))).setpoints
    assert np.isnan(command.velocity).all()
    assert np.isnan(command.effort).all()


def test_an_effort_for_some_joints_only_is_refused(reader: CommandReader) -> None:
    with pytest.raises(UserError, match="1 values of effort for 2 joints"):
        reader.read(JointMessage.of(JointState(name=["crank", "flywheel"], position=[1.5, math.nan], effort=[0.01])))

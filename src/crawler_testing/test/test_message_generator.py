"""Generated messages fit their types."""

import random

import pytest
from rcl_interfaces.srv import DescribeParameters, SetParameters
from rclpy.serialization import deserialize_message, serialize_message
from std_srvs.srv import SetBool

from crawler_testing.fuzz.in_process_stack import MESSAGE_TYPES
from crawler_testing.fuzz.message_generator import MessageGenerator

FORGED = ("joint_commands", "gait_reference", "contact_states", "odom", "cmd_vel", "motion_state", "/clock")
REQUESTS = [kind.Request for kind in (SetBool, SetParameters, DescribeParameters)]


def generator(seed=0):
    return MessageGenerator(random.Random(seed), ["joint_1", "joint_2"])


@pytest.mark.parametrize(
    "kind", [*dict.fromkeys(MESSAGE_TYPES[name] for name in FORGED), *REQUESTS], ids=lambda kind: kind.__name__
)
def test_any_message_can_be_serialised(kind):
    source = generator()
    texts = set()
    for _ in range(60):
        data = serialize_message(source.message(kind))
        message = deserialize_message(data, kind)
        before = repr(message)
        undo = source.corrupt(message)
        texts.add(bytes(serialize_message(message)))
        undo()
        assert repr(message) == before
    assert len(texts) > 1


def test_a_seed_makes_the_same_messages():
    kind = MESSAGE_TYPES["gait_reference"]
    sent = [[repr(source.message(kind)) for _ in range(20)] for source in (generator(), generator())]
    assert sent[0] == sent[1]
    assert len(set(sent[0])) > 10


def test_special_numbers_and_names_are_among_the_values():
    source = generator()
    kind = MESSAGE_TYPES["joint_states"]
    numbers = [x for _ in range(200) for x in source.message(kind).position]
    assert any(x != x for x in numbers)
    assert {float("inf"), float("-inf"), 1e300} <= {x for x in numbers if x == x}
    assert {"joint_1", ""} <= {name for _ in range(200) for name in source.message(kind).name}

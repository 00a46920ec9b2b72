"""Readings that wait for their state in the controller node."""

from collections.abc import Sequence

from crawler_core.types import SwitchReading
from crawler_nodes.messages.sensor_readings import ReadingsMessage
from hybrid_controller.laws.law import Law
from hybrid_controller.node.feedback_inputs import FeedbackInputs

MS = 1_000_000


class SwitchLaw(Law):
    reads_sensors: Sequence[str] = ("contact_switch",)

    def compute(self, measured, commanded, now, ahead):
        raise NotImplementedError


def message(stamp, sender="backend"):
    return ReadingsMessage(sender, stamp, (SwitchReading("toe", stamp, True),))


def inputs(lockstep=True):
    made = FeedbackInputs(SwitchLaw(), lockstep)
    made.restart("backend", 0)
    return made


def times(readings):
    return [reading.time_ns for reading in readings]


def test_a_state_is_complete_with_its_readings_and_gets_all_up_to_its_time():
    made = inputs()
    made.add_readings(message(5 * MS))
    assert made.are_complete(5 * MS)
    assert not made.are_complete(10 * MS)
    made.add_readings(message(10 * MS))
    made.add_readings(message(15 * MS))
    assert times(made.take_readings(10 * MS)) == [5 * MS, 10 * MS]
    assert times(made.take_readings(10 * MS)) == []
    assert times(made.take_readings(15 * MS)) == [15 * MS]


def test_readings_that_come_again_with_their_state_count_once():
    made = inputs()
    made.add_readings(message(5 * MS))
    made.take_readings(5 * MS)
    made.add_readings(message(5 * MS))
    assert made.take_readings(10 * MS) == []


def test_readings_of_another_backend_or_from_the_future_are_not_taken_and_hide_no_others():
    made = inputs()
    made.add_readings(message(10**18))
    made.add_readings(message(5 * MS, "third"))
    made.add_readings(message(5 * MS))
    assert times(made.take_readings(5 * MS)) == [5 * MS]
    assert not made.are_complete(10 * MS)


def test_a_restart_keeps_the_readings_of_its_first_state():
    made = inputs()
    made.add_readings(message(500 * MS))
    made.add_readings(message(0, "other"))  # which is published before the state that shows the restart
    made.restart("other", 0)
    assert made.are_complete(0)
    assert times(made.take_readings(0)) == [0]


def test_a_law_without_sensors_waits_for_none():
    class Plain(SwitchLaw):
        reads_sensors = ()

    assert FeedbackInputs(Plain(), lockstep=True).are_complete(0)

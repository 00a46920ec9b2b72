"""Touch-down and lift-off, as they are found from contacts."""

import math

from crawler_core.types import Contact, ContactMode, ContactSource
from hybrid_controller.estimation.foot_events import LIFT_OFF, TOUCH_DOWN, FootEvent, FootEvents

AIR, GROUND, UNKNOWN = ContactMode.OPEN, ContactMode.STICK, ContactMode.UNKNOWN


def contacts(*modes):
    nothing = (math.nan,) * 3
    return [Contact(f"foot_{i}", mode, ContactSource.SIMULATED, nothing, nothing) for i, mode in enumerate(modes, 1)]


def test_each_foot_has_its_own_events_once_and_slipping_is_being_on_the_ground():
    events = FootEvents()
    assert events.update(contacts(AIR, GROUND)) == ()  # as they were found
    assert events.update(contacts(ContactMode.SLIP_POS, GROUND)) == (FootEvent("foot_1", TOUCH_DOWN),)
    assert events.update(contacts(GROUND, GROUND)) == ()
    assert events.update(contacts(AIR, AIR)) == (FootEvent("foot_1", LIFT_OFF), FootEvent("foot_2", LIFT_OFF))


def test_what_is_unknown_is_no_event_and_a_change_behind_it_is_seen_when_it_shows():
    events = FootEvents()
    events.update(contacts(AIR, GROUND))
    for nothing in (contacts(UNKNOWN, UNKNOWN), []):
        assert events.update(nothing) == ()
    assert events.update(contacts(GROUND, GROUND)) == (FootEvent("foot_1", TOUCH_DOWN),)

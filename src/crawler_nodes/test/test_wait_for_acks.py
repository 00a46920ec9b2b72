"""Who leaves waits for readers that are behind, and not for ever."""

import math
from types import SimpleNamespace

import pytest
from rclpy.impl.implementation_singleton import rclpy_implementation

from crawler_nodes.node_main import wait_for_acks


class Outlet:
    """A publisher whose readers have everything after so many looks."""

    def __init__(self, looks: float) -> None:
        self.looks = looks
        self.looked = 0

    def wait_for_all_acked(self, _timeout: object) -> bool:
        self.looked += 1
        return self.looked >= self.looks


class Deaf(Outlet):
    """One of a middleware that cannot tell."""

    def wait_for_all_acked(self, _timeout: object) -> bool:
        self.looked += 1
        raise rclpy_implementation.RCLError("unsupported")


def leave(*outlets: Outlet, until: float = math.inf) -> list[int]:
    """How often each was looked at."""
    wait_for_acks(SimpleNamespace(publishers=outlets), until)  # type: ignore[arg-type]  # it needs no more of a node
    return [outlet.looked for outlet in outlets]


def test_each_is_looked_at_until_its_readers_have_everything():
    assert leave(Outlet(1), Outlet(5), Outlet(3)) == [1, 5, 3]


def test_a_reader_that_never_hears_holds_nobody_up():
    assert leave(Outlet(math.inf), until=-math.inf) == [0]


def test_a_middleware_that_cannot_tell_is_not_asked_again():
    assert leave(Deaf(1), Outlet(2)) == [1, 2]


@pytest.mark.parametrize("count", [0, 1])
def test_who_has_nothing_to_say_leaves_at_once(count):
    assert leave(*[Outlet(1)] * count) == [1] * count

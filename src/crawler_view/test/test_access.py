"""Requests that are answered, and pages that may command the robot."""

import pytest

from crawler_view.server.access import Access, is_loopback

HERE = Access.for_host("127.0.0.1", "")
OPEN = Access.for_host("0.0.0.0", "secret")


@pytest.mark.parametrize(
    ("access", "host", "origin", "token"),
    [
        (HERE, "127.0.0.1:8600", "http://127.0.0.1:8600", ""),
        (HERE, "localhost:9000", "http://localhost:9000", ""),  # through a tunnel that ends at another port
        (HERE, "[::1]:8600", "http://[::1]:8600", ""),
        (HERE, "127.0.0.1:8600", None, ""),  # no browser
        (OPEN, "robot.local:8600", "http://robot.local:8600", "secret"),
    ],
)
def test_the_page_itself_has_access(access, host, origin, token):
    assert access.rejection(host, origin, token) == ""


@pytest.mark.parametrize(
    ("access", "host", "origin", "token", "why"),
    [
        (HERE, "127.0.0.1:8600", "http://elsewhere.example", "", "elsewhere.example"),
        (HERE, "127.0.0.1:8600", "http://127.0.0.1:8080", "", "8080"),  # another program's page on this machine
        (HERE, "127.0.0.1:8600", "null", "", "null"),  # a file, or a frame in a sandbox
        (HERE, "elsewhere.example:8600", "http://elsewhere.example:8600", "", "elsewhere.example"),  # a name bent to us
        (HERE, "", None, "", "for this machine alone"),
        (OPEN, "robot.local:8600", "http://robot.local:8600", "", "token"),
        (OPEN, "robot.local:8600", "http://robot.local:8600", "secre", "token"),
        (OPEN, "robot.local:8600", "http://elsewhere.example", "secret", "elsewhere.example"),
        (Access.for_host("127.0.0.1", "mine"), "127.0.0.1:8600", None, "", "token"),
    ],
)
def test_all_others_are_rejected(access, host, origin, token, why):
    assert why in access.rejection(host, origin, token)


def test_beyond_loopback_there_is_always_a_token_and_the_address_has_it():
    first, second = Access.for_host("0.0.0.0", ""), Access.for_host("192.168.1.2", "")
    assert len(first.token) >= 16
    assert first.token != second.token
    assert second.url(8600) == f"http://192.168.1.2:8600/?token={second.token}"
    assert HERE.url(8600) == "http://127.0.0.1:8600/"


@pytest.mark.parametrize(
    ("host", "so"), [("127.0.0.2", True), ("::1", True), ("localhost", True), ("10.0.0.1", False), ("", False)]
)
def test_loopback_addresses_are_recognised(host, so):
    assert is_loopback(host) is so

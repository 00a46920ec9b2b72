"""A ROS domain of a test: no other test, and no robot on the desk, is in it."""

from __future__ import annotations

import os
import socket
from functools import cache

PORT_BASE = 32768  # a domain is reserved by binding this port plus its number, as ROS 2's domain_coordinator does
MAX_TEST_DOMAINS = 100  # with more, the ports of DDS overlap Linux's ephemeral ports

_reserved: list[socket.socket] = []


@cache
def free_domain_id() -> int:
    """Return a ROS_DOMAIN_ID that no other process of this machine gets here before this one ends.

    Raises RuntimeError when all are in use.
    """
    for attempt in range(MAX_TEST_DOMAINS):
        domain = (os.getpid() + attempt) % MAX_TEST_DOMAINS + 1
        port = socket.socket()
        try:
            port.bind(("", PORT_BASE + domain))
        except OSError:
            port.close()
            continue
        _reserved.append(port)
        return domain
    raise RuntimeError(f"all {MAX_TEST_DOMAINS} ROS domains of this machine are used by other tests: end some.")

"""A ROS domain in which a test meets nobody: not the tests that run beside it, and not the robot on the desk."""

from __future__ import annotations

import os
import socket
from functools import cache

PORT_BASE = 32768  # a domain is taken by binding this port plus its number, as ROS 2's domain_coordinator does
DOMAINS = 100  # with more, the ports of DDS meet those that Linux hands out to everybody

_taken: list[socket.socket] = []


@cache
def free_domain_id() -> int:
    """A ROS_DOMAIN_ID that no other process of this machine gets here before this one ends.

    Raises RuntimeError when all are taken.
    """
    for attempt in range(DOMAINS):
        domain = (os.getpid() + attempt) % DOMAINS + 1
        port = socket.socket()
        try:
            port.bind(("", PORT_BASE + domain))
        except OSError:
            port.close()
            continue
        _taken.append(port)
        return domain
    raise RuntimeError(f"all {DOMAINS} ROS domains are taken by other tests on this machine")

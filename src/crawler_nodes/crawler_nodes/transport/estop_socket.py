"""Emergency stop of the stacks on this machine by a local socket, without DDS: discovery alone takes seconds.

Each backend node listens at an abstract Unix socket, which ends with its process and leaves no file. Only processes of
the same user, or of root, are obeyed. This module imports little, so that a client starts at once.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import count

ESTOP = "backend/estop"  # the service; a namespace with it has a stack
PREFIX = "crawler-estop"
REQUEST = b"estop"
MAX_MESSAGE_BYTES = 65536
REQUEST_TIMEOUT_S = 1.0
ANSWER_TIMEOUT_S = 2.0
SOCKET_TABLE = "/proc/net/unix"
IS_LISTENING = "00010000"  # in the column of flags
PEER_CREDENTIALS = struct.Struct("3i")  # process, user, group
ROOT = 0
_numbers = count()

# the answer of one stack: whether it has stopped, a sentence, and the namespaces of all stacks that it has discovered
# (no dataclass, whose import would double the time of the client)
EstopAnswer = namedtuple("EstopAnswer", ("namespace", "done", "text", "stacks"))


class EstopSocket:
    """Answers requests in a thread of its own, so also while the node's executor is busy."""

    def __init__(
        self,
        domain: int,
        namespace: str,
        estop: Callable[[], tuple[bool, str, list[str]]],
        report: Callable[[], None] = lambda: None,
    ) -> None:
        """`estop` stops the robot and returns the fields of an EstopAnswer after its namespace.

        `report` is called once the answer is sent, for all that may take longer.
        """
        self._estop, self._report = estop, report
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(f"\0{PREFIX}/{domain}/{namespace.strip('/')}/{os.getpid()}.{next(_numbers)}")
        self._listener.listen()
        threading.Thread(target=self._serve, name="estop", daemon=True).start()

    def close(self) -> None:
        """End the thread."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return  # closed
            with connection, suppress(OSError):
                connection.settimeout(REQUEST_TIMEOUT_S)
                if _peer_user(connection) in (os.getuid(), ROOT) and connection.recv(MAX_MESSAGE_BYTES) == REQUEST:
                    try:
                        done, text, stacks = self._estop()
                    except Exception as error:  # the thread must go on
                        done, text, stacks = False, f"the emergency stop failed: {error!r}", [""]
                    connection.send(f"{done:d}\n{','.join(stacks)}\n{text}".encode())
                    with suppress(Exception):  # the thread must go on
                        self._report()


def stack_namespaces(services: Iterable[tuple[str, object]]) -> list[str]:
    """Return the namespaces of the stacks whose services are among these; the root namespace is empty."""
    return sorted(name[: -len(ESTOP)].strip("/") for name, _ in services if name.endswith(f"/{ESTOP}"))


def stop_local_stacks(domain: int, namespace: str = "") -> list[EstopAnswer]:
    """Stop the stacks of this user on this machine, or only that of `namespace`; return their answers."""
    found = [(name, _request(address)) for name, address in _addresses(domain) if namespace in ("", name)]
    return [answer for name, connection in found if connection and (answer := _receive(name, connection))]


def _addresses(domain: int) -> Iterator[tuple[str, str]]:
    """Yield namespace and address of every listening socket of the domain."""
    start = f"@{PREFIX}/{domain}/"
    with suppress(OSError), open(SOCKET_TABLE, encoding="utf-8", errors="replace") as table:
        for line in table:
            columns = line.split()
            if columns[-1].startswith(start) and columns[3] == IS_LISTENING:  # connections have the name too
                yield columns[-1][len(start) :].rpartition("/")[0], f"\0{columns[-1][1:]}"


def _request(address: str) -> socket.socket | None:
    """Send the request; return None where no process may or can answer it."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.settimeout(ANSWER_TIMEOUT_S)
    with suppress(OSError):
        connection.connect(address)
        if os.getuid() == ROOT or _peer_user(connection) in (os.getuid(), ROOT):
            connection.send(REQUEST)
            return connection
    connection.close()
    return None


def _receive(namespace: str, connection: socket.socket) -> EstopAnswer | None:
    with connection, suppress(OSError, ValueError):
        done, stacks, text = connection.recv(MAX_MESSAGE_BYTES).decode().split("\n", 2)
        return EstopAnswer(namespace, done == "1", text, stacks.split(","))
    return None


def _peer_user(connection: socket.socket) -> int:
    """Return the user of the process at the other end."""
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER_CREDENTIALS.size)
    return int(PEER_CREDENTIALS.unpack(data)[1])

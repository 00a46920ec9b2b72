"""Asking a service until it answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

AGAIN = 1.0  # s without an answer


def enables_motion(name: str, request: Any) -> bool:
    """Whether a request lets the robot move, so that it must not be sent twice.

    The second could still be on its way when an emergency stop has come, and undo it. Who asks such a thing asks the
    same node something harmless first, `probe_service`, again and again: once that is answered, answers find their way.
    """
    return name.endswith("backend/reset") or (name.endswith("backend/enable") and request.data)


def probe_service(name: str) -> str:
    """The harmless service of the node that offers `name`: its parameters, of which none is asked for."""
    return f"{name.rpartition('/')[0]}/get_parameters"


class ServiceCall:
    """A request that is under way. While nobody answers it is sent again, where that can do no harm.

    The middleware drops an answer where the service has not found yet who asked, which takes a busy machine long.
    """

    def __init__(
        self, client: Any, request: Any, *, once: bool = False, clock: Callable[[], float] | None = None
    ) -> None:
        self._client, self._request = client, request
        self._once = once
        self._clock = clock or time.monotonic
        self._futures: list[Any] = []
        self._ask()

    def done(self) -> bool:
        """Whether there is an answer; to be asked while the client is spun."""
        if any(future.done() for future in self._futures):
            return True
        if not self._once and self._clock() > self._again:
            self._ask()
        return False

    def result(self) -> Any:
        """The first answer."""
        answer = next(future for future in self._futures if future.done())
        self._drop(answer)
        return answer.result()

    def give_up(self) -> None:
        """Wait for no answer any more."""
        self._drop(None)

    def _ask(self) -> None:
        self._futures.append(self._client.call_async(self._request))
        self._again = self._clock() + AGAIN

    def _drop(self, kept: Any) -> None:
        for future in self._futures:
            if future is not kept:
                self._client.remove_pending_request(future)

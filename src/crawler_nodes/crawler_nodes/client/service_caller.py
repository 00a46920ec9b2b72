"""Asking the services of a ring: what is sent when, and when that is given up. How to wait is left to whoever asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

from rcl_interfaces.srv import GetParameters, SetParametersAtomically
from rclpy.parameter import Parameter

from crawler_nodes.client.service_call import ServiceCall, enables_motion, probe_service

Steps = Generator[None, None, Any]


def set_request(values: Mapping[str, Any]) -> SetParametersAtomically.Request:
    """The request that sets parameters of a node, all or none."""
    parameters = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
    return SetParametersAtomically.Request(parameters=parameters)


class ServiceUnavailable(TimeoutError):
    """A service is not seen."""


class Question:
    """A request on its way through a loop: `for _ in question:` wait a little; then there is an `answer`.

    The loop raises ServiceUnavailable where the service is not seen in time, TimeoutError where it does not answer in time: words
    without a full stop. Requests are sent by its turns alone, so nothing is sent once it is left.
    """

    def __init__(self, steps: Steps) -> None:
        self.answer: Any = None
        self._steps = steps

    def __iter__(self) -> Iterator[None]:
        self.answer = yield from self._steps


class ServiceCaller:
    """Asks services, each by one client. What lets the robot move is sent once, when answers find their way."""

    def __init__(
        self,
        create: Callable[[Any, str], Any],
        spin: Callable[[], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`create` makes a client, of a kind of service and a name; `spin` hands them what has come, and waits for
        nothing."""
        self._create, self._spin, self._clock = create, spin, clock
        self._clients: dict[tuple[str, str], Any] = {}  # by name and what for

    def appear(self, kind: Any, name: str) -> None:
        """Begin to look for a service that will be asked."""
        self._client(kind, name)

    def ask(self, kind: Any, name: str, request: Any, *, seconds: float, appears: float) -> Question:
        """A request for a service that is seen within `appears` seconds and then answers within `seconds`.

        Where it must not be sent twice, something harmless before it may take as long.
        """
        return Question(self._steps(kind, name, request, seconds, appears))

    def _steps(self, kind: Any, name: str, request: Any, seconds: float, appears: float) -> Steps:
        client = self._client(kind, name)
        if once := enables_motion(name, request):
            # a client of its own, made after the other and found after it
            finder = self._client(GetParameters, probe_service(name), f"way back of {name}")
            yield from self._answer(finder, GetParameters.Request(), seconds, appears)
        return (yield from self._answer(client, request, seconds, appears, once))

    def _answer(self, client: Any, request: Any, seconds: float, appears: float, once: bool = False) -> Steps:
        end = self._clock() + appears
        while not client.service_is_ready():
            if self._clock() > end:
                raise ServiceUnavailable(f"the service {client.srv_name} is not there")
            yield
        call = ServiceCall(client, request, once=once, clock=self._clock)
        end = self._clock() + seconds
        while True:
            self._spin()
            if call.done():
                return call.result()
            if self._clock() > end:
                call.give_up()
                raise TimeoutError(f"the service {client.srv_name} did not answer within {seconds:g} s")
            yield

    def _client(self, kind: Any, name: str, use: str = "") -> Any:
        key = (name, use)
        if key not in self._clients:
            self._clients[key] = self._create(kind, name)
        return self._clients[key]

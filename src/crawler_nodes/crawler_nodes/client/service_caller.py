"""Calls of a stack's services, for clients that await and for clients that poll.

The middleware drops a response where the service has not discovered its client yet, which takes long on a busy machine.
A request without a response is therefore sent again, unless it enables motion: a second one could still be on its way
when an emergency stop has come, and undo it. Before such a request the same node gets a harmless one, again and again;
once that is answered, responses arrive.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

from rcl_interfaces.srv import GetParameters, SetParametersAtomically
from rclpy.parameter import Parameter

RESEND_PERIOD_S = 1.0  # without a response
Steps = Generator[None, None, Any]


class ServiceUnavailable(TimeoutError):
    """A service is not discovered."""


class PendingCall:
    """A call under way: wait a little in each step of `for _ in call:`; then it has a `response`.

    The loop raises ServiceUnavailable where the service is not discovered in time, and TimeoutError where it does not
    respond in time; their texts have no full stop. Requests are sent by the loop, so none follows once it is left.
    """

    def __init__(self, steps: Steps) -> None:
        self.response: Any = None
        self._steps = steps

    def __iter__(self) -> Iterator[None]:
        self.response = yield from self._steps


class ServiceCaller:
    """Calls services, each by one client."""

    def __init__(
        self,
        create_client: Callable[[Any, str], Any],
        spin: Callable[[], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`create_client` gets a service type and a name; `spin` takes responses without waiting."""
        self._create_client, self._spin, self._clock = create_client, spin, clock
        self._clients: dict[tuple[str, str], Any] = {}  # by name and use

    def discover(self, kind: Any, name: str) -> None:
        """Begin to discover a service that will be called."""
        self._client(kind, name)

    def call(self, kind: Any, name: str, request: Any, *, timeout_s: float, discovery_s: float) -> PendingCall:
        """Call a service that is discovered within `discovery_s` and then responds within `timeout_s`.

        A request that enables motion may take twice as long.
        """
        return PendingCall(self._steps(kind, name, request, timeout_s, discovery_s))

    def _steps(self, kind: Any, name: str, request: Any, timeout_s: float, discovery_s: float) -> Steps:
        client = self._client(kind, name)
        is_motion = enables_motion(name, request)
        if is_motion:
            # its own client, created after the other and so discovered after it
            probe = self._client(GetParameters, probe_service(name), f"probe of {name}")
            yield from self._request(probe, GetParameters.Request(), timeout_s, discovery_s)
        return (yield from self._request(client, request, timeout_s, discovery_s, once=is_motion))

    def _request(self, client: Any, request: Any, timeout_s: float, discovery_s: float, once: bool = False) -> Steps:
        end = self._clock() + discovery_s
        while not client.service_is_ready():
            if self._clock() > end:
                raise ServiceUnavailable(f"the service {client.srv_name} is not there")
            yield
        began = sent_at = self._clock()
        futures = [client.call_async(request)]
        try:
            while True:
                self._spin()
                for future in futures:
                    if future.done():
                        futures.remove(future)
                        return future.result()
                now = self._clock()
                if now > began + timeout_s:
                    raise TimeoutError(f"the service {client.srv_name} did not answer within {timeout_s:g} s")
                if not once and now > sent_at + RESEND_PERIOD_S:
                    futures.append(client.call_async(request))
                    sent_at = now
                yield
        finally:
            for future in futures:
                client.remove_pending_request(future)

    def _client(self, kind: Any, name: str, use: str = "") -> Any:
        key = (name, use)
        if key not in self._clients:
            self._clients[key] = self._create_client(kind, name)
        return self._clients[key]


def enables_motion(name: str, request: Any) -> bool:
    """Return whether a request lets the robot move, so that it must be sent only once."""
    return name.endswith("backend/reset") or (name.endswith("backend/enable") and request.data)


def probe_service(name: str) -> str:
    """Return the harmless service of the node that offers `name`: its parameters, of which none is requested."""
    return f"{name.rpartition('/')[0]}/get_parameters"


def set_parameters_request(values: Mapping[str, Any]) -> SetParametersAtomically.Request:
    """Return the request that sets parameters of a node, all or none."""
    parameters = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
    return SetParametersAtomically.Request(parameters=parameters)

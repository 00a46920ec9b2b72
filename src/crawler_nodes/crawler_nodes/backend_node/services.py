"""The services of a backend node: enable, estop and reset."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from std_srvs.srv import SetBool, Trigger

from crawler_core.errors import BackendFault
from crawler_core.loop.supervised_backend import Runner


class PriorityLock:
    """Guards the runner between services and ticks. Who enters goes before the next tick, however close ticks come."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._asking = 0

    def __enter__(self) -> PriorityLock:
        self._asking += 1
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._asking -= 1
        self._lock.release()

    @contextmanager
    def tick(self) -> Iterator[None]:
        """Enter as a tick."""
        while self._asking:
            time.sleep(1e-4)
        with self._lock:
            yield


class ServiceHost(Protocol):
    """What the services need of the backend node."""

    runner: Runner

    @property
    def lock(self) -> AbstractContextManager[Any]: ...

    @property
    def active(self) -> bool: ...

    @property
    def finished(self) -> bool: ...

    @property
    def broken(self) -> bool: ...

    def report(self) -> None: ...

    def create_service(self, srv_type: Any, srv_name: str, callback: Any) -> Any: ...

    def get_logger(self) -> Any: ...


class BackendServices:
    """Answers for one backend node."""

    def __init__(self, node: ServiceHost) -> None:
        self._node = node
        node.create_service(SetBool, "~/enable", self._on_enable)
        self.estop = node.create_service(Trigger, "~/estop", self._on_estop)
        node.create_service(Trigger, "~/reset", self._on_reset)

    def _on_enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        runner = self._node.runner
        with self._node.lock:
            try:
                if request.data:
                    if not self._node.active:
                        raise BackendFault("the backend is not active", remedy="activate it first")
                    if self._node.finished:
                        raise BackendFault("the run has come to its end", remedy="start it again")
                    runner.enable()
                else:
                    runner.supervisor.disable()
                    if fault := runner.stop():  # now: where no tick comes any more, none would do it
                        raise fault
            except BackendFault as fault:
                response.success, response.message = False, f"{fault}: {fault.remedy}"
                return response
        response.success, response.message = True, f"motion is {runner.supervisor.motion.value}"
        self._node.report()
        return response

    def _on_estop(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._node.lock:
            self._node.runner.supervisor.estop()
            fault = self._node.runner.stop()
        response.success = fault is None
        response.message = f"{fault}: {fault.remedy}" if fault else "stopped; motion needs reset, then enable"
        self._node.get_logger().warning("emergency stop: motion needs ~/reset, then ~/enable")
        self._node.report()
        return response

    def _on_reset(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._node.lock:
            try:
                if self._node.broken:
                    raise BackendFault("the backend broke", remedy="restart it")
                self._node.runner.reset()
            except BackendFault as fault:
                response.success, response.message = False, f"{fault}: {fault.remedy}"
                return response
        response.success, response.message = True, "cleared; motion needs enable"
        self._node.report()
        return response

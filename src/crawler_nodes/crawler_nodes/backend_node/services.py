"""The services of a backend node: enable, estop and reset."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from std_srvs.srv import SetBool, Trigger

from crawler_core.errors import BackendFault
from crawler_core.safety.supervisor import MOVING_STATES
from crawler_nodes.transport.estop_socket import EstopSocket, stack_namespaces

if TYPE_CHECKING:
    from crawler_nodes.backend_node.node import BackendNode


class BackendServices:
    """Enables, stops and resets the robot of one backend node."""

    def __init__(self, node: BackendNode) -> None:
        self._node = node
        self._local_estop: EstopSocket | None = None
        node.create_service(SetBool, "~/enable", self._on_enable)
        self.estop = node.create_service(Trigger, "~/estop", self._on_estop)
        node.create_service(Trigger, "~/reset", self._on_reset)

    def open_socket(self) -> None:
        """Take emergency stops from this machine without DDS too, once the node is complete."""
        domain, namespace = self._node.context.get_domain_id(), self._node.get_namespace()
        self._local_estop = EstopSocket(domain, namespace, self._stop_locally, self._report_estop)

    def close(self) -> None:
        if self._local_estop is not None:
            self._local_estop.close()

    def _stop_locally(self) -> tuple[bool, str, list[str]]:
        answer = self._run(Trigger.Response(), self._estop)
        return answer.success, answer.message, stack_namespaces(self._node.get_service_names_and_types())

    def _on_enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        return self._serve(response, self._enable if request.data else self._disable)

    def _on_estop(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._run(response, self._estop)
        self._report_estop()
        return response

    def _report_estop(self) -> None:
        self._node.report()  # before the log, which may block on a terminal
        self._node.get_logger().warning("emergency stop: motion needs ~/reset, then ~/enable")

    def _on_reset(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._serve(response, self._reset)

    def _serve(self, response: Any, action: Callable[[], str]) -> Any:
        """Run an action and report what has changed."""
        self._run(response, action)
        self._node.report()
        return response

    def _run(self, response: Any, action: Callable[[], str]) -> Any:
        """Run an action between two ticks; its text or its fault is the answer."""
        with self._node.lock:
            try:
                response.message, response.success = action(), True
            except BackendFault as fault:
                response.message, response.success = f"{fault}: {fault.remedy}", False
        return response

    def _enable(self) -> str:
        if not self._node.active:
            raise BackendFault("the backend is not active", remedy="activate it first")
        if self._node.finished:
            raise BackendFault("the run has ended", remedy="start it again")
        open_commands = self._node.open_commands
        if open_commands is None:
            self._node.supervised.enable()
        else:
            if self._node.supervised.supervisor.motion not in MOVING_STATES:
                open_commands.clear()
            self._node.supervised.enable(self._node.first_command_timeout_s)
        return self._motion()

    def _disable(self) -> str:
        self._node.supervised.supervisor.disable()
        self._release_torque()  # now: where ticks have stopped, none would do it
        return self._motion()

    def _estop(self) -> str:
        self._node.supervised.supervisor.estop()
        self._release_torque()
        return "stopped; motion needs reset, then enable"

    def _reset(self) -> str:
        if self._node.broken:
            raise BackendFault("the backend broke", remedy="restart it")
        self._node.supervised.reset()
        return "cleared; motion needs enable"

    def _release_torque(self) -> None:
        if fault := self._node.supervised.stop():
            raise fault

    def _motion(self) -> str:
        return f"motion is {self._node.supervised.supervisor.motion.value}"

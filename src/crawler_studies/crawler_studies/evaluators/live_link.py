"""A connection to a running stack: its state is monitored, and the gait's parameters are read and set."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from rcl_interfaces.srv import GetParameters, ListParameters, SetParametersAtomically
from rclpy.parameter import parameter_value_to_python as to_python

from crawler_core.robot.robot_spec import RobotSpec
from crawler_nodes.client.service_caller import set_parameters_request
from crawler_nodes.client.stack_monitor import StackMonitor
from crawler_nodes.run_log.log import RunLog

SERVICE_TIMEOUT_S = 3.0  # of wall time
SERVICES = {
    ListParameters: "gait/list_parameters",
    GetParameters: "gait/get_parameters",
    SetParametersAtomically: "gait/set_parameters_atomically",
}


class LiveLink:
    """Monitors a running stack of the robot `spec` and sets its gait; `log` fills during `spin_once` and `wait`."""

    def __init__(self, spec: RobotSpec, namespace: str = "") -> None:
        self.log = RunLog.of(spec, sample_period=0.0)  # every state: a foot may lift for a moment only
        self._monitor = StackMonitor(log=self.log, joints=False, namespace=namespace, name="tuning")
        for kind, name in SERVICES.items():
            self._monitor.discover(kind, name)

    @property
    def motion(self) -> str:
        """The backend's motion state, such as active; empty before its first message."""
        return self.log.status.motion

    @property
    def fault(self) -> str:
        """The backend's description of a fault."""
        return self.log.status.warnings.get("backend", "")

    @property
    def odometry_age(self) -> float:
        """Seconds of wall time since the latest odometry."""
        return time.monotonic() - self.log.base.received_at

    def spin_once(self) -> None:
        """Read the waiting messages, and wait a little."""
        self._monitor.spin_once()

    def wait(self, until: Callable[[], bool], seconds: float) -> bool:
        """Monitor until `until` holds; return False where it does not within `seconds` of wall time."""
        return self._monitor.wait(until, seconds)

    def gait_parameters(self) -> dict[str, Any]:
        """Return the gait node's parameters. Raises TimeoutError without an answer."""
        listed = self._call(ListParameters, ListParameters.Request()).result.names
        names = [name for name in listed if "." not in name]
        values = self._call(GetParameters, GetParameters.Request(names=names)).values
        return {name: to_python(value) for name, value in zip(names, values, strict=True)}

    def set_gait(self, values: Mapping[str, Any]) -> str:
        """Set the gait node's parameters, all or none. Returns why that was rejected, or ''. Raises TimeoutError."""
        result = self._call(SetParametersAtomically, set_parameters_request(values)).result
        return "" if result.successful else result.reason

    def close(self) -> None:
        self._monitor.close()

    def _call(self, kind: Any, request: Any) -> Any:
        return self._monitor.call(kind, SERVICES[kind], request, SERVICE_TIMEOUT_S)

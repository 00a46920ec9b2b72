"""A connection to a ring that runs elsewhere: it is watched, and the gait's parameters are asked for and set."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from rcl_interfaces.srv import GetParameters, ListParameters, SetParametersAtomically
from rclpy.parameter import parameter_value_to_python as to_python

from crawler_core.robot.robot_spec import RobotSpec
from crawler_nodes.client.service_caller import set_request
from crawler_nodes.client.stack_monitor import StackMonitor
from crawler_nodes.run_log.log import RunLog

ANSWER = 3.0  # s of wall time that a service may take
SERVICES = {
    ListParameters: "gait/list_parameters",
    GetParameters: "gait/get_parameters",
    SetParametersAtomically: "gait/set_parameters_atomically",
}


class LiveLink:
    """Reads a ring of `spec` and sets its gait; `log` fills while `turn` is called."""

    def __init__(self, spec: RobotSpec, namespace: str = "") -> None:
        self.log = RunLog.of(spec, keep_every=0.0)  # a foot that lifts is seen in every state, however short
        self._view = StackMonitor(log=self.log, joints=False, namespace=namespace, name="tuning")
        for kind, name in SERVICES.items():
            self._view.appear(kind, name)

    @property
    def motion(self) -> str:
        """What the backend says of its motion, such as active; empty before it said anything."""
        return self.log.motion

    @property
    def trouble(self) -> str:
        """What the backend says of a fault."""
        return self.log.troubles.get("backend", "")

    @property
    def silence(self) -> float:
        """Seconds since the latest odometry, on the wall clock."""
        return time.monotonic() - self.log.heard

    def turn(self) -> None:
        """Take what has come, and wait a little."""
        self._view.turn()

    def wait(self, until: Callable[[], bool], seconds: float) -> bool:
        """Listen until `until` holds; False where it does not within `seconds` of wall time."""
        return self._view.wait(until, seconds)

    def parameters(self) -> dict[str, Any]:
        """The gait node's parameters. Raises TimeoutError without an answer."""
        listed = [name for name in self._call(ListParameters, ListParameters.Request()).result.names if "." not in name]
        values = self._call(GetParameters, GetParameters.Request(names=listed)).values
        return {name: to_python(value) for name, value in zip(listed, values, strict=True)}

    def set(self, values: Mapping[str, Any]) -> str:
        """Set the gait node's parameters, all or none; returns why not, or ''. Raises TimeoutError."""
        result = self._call(SetParametersAtomically, set_request(values)).result
        return "" if result.successful else result.reason

    def close(self) -> None:
        """Let go of the ring."""
        self._view.close()

    def _call(self, kind: Any, request: Any) -> Any:
        return self._view.call(kind, SERVICES[kind], request, ANSWER)

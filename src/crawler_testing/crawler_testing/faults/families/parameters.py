"""Parameters of the nodes, set while the robot crawls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter

from crawler_bringup.stack.stack import BACKENDS
from crawler_core.loop.backend_settings import BackendSettings
from crawler_core.parameters import ParameterInfo, describe
from crawler_testing.faults.fault_kind import FaultKind, crawls
from crawler_testing.fixtures.run_harness import Scene, Unmet
from gait_generators.kinds.gait_registry import GAITS, gait_name
from gait_generators.node.gait_node import GaitSettings
from hybrid_controller.laws.law_registry import LAWS, law_name
from hybrid_controller.node.controller_node import ControllerSettings

NODES = ("backend", "gait", "controller")
BEYOND = 1.5  # times what is allowed
Values = Callable[[ParameterInfo], Sequence[Any]]


def infos(scene: Scene, node: str) -> list[ParameterInfo]:
    """The parameters that a node has."""
    classes = {
        "backend": (BackendSettings, BACKENDS[scene.backend].settings),
        "gait": (GaitSettings, GAITS[gait_name(scene.spec, "")].parameters),
        "controller": (ControllerSettings, LAWS[law_name(scene.spec, "")].parameters),
    }[node]
    return [info for cls in classes for info in describe(cls)]


def put(scene: Scene, node: str, name: str, value: Any) -> Any:
    """Sets one; the node's result."""
    wanted = Parameter(name, value=value).to_parameter_msg()
    return scene.call(SetParameters, f"{node}/set_parameters", parameters=[wanted]).results[0]


def _refused(node: str, what: str, does: str, values: Values) -> FaultKind:
    def inject(scene: Scene) -> None:
        for info in infos(scene, node):
            for value in values(info):
                result = put(scene, node, info.name, value)
                if result.successful:
                    raise Unmet(f"{node}.{info.name} took {value!r}")
                if not result.reason:
                    raise Unmet(f"{node}.{info.name} = {value!r} was refused without a reason")

    return FaultKind(
        f"parameters/{node}_{what}", does, crawls(text="each is refused with its reason; crawls on"), inject
    )


def _not_numbers(info: ParameterInfo) -> list[Any]:
    return [math.nan, math.inf, -math.inf] if info.type in (int, float) else []


def _outside(info: ParameterInfo) -> list[Any]:
    if info.choices:
        return ["nonesuch"]
    below = [] if info.low is None else [info.low - max(1.0, abs(info.low)) * BEYOND]
    return below + ([] if info.high is None else [info.high * BEYOND + 1.0])


def _of_another_type(info: ParameterInfo) -> list[Any]:
    text: list[Any] = [] if info.type is str else ["three"]
    return [*text, [1.0, 2.0], *([7] if info.type in (bool, str) else [True])]


def _constant(info: ParameterInfo) -> list[Any]:
    return [info.default] if info.constant else []


def _at_bounds(node: str) -> FaultKind:
    def inject(scene: Scene) -> None:
        for info in infos(scene, node):
            if info.constant or info.name == "real_time_factor":  # it would crawl on too fast to be watched
                continue
            kept = _value(scene, node, info)
            for value in [*(v for v in (info.low, info.high) if v is not None), *info.choices]:
                put(scene, node, info.name, info.type(value))
                scene.listen(0.1)
            result = put(scene, node, info.name, kept)
            if not result.successful:
                raise Unmet(f"{node}.{info.name} could not be set back to {kept!r}: {result.reason}")

    does = "each in turns to its least, its greatest, and back"
    must = crawls(text="limits are kept; crawls on")
    return FaultKind(f"parameters/{node}_at_bounds", does, must, inject, alone=node == "gait")


def _value(scene: Scene, node: str, info: ParameterInfo) -> Any:
    from rcl_interfaces.srv import GetParameters

    value = scene.call(GetParameters, f"{node}/get_parameters", names=[info.name]).values[0]
    return Parameter.from_parameter_msg(_message(info.name, value)).value


def _message(name: str, value: Any) -> Any:
    from rcl_interfaces.msg import Parameter as Message

    return Message(name=name, value=value)


def _unknown(node: str) -> FaultKind:
    def inject(scene: Scene) -> None:
        for name in ("nonesuch", "..", "a" * 10_000):
            if put(scene, node, name, 1.0).successful:
                raise Unmet(f"{node} took a parameter named {name[:20]!r}")

    return FaultKind(
        f"parameters/{node}_unknown", "names that are not there", crawls(text="each is refused; crawls on"), inject
    )


KINDS = tuple(
    kind
    for node in NODES
    for kind in (
        _refused(node, "not_numbers", "each number to NaN and both infinities", _not_numbers),
        _refused(node, "outside", "each to what is beyond its bounds", _outside),
        _refused(node, "type", "each to values of other types", _of_another_type),
        _refused(node, "constant", "those that are read at the start", _constant),
        _unknown(node),
        _at_bounds(node),
    )
)

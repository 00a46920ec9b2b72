"""Parameters of the nodes, set during a crawl."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.parameter import Parameter

from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_core.loop.backend_settings import BackendSettings
from crawler_core.parameters import ParameterInfo, describe
from crawler_testing.faults.fault_kind import FaultKind, expect_crawl
from crawler_testing.fixtures.run_harness import ExpectationFailed, RunHarness
from gait_generators.kinds.gait_registry import GAITS, gait_name
from gait_generators.node.gait_settings import GaitSettings
from hybrid_controller.laws.law_registry import LAWS, law_name
from hybrid_controller.node.controller_settings import ControllerSettings

NODES = ("backend", "gait", "controller")
BEYOND_BOUND = 1.5  # factor
BOUND_DURATION_S = 0.1  # at each bound
UNKNOWN_NAMES = ("nonesuch", "..", "a" * 10_000)


def _parameter_infos(run: RunHarness, node: str) -> list[ParameterInfo]:
    classes = {
        "backend": (BackendSettings, BACKENDS[run.backend].settings),
        "gait": (GaitSettings, GAITS[gait_name(run.spec, "")].parameters),
        "controller": (ControllerSettings, LAWS[law_name(run.spec, "")].parameters),
    }[node]
    return [info for cls in classes for info in describe(cls)]


def _set(run: RunHarness, node: str, name: str, value: Any) -> Any:
    """Set a parameter; return the node's SetParametersResult."""
    message = Parameter(name, value=value).to_parameter_msg()
    return run.call(SetParameters, f"{node}/set_parameters", parameters=[message]).results[0]


def _get(run: RunHarness, node: str, name: str) -> Any:
    value = run.call(GetParameters, f"{node}/get_parameters", names=[name]).values[0]
    return Parameter.from_parameter_msg(ParameterMessage(name=name, value=value)).value


def _numbers_that_are_none(info: ParameterInfo) -> list[Any]:
    return [math.nan, math.inf, -math.inf] if info.type in (int, float) else []


def _values_outside(info: ParameterInfo) -> list[Any]:
    if info.choices:
        return ["nonesuch"]
    below = [] if info.lower is None else [info.lower - max(1.0, abs(info.lower)) * BEYOND_BOUND]
    return below + ([] if info.upper is None else [info.upper * BEYOND_BOUND + 1.0])


def _values_of_other_types(info: ParameterInfo) -> list[Any]:
    text: list[Any] = [] if info.type is str else ["three"]
    return [*text, [1.0, 2.0], *([7] if info.type in (bool, str) else [True])]


def _default_of_constant(info: ParameterInfo) -> list[Any]:
    return [info.default] if info.constant else []


INVALID: dict[str, tuple[str, Callable[[ParameterInfo], Sequence[Any]]]] = {
    "not_numbers": ("each number to NaN and both infinities", _numbers_that_are_none),
    "outside": ("each to values beyond its bounds", _values_outside),
    "type": ("each to values of other types", _values_of_other_types),
    "constant": ("those that are read at the start", _default_of_constant),
}


def _invalid_values_fault(node: str, name: str) -> FaultKind:
    action, values = INVALID[name]

    def inject(run: RunHarness) -> None:
        for info in _parameter_infos(run, node):
            for value in values(info):
                result = _set(run, node, info.name, value)
                if result.successful:
                    raise ExpectationFailed(f"{node}.{info.name} accepted {value!r}")
                if not result.reason:
                    raise ExpectationFailed(f"{node}.{info.name} = {value!r} was rejected without a reason")

    expected = expect_crawl(text="each is rejected with its reason; crawls on")
    return FaultKind(f"parameters/{node}_{name}", action, expected, inject)


def _unknown_names_fault(node: str) -> FaultKind:
    def inject(run: RunHarness) -> None:
        for name in UNKNOWN_NAMES:
            if _set(run, node, name, 1.0).successful:
                raise ExpectationFailed(f"{node} accepted a parameter named {name[:20]!r}")

    expected = expect_crawl(text="each is rejected; crawls on")
    return FaultKind(f"parameters/{node}_unknown", "unknown names", expected, inject)


def _bounds_fault(node: str) -> FaultKind:
    def inject(run: RunHarness) -> None:
        for info in _parameter_infos(run, node):
            if info.constant or info.name == "real_time_factor":  # a fast run is over before it is observed
                continue
            old = _get(run, node, info.name)
            for value in [*(bound for bound in (info.lower, info.upper) if bound is not None), *info.choices]:
                _set(run, node, info.name, info.type(value))
                run.wait(BOUND_DURATION_S)
            result = _set(run, node, info.name, old)
            if not result.successful:
                raise ExpectationFailed(f"{node}.{info.name} could not be set back to {old!r}: {result.reason}")

    action = "each to its least value, its greatest, and back"
    expected = expect_crawl(text="limits are kept; crawls on")
    # after its bounds a gait may take a whole slow cycle to crawl again
    return FaultKind(f"parameters/{node}_at_bounds", action, expected, inject, needs_own_run=node == "gait")


PARAMETER_FAULTS = tuple(
    kind
    for node in NODES
    for kind in (
        *(_invalid_values_fault(node, name) for name in INVALID),
        _unknown_names_fault(node),
        _bounds_fault(node),
    )
)

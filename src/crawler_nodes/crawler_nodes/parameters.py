"""Parameter dataclasses as ROS parameters: declared, read, and checked again on every change.

self.settings = declare(self, Settings, on_change=self._use)
refuse_unknown(self, section="controller")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from crawler_core.errors import UserError, unknown_name
from crawler_core.files import parse_yaml
from crawler_core.parameters import ParameterInfo, build, describe
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.robot.robot_file import load_robot

T = TypeVar("T")
ROBOT = ("robot", "robot_overrides")


def declare(
    node: Node,
    cls: type[T],
    defaults: Mapping[str, Any] | None = None,
    prefix: str = "",
    *,
    check: Callable[[T], None] | None = None,
    on_change: Callable[[T], None] | None = None,
) -> T:
    """Declare the parameters of `cls` on `node` and read them. `defaults` go before those of the dataclass.

    A later change is refused, with the sentence as its reason, where a value is not allowed or `check` raises
    UserError for the new instance; once it is in force `on_change` gets it. Raises UserError for a bad start value.
    """
    infos = describe(cls)
    section = f"{node.get_name()}.{prefix}".rstrip(".")
    start = build(cls, defaults or {}, section=section)
    for info in infos:
        node.declare_parameter(prefix + info.name, getattr(start, info.name), _descriptor(info))

    def instance(changes: Mapping[str, Any]) -> T:
        values = {info.name: node.get_parameter(prefix + info.name).value for info in infos}
        return build(cls, {**values, **changes}, section=section)

    def changes(parameters: Sequence[Parameter]) -> dict[str, Any]:
        given = {parameter.name: parameter.value for parameter in parameters}
        return {info.name: given[prefix + info.name] for info in infos if prefix + info.name in given}

    def validate(parameters: Sequence[Parameter]) -> SetParametersResult:
        try:
            if changed := changes(parameters):
                new = instance(changed)
                if check is not None:
                    check(new)
        except UserError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def adopt(parameters: Sequence[Parameter]) -> None:
        if on_change is not None and changes(parameters):
            on_change(instance({}))

    first = instance({})
    node.add_on_set_parameters_callback(validate)
    node.add_post_set_parameters_callback(adopt)
    return first


def robot_of(node: Node) -> RobotSpec:
    """The robot that a node's parameters `robot` and `robot_overrides` name, declared or not. Raises UserError."""
    given = {name: node._parameter_overrides[name].value for name in ROBOT if name in node._parameter_overrides}
    name, overrides = (text if isinstance(text := given.get(key, ""), str) else "" for key in ROBOT)
    return load_robot(name, parse_yaml(overrides, "robot_overrides"))


def refuse_unknown(node: Node, *, section: str) -> None:
    """Raise UserError for a start value that names no declared parameter: rclpy would ignore it silently.

    `section` is the prefix by which the user knows the node's parameters. Call it after the last declaration. From then
    on nobody changes by whose time the node goes, either.
    """
    node.add_on_set_parameters_callback(_same_time)
    known = [name for name in node._parameters if name != "start_type_description_service"]
    for name in node._parameter_overrides:  # rclpy has no public way to see those that nobody declared
        if not node.has_parameter(name):
            raise unknown_name("parameter", f"{section}.{name}", (f"{section}.{other}" for other in known))


def _same_time(parameters: Sequence[Parameter]) -> SetParametersResult:
    """A node that changed its time would answer states of one time with commands of another."""
    if any(parameter.name == "use_sim_time" for parameter in parameters):
        reason = "use_sim_time is read at the start only: start the node anew"
        return SetParametersResult(successful=False, reason=reason)
    return SetParametersResult(successful=True)


def _descriptor(info: ParameterInfo) -> ParameterDescriptor:
    # no range field and no fixed type: rclpy would refuse in its own words before ours, and 8 where 8.0 is meant
    return ParameterDescriptor(
        description=f"{info.doc} [{info.unit}]" if info.unit else info.doc,
        additional_constraints=info.range_text(),
        read_only=info.constant,
        dynamic_typing=True,
    )

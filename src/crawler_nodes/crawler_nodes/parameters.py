"""Parameter dataclasses as the ROS parameters of a node: declared with types and ranges, validated once per change.

parameters = NodeParameters(self)
self.settings = parameters.declare(Settings, on_change=self._use)
parameters.reject_unknown(section="controller")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from crawler_core.errors import UserError, unknown_name
from crawler_core.files import parse_yaml
from crawler_core.parameters import ParameterInfo, build, describe
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec

SettingsT = TypeVar("SettingsT")
ROBOT_PARAMETERS = ("robot", "robot_overrides")


@dataclass(frozen=True)
class _Declared:
    """One dataclass of parameters on a node."""

    cls: type
    prefix: str  # of the ROS names
    section: str  # by which an error names the parameters
    make: Callable[[Any], Any]
    on_change: Callable[[Any], None]


class NodeParameters:
    """The parameters of one node. A change is validated and built once, before ROS sets it.

    A whole number is accepted for a float. A rejected change has a sentence as its reason.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._declared: list[_Declared] = []
        self._changes: list[tuple[_Declared, Any]] = []  # built, not yet in force
        self._rejection = ""  # why the change under way is not allowed
        node.add_pre_set_parameters_callback(self._build)
        node.add_on_set_parameters_callback(self._validate)
        node.add_post_set_parameters_callback(self._apply)

    def declare(
        self,
        cls: type[SettingsT],
        defaults: Mapping[str, Any] | None = None,
        prefix: str = "",
        *,
        make: Callable[[SettingsT], Any] = lambda instance: instance,
        on_change: Callable[[Any], None] = lambda _: None,
    ) -> SettingsT:
        """Declare the parameters of `cls` and return their start values. `defaults` precede those of the dataclass.

        On a later change `make` gets the new instance, and may raise UserError to reject it; once the change is in
        force `on_change` gets what `make` returned. Raises UserError for a bad start value.
        """
        node = self._node
        declared = _Declared(cls, prefix, f"{node.get_name()}.{prefix}".rstrip("."), make, on_change)
        infos = describe(cls)
        start = dict(vars(build(cls, defaults or {}, section=declared.section)))
        for info in infos:
            # rclpy has no public way to see a start value before its declaration, and would reject 8 for 8.0
            if (override := node._parameter_overrides.get(prefix + info.name)) is not None:
                start[info.name] = override.value
        instance = build(cls, start, section=declared.section)
        for info in infos:
            value = getattr(instance, info.name)
            node.declare_parameter(prefix + info.name, value, _descriptor(info, value), ignore_override=True)
        self._declared.append(declared)
        return instance

    def reject_unknown(self, *, section: str) -> None:
        """Raise UserError for a start value of an undeclared parameter, which rclpy would ignore silently.

        `section` is the prefix by which the user knows the node's parameters. Call it after the last declaration.
        """
        known = [name for name in self._node._parameters if name != "start_type_description_service"]
        for name in self._node._parameter_overrides:
            if not self._node.has_parameter(name):
                raise unknown_name("parameter", f"{section}.{name}", (f"{section}.{other}" for other in known))

    def _build(self, parameters: list[Parameter]) -> list[Parameter]:
        """Build the changed dataclasses; return the parameters with the types of their dataclasses."""
        self._changes, self._rejection = [], ""
        given = {parameter.name: parameter for parameter in parameters}
        try:
            for declared in self._declared:
                given |= self._build_one(declared, given)
        except UserError as error:
            # with the present values, so that the change reaches `_validate` and is rejected in our words
            self._rejection = str(error)
            return [self._node.get_parameter_or(parameter.name, parameter) for parameter in parameters]
        return list(given.values())

    def _build_one(self, declared: _Declared, given: Mapping[str, Parameter]) -> dict[str, Parameter]:
        names = {info.name: declared.prefix + info.name for info in describe(declared.cls)}
        changed = [field for field, name in names.items() if name in given]
        if not changed:
            return {}
        values = {field: self._node.get_parameter(name).value for field, name in names.items()}
        values |= {field: given[names[field]].value for field in changed}
        instance: Any = build(declared.cls, values, section=declared.section)
        self._changes.append((declared, declared.make(instance)))
        return {names[field]: Parameter(names[field], value=getattr(instance, field)) for field in changed}

    def _validate(self, parameters: Sequence[Parameter]) -> SetParametersResult:
        reason = self._rejection
        if any(parameter.name == "use_sim_time" for parameter in parameters):
            # the node would answer states of one time with commands of another
            reason = "use_sim_time cannot change while the node runs: start the node again"
        return SetParametersResult(successful=not reason, reason=reason)

    def _apply(self, _parameters: Sequence[Parameter]) -> None:
        changes, self._changes = self._changes, []
        for declared, made in changes:
            declared.on_change(made)


def robot_from_parameters(node: Node) -> RobotSpec:
    """Load the robot that a node's parameters `robot` and `robot_overrides` name, declared or not. Raises UserError."""
    given = [getattr(node._parameter_overrides.get(name), "value", "") for name in ROBOT_PARAMETERS]
    name, overrides = (value if isinstance(value, str) else "" for value in given)
    return load_robot(name, parse_yaml(overrides, "robot_overrides"))


def _descriptor(info: ParameterInfo, start: Any) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(
        description=f"{info.doc} [{info.unit}]" if info.unit else info.doc,
        additional_constraints=info.constraints_text(start),
        read_only=info.constant,
    )
    if info.lower is not None and info.upper is not None:
        if info.type is float:
            bounds = FloatingPointRange(from_value=float(info.lower), to_value=float(info.upper))
            descriptor.floating_point_range = [bounds]
        else:
            descriptor.integer_range = [IntegerRange(from_value=int(info.lower), to_value=int(info.upper))]
    return descriptor

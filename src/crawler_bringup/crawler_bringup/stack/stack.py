"""The stack: the checked description of the nodes that a run needs.

The launch files turn the nodes into launch actions, the command line starts them as processes. All input is checked
here, before anything starts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from crawler_bringup.recorder.run_metadata import merged_parameters, run_metadata
from crawler_bringup.security.enclave import enclave_of
from crawler_bringup.security.enclave_environment import complete_keystore, enclave_environment
from crawler_bringup.stack.backend_choice import BackendChoice, backend_name, choose_backend
from crawler_bringup.stack.node_spec import NodeSpec, clock_remappings
from crawler_bringup.stack.options import NO_NODE, Options
from crawler_bringup.stack.prediction import Prediction, predict_by_equations, predict_by_law
from crawler_bringup.stack.robot_view import rviz_node
from crawler_bringup.stack.settings import check_section, split_parameters
from crawler_core.errors import UserError, unknown_name
from crawler_core.loop.backend_settings import MAX_RUN_TIME_S, BackendSettings
from crawler_core.parameters import build
from crawler_core.robot.names import check_namespace
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.robot.sections import SECTIONS
from crawler_models.estimation.robot_estimator import RobotEstimator
from crawler_nodes.topics import GAIT_REFERENCE, JOINT_COMMANDS, JOINT_STATES, Topic
from crawler_nodes.transport.domain_id import domain_id
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_registry import gait_name, make_gait
from gait_generators.kinds.limit_check import check_limits
from gait_generators.node.gait_settings import GaitSettings
from hybrid_controller.laws.law_registry import LAWS, law_defaults, law_name, law_parameters
from hybrid_controller.node.controller_settings import ControllerSettings

Values = Mapping[str, Any]
# the stack sets these for every node; the user gives each once, such as --robot or backend.rate
RESERVED_PARAMETERS = ("robot", "robot_overrides", "rate", "lockstep", "gait", "law")
MIN_DEFAULT_DURATION_S = 20.0  # of a run without a given duration
DEFAULT_DURATION_PERIODS = 5  # of the gait, where these take longer


@dataclass(frozen=True)
class Stack:
    """The checked choices of a run, and the nodes that follow from them."""

    options: Options
    spec: RobotSpec
    gait: Gait | None  # None: no gait node
    gait_name: str
    law: str
    backend: BackendChoice
    duration: float  # s; 0: no end
    note: str  # about a default that another machine would choose differently, or a law near its limits; empty: none

    @cached_property
    def nodes(self) -> tuple[NodeSpec, ...]:
        """Return the nodes to start. Raises UserError where keys are missing."""
        backend = _backend_node(self)
        gait = (_gait_node(self),) if self.has_gait else ()
        controller = (_controller_node(self),) if self.has_controller else ()
        recorder = (_recorder_node(self, backend, gait, controller),) if self.options.record else ()
        nodes = (backend, *gait, *controller, *recorder, *_viewer_nodes(self))
        return _with_keys(nodes, self.options.namespace) if self.options.secure else nodes

    @property
    def has_gait(self) -> bool:
        """True where the stack has a gait node."""
        return self.gait is not None

    @property
    def has_controller(self) -> bool:
        """True where the stack has a controller node."""
        return self.law != NO_NODE

    @property
    def period(self) -> float:
        """The gait's period (s), NaN without a gait."""
        return math.nan if self.gait is None else self.gait.period

    @property
    def marks(self) -> Mapping[str, str]:
        """The branches of the law that pictures mark, with their labels."""
        return LAWS[self.law].marks if self.has_controller else {}

    @property
    def single_publisher_topics(self) -> tuple[Topic, ...]:
        """The topics that only nodes of the stack may publish."""
        of_controller = (JOINT_COMMANDS,) if self.has_controller else ()
        return (JOINT_STATES, *of_controller, *((GAIT_REFERENCE,) if self.has_gait else ()))

    @cached_property
    def prediction(self) -> Prediction:
        """Return the numbers to compare the run with. A law with its own prediction takes some seconds.

        Raises UserError where the equations rule the gait out; `make_stack` has checked that already.
        """
        if self.gait is None or not self.has_controller:
            return Prediction(None, "none: another node of yours moves the robot")
        of_law = predict_by_law(self.spec, self.gait, self.law, self.options.section("controller"))
        return predict_by_equations(self.spec, self.gait) if of_law is None else of_law

    @property
    def backend_parameters(self) -> dict[str, Any]:
        """Return the backend's settings; a run with an end stops there by itself, motors too."""
        return {**self.backend.parameters, **({"stop_at": self.duration} if self.duration else {})}

    @property
    def common_parameters(self) -> dict[str, Any]:
        """Return the parameters that every node of the control loop takes."""
        return {
            **self.options.robot_parameters(),
            "use_sim_time": self.backend.entry.simulated,
            "rate": self.backend.settings.rate,
        }


def make_stack(options: Options) -> Stack:
    """Return the stack for `options`. Raises UserError for options that cannot work.

    A run in lockstep goes as fast as it can unless a `real_time_factor` is given. The backend itself ends the run.
    """
    domain_id()
    check_namespace(options.namespace)
    for section in options.settings:
        if section not in SECTIONS:
            raise unknown_name("section", section, SECTIONS)
    backend, note = backend_name(options)
    stack = _choose(replace(options, backend=backend), note)
    stack.nodes  # noqa: B018  keys may be missing
    if stack.has_controller and LAWS[stack.law].prediction is None:
        stack.prediction  # noqa: B018  the equations may rule the gait out
    return stack


def _choose(options: Options, note: str) -> Stack:
    spec = load_robot(options.robot, options.section("robot"))
    has_gait, has_controller = options.gait != NO_NODE, options.controller != NO_NODE
    name = gait_name(spec, options.gait) if has_gait else NO_NODE
    law = law_name(spec, options.controller) if has_controller else NO_NODE
    gait = _make_gait(spec, name, options.section("gait")) if has_gait else None
    commands = {"command_mode": "answers" if has_controller else "open"}
    backend = choose_backend(options.backend, spec, {**options.section("backend"), **commands})
    _check_command_mode(options)
    _check_unused(options)
    if has_controller:
        _check_law(spec, law, options.section("controller"))
    RobotEstimator(spec, backend.settings.estimator)  # UserError for one that there is not, or that does not fit
    duration = _run_duration(options, backend.settings, gait if has_controller else None)
    warning = ""
    if gait is not None and has_controller:
        warning = _check_motors(spec, gait, law, options.section("controller"), backend)
    return Stack(options, spec, gait, name, law, backend, duration, "; ".join(filter(None, (note, warning))))


def _check_command_mode(options: Options) -> None:
    """Raise UserError where the user's command_mode is not that of the nodes."""
    mode = "open" if options.controller == NO_NODE else "answers"
    if (given := options.section("backend").get("command_mode", mode)) != mode:
        raise UserError(
            f"backend.command_mode = {given} is not allowed here: it is open without a controller (--controller none, "
            "controller:=none), and answers with one."
        )


def _check_unused(options: Options) -> None:
    """Raise UserError for settings of a node that is not started."""
    for section, choice in (("gait", options.gait), ("controller", options.controller)):
        if choice == NO_NODE and (values := options.section(section)):
            raise UserError(f"{section}.{next(iter(values))} is set, but no {section} node is started: leave it out.")


def _make_gait(spec: RobotSpec, name: str, values: Values) -> Gait:
    of_node, of_gait = split_parameters(GaitSettings, values, RESERVED_PARAMETERS)
    build(GaitSettings, of_node, section="gait")
    gait = make_gait(spec, name, of_gait)
    check_limits(spec, gait)
    return gait


def _check_law(spec: RobotSpec, law: str, values: Values) -> None:
    LAWS[law].check(spec)
    own, defaults = LAWS[law].parameters, law_defaults(spec, law)
    check_section("controller", values, ControllerSettings, own, defaults, RESERVED_PARAMETERS)


def _check_motors(spec: RobotSpec, gait: Gait, law: str, values: Values, backend: BackendChoice) -> str:
    """Return a warning of the law about its motors, or an empty text. Raises UserError where it does not hold."""
    parameters = law_parameters(spec, law, values)
    return LAWS[law].check_run(spec, gait, parameters, backend.motors(spec), backend.settings.rate)


def _run_duration(options: Options, settings: BackendSettings, gait: Gait | None) -> float:
    """Return the duration (s) that was given, or one after which the crawl is steady; 0: no end."""
    duration = options.duration
    if duration is None:
        if gait is None:  # as long as the user's own node likes
            return settings.stop_at
        return settings.stop_at or max(MIN_DEFAULT_DURATION_S, DEFAULT_DURATION_PERIODS * gait.period)
    if not 0.0 <= duration <= MAX_RUN_TIME_S:
        raise UserError(
            f"--duration {duration:g} is not allowed: it must be 0 to {MAX_RUN_TIME_S:g} s, where 0 runs until Ctrl-C."
        )
    if duration and settings.stop_at not in (0.0, duration):
        raise UserError(
            f"--duration {duration:g} contradicts backend.stop_at = {settings.stop_at:g}: give one of them."
        )
    return duration


def _node(stack: Stack, package: str, executable: str, name: str, parameters: Values, **more: Any) -> NodeSpec:
    """Return a node in the namespace and with the log level of the run."""
    namespace = stack.options.namespace
    return NodeSpec(
        package,
        executable,
        name,
        parameters,
        namespace=namespace,
        remappings=clock_remappings(namespace),
        log_level=stack.options.log_level,
        **more,
    )


def _backend_node(stack: Stack) -> NodeSpec:
    entry = stack.backend.entry
    # gait and controller always read the states; a user's own node may come later
    readers = stack.has_gait + stack.has_controller + bool(stack.options.record) + stack.options.extra_state_readers
    # the backend makes the time: it does not need the clock
    parameters = {**stack.common_parameters, "readers": readers, **stack.backend_parameters, "use_sim_time": False}
    return _node(stack, entry.package, entry.executable, "backend", parameters)


def _gait_node(stack: Stack) -> NodeSpec:
    parameters = {**stack.common_parameters, "gait": stack.gait_name, **stack.options.section("gait")}
    return _node(stack, "gait_generators", "gait_node", "gait", parameters)


def _controller_node(stack: Stack) -> NodeSpec:
    parameters = {
        **stack.common_parameters,
        "readers": 2 if stack.options.record else 0,  # backend and recorder: the recording has every command
        "lockstep": stack.backend.settings.lockstep,
        "use_sim_time": False,  # it takes the time from the states
        "law": stack.law,
        **stack.options.section("controller"),
    }
    return _node(stack, "hybrid_controller", "controller_node", "controller", parameters)


def _recorder_node(
    stack: Stack, backend: NodeSpec, gait: Sequence[NodeSpec], controller: Sequence[NodeSpec]
) -> NodeSpec:
    options, spec, entry = stack.options, stack.spec, stack.backend.entry
    robot = stack.common_parameters["robot"]
    choices = {
        "robot_name": spec.name,
        "backend_name": stack.backend.name,
        "law": stack.law,
        "gait_name": stack.gait_name,
        "command": options.command,
        "given": {"robot": robot, "namespace": options.namespace, "duration": stack.duration},
    }
    given = {section: options.section(section) for section in SECTIONS} | {"backend": stack.backend_parameters}
    parameters = merged_parameters(
        spec,
        entry,
        backend.parameters,
        [(stack.gait_name, node.parameters) for node in gait],
        [(stack.law, node.parameters) for node in controller],
    )
    run = run_metadata(choices, given, parameters, spec)
    recorder = {"directory": options.record, "run": run, "simulated": entry.simulated}
    return _node(stack, "crawler_bringup", "recorder_node", "recorder", recorder)


def _viewer_nodes(stack: Stack) -> Iterator[NodeSpec]:
    options = stack.options
    if options.view:
        # with keys the page is a viewer, which may call no service
        page = {"port": options.view_port, "view_only": options.secure, "use_sim_time": False}
        yield _node(stack, "crawler_view", "view_node", "view", page, is_optional=True)
    if options.rviz:
        yield _node(stack, "crawler_view", "markers_node", "markers", {"use_sim_time": False}, is_optional=True)
        yield rviz_node(stack.spec, options, sim_time=stack.backend.entry.simulated)


def _with_keys(nodes: tuple[NodeSpec, ...], namespace: str) -> tuple[NodeSpec, ...]:
    """Return the nodes with the environment of their enclaves. Raises UserError where keys are missing."""
    keystore = complete_keystore(namespace)
    return tuple(
        replace(node, environment=enclave_environment(keystore, enclave_of(node.name), namespace)) for node in nodes
    )

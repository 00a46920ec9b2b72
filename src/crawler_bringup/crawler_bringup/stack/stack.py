"""The stack: one function from what the user wants to the nodes that make it happen.

The launch files turn the nodes into launch actions, the command line starts them as processes. Everything that the user
said is checked here, before anything starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import yaml

from crawler_bringup.recorder.run_metadata import about_run, merged_settings
from crawler_bringup.security.secure_nodes import secured
from crawler_bringup.stack.node_engines import node_engines
from crawler_bringup.stack.prediction import Prediction, by_equations, by_law
from crawler_core.backend_entry import BackendEntry
from crawler_core.backend_settings import LONGEST, BackendSettings, check_time, robots_common, robots_own
from crawler_core.errors import UserError, unknown_name
from crawler_core.names import check_namespace
from crawler_core.parameters import build, describe
from crawler_core.robot import RobotSpec, default_robot, load_robot
from crawler_core.sections import SECTIONS
from crawler_core.table import Table
from crawler_nodes.transport.domain_id import domain_id
from crawler_view.server.view_settings import ViewSettings
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_registry import gait_name, make_gait
from gait_generators.kinds.limit_check import check_limits
from gait_generators.node.gait_node import GaitSettings
from hybrid_controller.laws.law_registry import LAWS, law_defaults, law_name
from hybrid_controller.node.controller_node import ControllerSettings
from sim_bridge.physics.engines import ENGINE_ENTRIES, default_physics, substitution

T = TypeVar("T")


BACKENDS: Table[BackendEntry] = Table(
    "backend",
    {
        **ENGINE_ENTRIES,
        "model": "sim_bridge.model_backend:ENTRY",
        "mock": "sim_bridge.mock.mock_backend:ENTRY",
        "hardware": "hw_drivers.hardware_backend:ENTRY",
        "emulated": "hw_drivers.emulation.emulated_backend:ENTRY",
    },
)
EMULATED = {"hardware": "emulated", "emulated": "emulated"}  # who pretends the motors that a backend drives
# what the stack itself gives every node, and the user gives as robot, rate, ... once
GIVEN_BACKEND = ("robot", "robot_overrides")
GIVEN = (*GIVEN_BACKEND, "rate", "lockstep", "gait", "law")
LOG_LEVELS = ("debug", "info", "warn", "error", "fatal")
SHORTEST = 20.0  # s, the default duration of a fast gait
PERIODS = 5  # and of a slow one


@dataclass(frozen=True)
class Options:
    """What the user wants. `settings` holds the sections robot, gait, controller and backend."""

    robot: str = field(default_factory=default_robot)
    backend: str = ""  # empty: physics, by the engine that this machine has
    emulate: bool = False  # with the backend hardware: on pretended motors
    controller: str = ""  # empty: the robot's default law
    gait: str = ""  # empty: the robot's default
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    duration: float | None = 0.0  # s of the run's own time; 0: without end; None: until the crawl has settled
    namespace: str = ""
    rviz: bool = False
    view: bool = False  # the live page
    view_port: int = ViewSettings.port
    record: str = ""  # directory of the recording, empty for none
    command: str = ""  # what the user typed, for the recording
    watchers: int = 0  # readers of joint_states besides the nodes of the stack
    log_level: str = "info"
    secure: bool = False  # with the keys of a keystore, so that nobody else can command


@dataclass(frozen=True)
class NodeSpec:
    """One process of the stack."""

    package: str
    executable: str
    name: str
    parameters: Mapping[str, Any]
    namespace: str
    arguments: tuple[str, ...] = ()
    remappings: tuple[tuple[str, str], ...] = ()
    log_level: str = "info"
    installed_with_ros: bool = False  # only a ROS 2 install has it: the command line leaves it out
    bystander: bool = False  # the ring goes on without it
    environment: Mapping[str, str] = field(default_factory=dict)  # besides that of the parent


@dataclass(frozen=True)
class Stack:
    """Checked nodes, and what they were made from."""

    options: Options
    spec: RobotSpec
    gait: Gait
    gait_name: str
    law: str
    duration: float  # s; 0: without end
    nodes: tuple[NodeSpec, ...]
    note: str = ""  # what was chosen for the user and others would not expect, a sentence

    @cached_property
    def prediction(self) -> Prediction:
        """What the run can be compared with. For a law that changes what the robot does it takes some seconds.

        Raises UserError where the equations rule the gait out: a stack that was made has been asked already.
        """
        of_law = by_law(self.spec, self.gait, self.law, self.options.settings.get("controller") or {})
        return by_equations(self.spec, self.gait) if of_law is None else of_law


def make_stack(options: Options) -> Stack:
    """The stack for `options`. Raises UserError for whatever cannot work.

    Lockstep goes as fast as it can unless a real_time_factor is given, and the backend itself ends the run.
    """
    domain_id()
    check_namespace(options.namespace)
    for section in options.settings:
        if section not in SECTIONS:
            raise unknown_name("section", section, SECTIONS)
    note = ""
    if not options.backend:
        options = replace(options, backend=default_physics(node_engines()))
        note = substitution(options.backend)
    if options.backend not in BACKENDS:
        raise unknown_name("backend", options.backend, BACKENDS)
    if options.emulate:
        options = replace(options, backend=_emulated(options.backend))
    chosen = {section: dict(options.settings.get(section) or {}) for section in SECTIONS}
    spec = load_robot(options.robot, chosen["robot"])
    name = gait_name(spec, options.gait)
    law = law_name(spec, options.controller)
    node_values, gait_values = _split(GaitSettings, chosen["gait"], GIVEN)
    build(GaitSettings, node_values, section="gait")
    gait = make_gait(spec, name, gait_values)
    check_limits(spec, gait)
    entry = BACKENDS[options.backend]
    common = robots_common(spec, options.backend, entry.settings)
    wanted = _timed(common, chosen["backend"])
    defaults = robots_own(spec, options.backend, entry.settings)
    settings = check_section("backend", wanted, BackendSettings, entry.settings, defaults, GIVEN_BACKEND)
    check_time(settings)
    own, _ = _split(entry.settings, {**defaults, **wanted})
    entry.check(spec, build(entry.settings, own, section="backend"))
    if settings.lockstep and not entry.simulated:
        raise UserError(f"backend.lockstep = true needs a simulation; with {options.backend} time passes by itself.")
    duration = _duration(options, settings, gait)
    if duration:
        wanted["stop_at"] = duration  # a fast run does not run on, and motors stop though nobody watches them any more
    LAWS[law].check(spec)
    law_values = law_defaults(spec, law)
    check_section("controller", chosen["controller"], ControllerSettings, LAWS[law].parameters, law_values, GIVEN)

    every = {
        "robot": _absolute(options.robot or default_robot()),
        "robot_overrides": yaml.safe_dump(chosen["robot"], default_flow_style=True, width=10**6).strip(),
        "use_sim_time": entry.simulated,
    }
    ring = {**every, "rate": settings.rate}
    # the backend makes the time and the controller takes it from the states: neither needs to hear the clock
    readers = 2 + bool(options.record) + options.watchers  # gait, controller, and who else is started
    backend = {**ring, "readers": readers, **wanted, "use_sim_time": False}
    # a recorder misses no answer: it and the backend are those who listen to them
    follower = {**ring, "readers": 2 if options.record else 0, "lockstep": settings.lockstep, "use_sim_time": False}
    remap = (("/clock", "clock"),) if options.namespace else ()

    def node(package: str, executable: str, label: str, parameters: Mapping[str, Any], **more: Any) -> NodeSpec:
        return NodeSpec(
            package,
            executable,
            label,
            parameters,
            namespace=options.namespace,
            remappings=remap,
            log_level=options.log_level,
            **more,
        )

    nodes = [
        node(entry.package, entry.executable, "backend", backend),
        node("gait_generators", "gait_node", "gait", {**ring, "gait": name, **chosen["gait"]}),
        node(
            "hybrid_controller",
            "controller_node",
            "controller",
            {**follower, "law": law, **chosen["controller"]},
        ),
    ]
    if options.record:
        said = {
            "robot_name": spec.name,
            "backend_name": options.backend,
            "law": law,
            "gait_name": name,
            "command": options.command,
            "given": {"robot": every["robot"], "namespace": options.namespace, "duration": duration},
        }
        merged = merged_settings(spec, entry, backend, (name, nodes[1].parameters), (law, nodes[2].parameters))
        run = about_run(said, {**chosen, "backend": wanted}, merged, spec)
        recorder = {"directory": options.record, "run": run, "simulated": entry.simulated}
        nodes.append(node("crawler_bringup", "recorder_node", "recorder", recorder))
    if options.view:
        # with keys it is a viewer, who may call no service
        page = {"port": options.view_port, "view_only": options.secure, "use_sim_time": False}
        nodes.append(node("crawler_view", "view_node", "view", page, bystander=True))
    if options.rviz:
        nodes.append(node("crawler_view", "markers_node", "markers", {"use_sim_time": False}, bystander=True))
        nodes.append(rviz_node(spec, options, entry.simulated))
    ready = secured(nodes, options.namespace) if options.secure else tuple(nodes)
    stack = Stack(options, spec, gait, name, law, duration, ready, note)
    if LAWS[law].prediction is None:
        stack.prediction  # noqa: B018  asked now, since it may rule the gait out
    return stack


def _timed(robots: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The backend's settings, of the robot and of the user, with the pace of lockstep where who wants it says none."""
    both = {**robots, **chosen}
    wants = chosen if "lockstep" in chosen else both
    unpaced = both.get("lockstep") is True and "real_time_factor" not in wants
    return {**both, "real_time_factor": 0.0} if unpaced else both


def _duration(options: Options, settings: BackendSettings, gait: Gait) -> float:
    duration = options.duration
    if duration is None:
        return settings.stop_at or max(SHORTEST, PERIODS * gait.period)
    if not 0.0 <= duration <= LONGEST:
        raise UserError(
            f"--duration {duration:g} is not allowed: give seconds, {LONGEST:g} at most, or 0 for until Ctrl-C."
        )
    if duration and settings.stop_at not in (0.0, duration):
        raise UserError(
            f"--duration {duration:g} contradicts backend.stop_at = {settings.stop_at:g}: give one of them."
        )
    return duration


def _emulated(backend: str) -> str:
    """The backend that pretends what `backend` drives."""
    if backend not in EMULATED:
        raise UserError(f"emulate is about motors: the backend {backend} has none, hardware has.")
    return EMULATED[backend]


def rviz_node(spec: RobotSpec, options: Options, sim_time: bool) -> NodeSpec:
    """RViz with the robot's own configuration."""
    return NodeSpec(
        "rviz2",
        "rviz2",
        "rviz",
        {"use_sim_time": sim_time},
        namespace=options.namespace,
        arguments=("-d", str(spec.directory / f"{spec.name}.rviz")),
        remappings=(("/clock", "clock"),) if options.namespace else (),
        installed_with_ros=True,
    )


def view_nodes(options: Options) -> tuple[NodeSpec, ...]:
    """The nodes that show a robot standing still: sliders in place of a ring."""
    domain_id()
    check_namespace(options.namespace)
    spec = load_robot(options.robot, (options.settings.get("robot") or {}))
    common = {
        "robot": _absolute(options.robot or default_robot()),
        "robot_overrides": yaml.safe_dump(dict(options.settings.get("robot") or {}), default_flow_style=True).strip(),
        "use_sim_time": False,
    }
    description = NodeSpec("crawler_bringup", "description_node", "description", common, namespace=options.namespace)
    sliders = NodeSpec(
        "joint_state_publisher_gui",
        "joint_state_publisher_gui",
        "sliders",
        {f"zeros.{joint.name}": joint.home for joint in spec.joints},
        namespace=options.namespace,
        remappings=(("joint_states", "slider_states"),),  # the description node closes the loops
        installed_with_ros=True,
    )
    shown = (rviz_node(spec, options, False),) if options.rviz else ()
    return (description, sliders, *shown)


def _absolute(robot: str) -> str:
    """A robot's name as it is, the path of a file so that processes elsewhere find it."""
    return str(Path(robot).resolve()) if robot.endswith((".yaml", ".yml")) else robot


def check_section(
    section: str,
    values: Mapping[str, Any],
    shared: type[T],
    own: type,
    defaults: Mapping[str, Any],
    given: Sequence[str],
) -> T:
    """Check a node's settings: those that every node of its kind has, which are returned, and its own."""
    allowed = {info.name for cls in (shared, own) for info in describe(cls)} - set(given)
    for name in values:
        if name not in allowed:
            raise unknown_name("parameter", f"{section}.{name}", (f"{section}.{known}" for known in allowed))
    shared_values, own_values = _split(shared, values)
    build(own, {**defaults, **own_values}, section=section)
    return build(shared, shared_values, section=section)


def _split(cls: type, values: Mapping[str, Any], given: Sequence[str] = ()) -> tuple[dict[str, Any], dict[str, Any]]:
    """`values` that are parameters of `cls` and not `given` otherwise, and the others."""
    names = {info.name for info in describe(cls)} - set(given)
    return {k: v for k, v in values.items() if k in names}, {k: v for k, v in values.items() if k not in names}

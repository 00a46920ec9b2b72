"""What a recording says of its run: all that is needed to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import yaml

from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.loop.backend_settings import BackendSettings, own_robot_settings
from crawler_core.parameters import build, describe
from crawler_core.robot.robot_spec import RobotSpec
from gait_generators.kinds.gait_registry import GAITS, gait_defaults
from gait_generators.node.gait_node import GaitSettings
from hybrid_controller.laws.law_registry import law_parameters
from hybrid_controller.node.controller_node import ControllerSettings

Values = Mapping[str, Any]


def run_metadata(said: Values, sections: Mapping[str, Values], merged: Values, spec: RobotSpec) -> str:
    """The YAML of the first message of a recording.

    `said` is what was asked for by name, `sections` the settings that were given, `merged` those of every node with
    their defaults.
    """
    given = {section: dict(values) for section, values in sections.items() if values}
    about = {
        **said,
        **given,
        "robot_parameters": dict(spec.parameters),
        "parameters": merged,
        "robot_file": spec.document,
    }
    return yaml.safe_dump(_plain(about), sort_keys=False, default_flow_style=None, width=10**6)


def merged_parameters(
    spec: RobotSpec, entry: BackendEntry, backend: Values, gait: tuple[str, Values], law: tuple[str, Values]
) -> dict[str, dict[str, Any]]:
    """By node every parameter with the value that it has: the user's, the robot file's or its own default.

    `gait` and `law` are names, with what is said for their nodes.
    """
    (gait_name, of_gait), (law_name, of_law) = gait, law
    own = {**own_robot_settings(spec, entry.backend.kind, entry.settings), **backend}
    return {
        "backend": {**_built(BackendSettings, backend), **_built(entry.settings, own)},
        "gait": {
            **_built(GaitSettings, of_gait),
            **_built(GAITS[gait_name].parameters, {**gait_defaults(spec, gait_name), **of_gait}),
        },
        "controller": {**_built(ControllerSettings, of_law), **asdict(law_parameters(spec, law_name, of_law))},
    }


def _built(cls: type, values: Values) -> dict[str, Any]:
    """The parameters of `cls`, of which `values` may have some, and others' as well."""
    names = {info.name for info in describe(cls)}
    made: Any = build(cls, {name: value for name, value in values.items() if name in names}, section="")
    return {name: getattr(made, name) for name in sorted(names)}


def _plain(value: Any) -> Any:
    """Of mappings and sequences of any kind those that YAML knows."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)

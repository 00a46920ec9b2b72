"""The metadata of a recorded run: everything needed to repeat it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import yaml

from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.loop.backend_settings import BackendSettings, own_robot_settings
from crawler_core.parameters import build, describe
from crawler_core.robot.robot_spec import RobotSpec
from gait_generators.kinds.gait_registry import GAITS, gait_defaults
from gait_generators.node.gait_settings import GaitSettings
from hybrid_controller.laws.law_registry import law_parameters
from hybrid_controller.node.controller_settings import ControllerSettings

Values = Mapping[str, Any]


def run_metadata(choices: Values, sections: Mapping[str, Values], parameters: Values, spec: RobotSpec) -> str:
    """Return the YAML of a recording's first message.

    `choices` are the names and numbers of the run, `sections` the user's settings, `parameters` those of every node
    with their defaults.
    """
    given = {section: dict(values) for section, values in sections.items() if values}
    metadata = {
        **choices,
        **given,
        "robot_parameters": dict(spec.parameters),
        "parameters": parameters,
        "robot_file": spec.document,
    }
    return yaml.safe_dump(_plain(metadata), sort_keys=False, default_flow_style=None, width=10**6)


def merged_parameters(
    spec: RobotSpec,
    entry: BackendEntry,
    backend: Values,
    gait: Sequence[tuple[str, Values]],
    law: Sequence[tuple[str, Values]],
) -> dict[str, dict[str, Any]]:
    """Return every parameter of every node with its value: the user's, the robot file's or the default.

    `gait` and `law` each have one entry, a name with the parameters given to its node, or none without that node.
    """
    own = {**own_robot_settings(spec, entry.backend.kind, entry.settings), **backend}
    merged = {"backend": {**_built(BackendSettings, backend), **_built(entry.settings, own)}}
    for name, values in gait:
        gait_own = {**gait_defaults(spec, name), **values}
        merged["gait"] = {**_built(GaitSettings, values), **_built(GAITS[name].parameters, gait_own)}
    for name, values in law:
        merged["controller"] = {**_built(ControllerSettings, values), **asdict(law_parameters(spec, name, values))}
    return merged


def _built(cls: type, values: Values) -> dict[str, Any]:
    """Return all parameters of `cls`; `values` may have some of them, and others too."""
    names = {info.name for info in describe(cls)}
    built: Any = build(cls, {name: value for name, value in values.items() if name in names}, section="")
    return {name: getattr(built, name) for name in sorted(names)}


def _plain(value: Any) -> Any:
    """Return mappings and sequences of any kind as those that YAML has."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)

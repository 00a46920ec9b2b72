"""A stack whose nodes use their keys: what their environment must say, and whether this middleware can do it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from crawler_bringup.security.enclave import ENCLAVES, VIEWER, enclave_of
from crawler_bringup.security.keystore import VARIABLE, enclave_name, keystore_path, missing
from crawler_core.errors import UserError

if TYPE_CHECKING:
    from crawler_bringup.stack.node_spec import NodeSpec

PROBE = "import rclpy; rclpy.init(); rclpy.create_node('probe', start_parameter_services=False)"
WITHOUT = "doesn't have the security libraries"  # what rmw_fastrtps says of a Fast DDS that was built without them
PATIENCE = 60.0  # s


def environment(keystore: Path, member: str, namespace: str) -> dict[str, str]:
    """What the environment of a process must say that it is this member."""
    return {
        "ROS_SECURITY_ENABLE": "true",
        "ROS_SECURITY_STRATEGY": "Enforce",
        VARIABLE: str(keystore),
        "ROS_SECURITY_ENCLAVE_OVERRIDE": enclave_name(member, namespace),
    }


def use_viewer_enclave(namespace: str) -> None:
    """Make this process a viewer of the ring in this namespace.

    Raises UserError where there are no keys, or where the middleware knows no security.
    """
    settings = environment(_complete(namespace), VIEWER, namespace)
    check_middleware(settings)
    os.environ.update(settings)


def secured(nodes: Iterable[NodeSpec], namespace: str) -> tuple[NodeSpec, ...]:
    """The nodes with their keys. Raises UserError where there are none."""
    keystore = _complete(namespace)
    return tuple(replace(one, environment=environment(keystore, enclave_of(one.name), namespace)) for one in nodes)


def _complete(namespace: str) -> Path:
    """The keystore, with all keys of the ring in this namespace."""
    keystore = keystore_path()
    if lacking := missing(keystore, ENCLAVES, namespace):
        to = f" --namespace {namespace}" if namespace else ""
        raise UserError(f"{lacking[0]} is not there: './crawler keys {keystore}{to}' makes the keys.")
    return keystore


def check_middleware(settings: dict[str, str]) -> None:
    """Raise UserError where a process with these settings cannot speak."""
    try:
        tried = subprocess.run(
            [sys.executable, "-c", PROBE],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"a process with keys did not start within {PATIENCE:g} s: run without secure.") from None
    if not tried.returncode:
        return
    if WITHOUT in tried.stderr:
        raise UserError(
            "the middleware of this environment was built without DDS Security, so that nobody's keys are looked at: "
            "run without secure here, or on a ROS 2 install, whose middleware has it."
        )
    reason = (tried.stderr.strip().splitlines() or ["it said nothing"])[-1]
    raise UserError(f"the keys in {settings[VARIABLE]} cannot be used: {reason}")

"""The environment of processes with keys, and a check that the middleware can use them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from crawler_bringup.security.enclave import ENCLAVES, VIEWER
from crawler_bringup.security.keystore import KEYSTORE_VARIABLE, enclave_name, keystore_path, missing_files
from crawler_core.errors import UserError

PROBE = "import rclpy; rclpy.init(); rclpy.create_node('probe', start_parameter_services=False)"
NO_SECURITY = "doesn't have the security libraries"  # error of rmw_fastrtps with a Fast DDS built without them
PROBE_TIMEOUT_S = 60.0


def enclave_environment(keystore: Path, enclave: str, namespace: str) -> dict[str, str]:
    """Return the environment variables that give a process the keys of this enclave."""
    return {
        "ROS_SECURITY_ENABLE": "true",
        "ROS_SECURITY_STRATEGY": "Enforce",
        KEYSTORE_VARIABLE: str(keystore),
        "ROS_SECURITY_ENCLAVE_OVERRIDE": enclave_name(enclave, namespace),
    }


def complete_keystore(namespace: str) -> Path:
    """Return the keystore. Raises UserError where keys of the stack in this namespace are missing."""
    keystore = keystore_path()
    if missing := missing_files(keystore, ENCLAVES, namespace):
        option = f" --namespace {namespace}" if namespace else ""
        raise UserError(f"{missing[0]} is missing: './crawler keys {keystore}{option}' makes the keys.")
    return keystore


def use_viewer_enclave(namespace: str) -> None:
    """Make this process a viewer of the stack in this namespace.

    Raises UserError where keys are missing or the middleware has no security.
    """
    settings = enclave_environment(complete_keystore(namespace), VIEWER, namespace)
    check_middleware(settings)
    os.environ.update(settings)


def check_middleware(settings: dict[str, str]) -> None:
    """Raise UserError where a node cannot be created with these environment variables."""
    try:
        probe = subprocess.run(
            [sys.executable, "-P", "-c", PROBE],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            timeout=PROBE_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UserError(
            f"a process with keys did not start within {PROBE_TIMEOUT_S:g} s: run without secure."
        ) from None
    if not probe.returncode:
        return
    if NO_SECURITY in probe.stderr:
        raise UserError(
            "the middleware of this environment was built without DDS Security, so it checks no keys: "
            "run without secure here, or on a ROS 2 install, whose middleware has it."
        )
    reason = (probe.stderr.strip().splitlines() or ["it printed no reason"])[-1]
    raise UserError(f"the keys in {settings[KEYSTORE_VARIABLE]} cannot be used: {reason}")

"""Make the keys (SROS 2) with which only a stack's own nodes command its robot."""

from __future__ import annotations

import argparse

from crawler_bringup.security.enclave import ENCLAVES
from crawler_bringup.security.enclave_environment import enclave_environment
from crawler_bringup.security.keystore import (
    DEFAULT_KEYSTORE,
    KEYSTORE_VARIABLE,
    enclave_directory,
    keystore_path,
    make_keys,
)
from crawler_cli.console.arguments import add_json, namespace
from crawler_cli.console.output import print_json

HELP_TEXT = """
  makes   keys and permissions for the stack's nodes, an operator and a viewer
  where   keys/, the keystore of $ROS_SECURITY_KEYSTORE, or the one named
  time    some seconds

Existing keys stay. The folder private/ can make keys of every kind: leave it on the machine that made them. A machine
that only views needs enclaves/viewer: docs/security.md.

examples:
  crawler keys
  crawler run --secure
  crawler keys --namespace left

exit codes: 0 done, 2 bad input

keys of --json: keystore, made (new enclaves), enclaves (of each: directory, environment)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "keystore", nargs="?", default="", help=f"where (default: ${KEYSTORE_VARIABLE}, or {DEFAULT_KEYSTORE}/ here)"
    )
    parser.add_argument("--namespace", type=namespace, default="", help="of the stack, as of `crawler run`")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the missing keys, and print how to use them."""
    keystore, namespace = keystore_path(arguments.keystore), arguments.namespace
    made = make_keys(keystore, namespace)
    if arguments.json:
        enclaves = {
            name: {
                "directory": str(enclave_directory(keystore, name, namespace)),
                "environment": enclave_environment(keystore, name, namespace),
            }
            for name in ENCLAVES
        }
        print_json({"keystore": str(keystore), "made": [str(directory) for directory in made], "enclaves": enclaves})
        return 0
    for enclave in ENCLAVES.values():
        directory = enclave_directory(keystore, enclave.name, namespace)
        print(f"{enclave.name:<10} {enclave.about}: {directory}{' (new)' if directory in made else ''}")
    print("\nFor a shell that only views, with ros2 or RViz (an operator's has /operator at the end):")
    for name, value in enclave_environment(keystore, "viewer", namespace).items():
        print(f"  export {name}={value}")
    return 0

"""Make the keys (SROS 2 enclaves) with which only a ring's own nodes command its robot, and viewers only read."""

from __future__ import annotations

import argparse
import json

from crawler_bringup.security.enclave import ENCLAVES
from crawler_bringup.security.keystore import DEFAULT, VARIABLE, enclave_directory, keystore_path, make_keys
from crawler_bringup.security.secure_nodes import environment
from crawler_cli.console.arguments import add_json, namespace

HELP = """examples:
  crawler keys
  crawler run --secure
  crawler keys --namespace left

Keys that are there stay. Whoever has the folder private/ can make keys of every kind: it stays on the machine that
makes them. A machine that only looks on needs enclaves/viewer: docs/security.md.

exit codes: 0 done, 2 bad input

keys of --json: keystore, made (the enclaves that were not there before), enclaves (of each: directory, environment)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler keys`."""
    parser.add_argument("keystore", nargs="?", default="", help=f"where (default: ${VARIABLE}, or {DEFAULT}/ here)")
    parser.add_argument("--namespace", type=namespace, default="", help="of the ring, as of `crawler run`")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make what is missing, and say how it is used."""
    keystore, ring = keystore_path(arguments.keystore), arguments.namespace
    made = make_keys(keystore, ring)
    if arguments.json:
        enclaves = {
            name: {
                "directory": str(enclave_directory(keystore, name, ring)),
                "environment": environment(keystore, name, ring),
            }
            for name in ENCLAVES
        }
        print(json.dumps({"keystore": str(keystore), "made": [str(place) for place in made], "enclaves": enclaves}))
        return 0
    for member in ENCLAVES.values():
        place = enclave_directory(keystore, member.name, ring)
        print(f"{member.name:<10} {member.about}: {place}{' (new)' if place in made else ''}")
    print("\nA shell that looks on, with ros2 or RViz (an operator's has /operator at the end):")
    for name, value in environment(keystore, "viewer", ring).items():
        print(f"  export {name}={value}")
    return 0

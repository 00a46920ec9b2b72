"""A running ring from a second terminal: what it may be told, telling it, and stopping it. No ros2cli is needed."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Coroutine, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from crawler_bringup.stack.settings import parse_assignments
from crawler_cli.console.arguments import add_json, namespace
from crawler_core.errors import UserError, unknown_name
from crawler_nodes.client.stack_client import (
    APPEARS,
    SETTLES,
    ServiceAnswer,
    StackClient,
    StackParameter,
    open_stack_client,
)

NODES = ("gait", "controller")
STOPS = ("estop", "reset", "enable", "stop")
ACTIONS = ("list", "show", "set", *STOPS)
NOT_DONE = 1  # exit code
QUIET = 2.0  # s that it looks for rings without a word
NONE_HERE = "no ring runs here: './crawler run' starts one; ROS_DOMAIN_ID must be that of the ring."
HELP = """actions:
  list      the rings that run here, by their namespaces
  show      the parameters of gait and controller: value, what is allowed, meaning; or only those named
  set       parameters, such as gait.omega=8; a gait's blend in at its next phase 0
  estop     emergency stop: torque off, latched; without --namespace of every ring here
  reset     clear an emergency stop or a fault that has been put right
  enable    allow motion, from the measured pose
  stop      take the torque off without latching anything; 'enable' goes on

examples:
  crawler steer list
  crawler steer show gait.omega
  crawler steer set gait.omega=8 gait.psi=20
  crawler steer estop
  crawler steer reset && crawler steer enable
  crawler steer stop --namespace second

Otherwise, without --namespace, it is the one ring that runs here; where there are several, one must be named.
Nothing waits for more than some twenty seconds.

exit codes: 0 done; 1 the ring refused, did not answer or is not there; 2 bad input; 130 interrupted

keys of --json: action, namespace, done, said, rings (of list), parameters (of show, by node.name: value, unit, range,
meaning, set)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler steer`."""
    parser.add_argument("action", choices=ACTIONS, help="see below")
    parser.add_argument("what", nargs="*", help="for show: names such as gait.omega; for set: gait.omega=8")
    parser.add_argument("--namespace", type=namespace, default="", help="of the ring, where there are several")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do the action."""
    wanted = _wanted(arguments)
    told: dict[str, Any] = {"action": arguments.action, "namespace": arguments.namespace.strip("/")}
    with open_stack_client("steer", told["namespace"]) as client:
        try:
            answer = asyncio.run(_act(client, arguments, wanted, told))
        except TimeoutError as error:
            answer = ServiceAnswer(False, str(error))
    told |= {"done": answer.done, "said": answer.text}
    if arguments.json:
        print(json.dumps(told))
    elif answer.text:
        Console(stderr=not answer.done, soft_wrap=True, markup=False, highlight=False).print(
            answer.text if answer.done else f"crawler: {answer.text}"
        )
    return 0 if answer.done else NOT_DONE


def _wanted(arguments: argparse.Namespace) -> Mapping[str, Mapping[str, Any]]:
    """What shall be set. Raises UserError for words that the action cannot use."""
    if arguments.action in ("list", *STOPS) and arguments.what:
        raise UserError(f"'{arguments.action}' takes no further words, but got '{arguments.what[0]}'.")
    if arguments.action != "set":
        return {}
    if not arguments.what:
        raise UserError("'set' needs what to set, such as gait.omega=8; 'crawler steer show' lists what there is.")
    settings = parse_assignments(arguments.what)
    for section in settings:
        if section not in NODES:
            raise UserError(f"{section} cannot be set while a ring runs: {' and '.join(NODES)} can.")
    return settings


async def _act(
    client: StackClient, arguments: argparse.Namespace, wanted: Mapping[str, Mapping[str, Any]], told: dict[str, Any]
) -> ServiceAnswer:
    if arguments.action == "estop":
        return await _estop(client)
    rings = await _looked(client.look())
    if arguments.action == "list":
        told["rings"] = rings
        return ServiceAnswer(True, "\n".join(_called(ring) for ring in rings) or "no ring runs here")
    if not rings:
        return ServiceAnswer(False, NONE_HERE)
    if not client.namespace:
        if len(rings) > 1:
            names = ", ".join(_called(ring) for ring in rings)
            raise UserError(f"{len(rings)} rings run here, {names}: say which with --namespace NAME.")
        client.namespace = told["namespace"] = rings[0]
    elif client.namespace not in rings:
        raise UserError(f"there is no ring '{client.namespace}' here: there is {', '.join(map(_called, rings))}.")
    if arguments.action == "show":
        return await _show(client, arguments, told)
    if arguments.action == "set":
        return await _set(client, wanted)
    if arguments.action == "reset":
        return await client.reset()
    return await client.enable(arguments.action == "enable")


async def _looked(looking: Coroutine[Any, Any, list[str]]) -> list[str]:
    """The rings; whoever waits for them for long is told what for."""
    found = asyncio.ensure_future(looking)
    if not (await asyncio.wait([found], timeout=QUIET))[0]:
        Console(stderr=True, soft_wrap=True).print(f"No ring is seen yet; looking for {APPEARS:g} s at most ...")
    return await found


async def _estop(client: StackClient) -> ServiceAnswer:
    """Stop the ring that is named, and otherwise every one, the first as soon as it is seen."""
    if client.namespace:
        return await client.estop()
    stopped: dict[str, ServiceAnswer] = {}
    for seconds, settles in ((APPEARS, 0.0), (SETTLES, SETTLES)):
        for ring in await _looked(client.look(seconds, settles)):
            if ring not in stopped:
                client.namespace = ring
                try:
                    stopped[ring] = await client.estop()
                except TimeoutError as error:
                    stopped[ring] = ServiceAnswer(False, str(error))
    if len(stopped) < 2:
        return next(iter(stopped.values()), ServiceAnswer(False, NONE_HERE))
    said = "; ".join(f"{_called(ring)}: {answer.text}" for ring, answer in stopped.items())
    return ServiceAnswer(all(answer.done for answer in stopped.values()), said)


def _called(ring: str) -> str:
    return ring or "the ring without a namespace"


async def _parameters(client: StackClient, nodes: tuple[str, ...] = NODES) -> dict[str, StackParameter]:
    return {f"{node}.{found.name}": found for node in nodes for found in await client.parameters(node)}


async def _show(client: StackClient, arguments: argparse.Namespace, told: dict[str, Any]) -> ServiceAnswer:
    found = await _parameters(client)
    for name in arguments.what:
        if name not in found and name not in NODES:
            raise unknown_name("parameter", name, found)
    names = [n for n in found if not arguments.what or n in arguments.what or found[n].node in arguments.what]
    told["parameters"] = {
        name: {
            "value": found[name].value,
            "unit": found[name].unit,
            "range": found[name].allowed.text,
            "meaning": found[name].doc,
            "set": "at start" if found[name].constant else "any time",
        }
        for name in names
    }
    if not arguments.json:
        table = Table("parameter", "value", "allowed", "set", "meaning")
        for name, about in told["parameters"].items():
            table.add_row(name, str(about["value"]), about["range"], about["set"], about["meaning"])
        Console().print(table)
    return ServiceAnswer(True, "")


async def _set(client: StackClient, wanted: Mapping[str, Mapping[str, Any]]) -> ServiceAnswer:
    found = await _parameters(client, tuple(wanted))
    for name in (f"{node}.{name}" for node, values in wanted.items() for name in values):
        if name not in found:
            raise unknown_name("parameter", name, (known for known in found if not found[known].constant))
        if found[name].constant:
            raise UserError(f"{name} is read at start only: give it to the next 'crawler run' with --set.")
    for node, values in wanted.items():
        answer = await client.set(node, values)
        if not answer.done:
            return answer
    said = ", ".join(f"{node}.{name} = {value}" for node, values in wanted.items() for name, value in values.items())
    return ServiceAnswer(
        True, f"{said} is set; a gait changes at its next phase 0." if "gait" in wanted else f"{said} is set."
    )

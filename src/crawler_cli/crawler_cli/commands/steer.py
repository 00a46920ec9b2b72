"""Show and set parameters of a running stack from a second terminal, and stop it."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from typing import Any

from crawler_bringup.stack.settings import parse_assignments
from crawler_cli.console.arguments import add_json, namespace
from crawler_cli.console.exit_code import EXIT_NOT_DONE
from crawler_cli.console.output import print_json, print_lines
from crawler_cli.local_estop import describe_answers, stack_name
from crawler_core.errors import UserError, unknown_name
from crawler_nodes.client.stack_client import (
    DISCOVERY_TIMEOUT_S,
    SETTLE_S,
    ServiceAnswer,
    StackClient,
    StackParameter,
    open_stack_client,
)
from crawler_nodes.transport.discovery_server import check_discovery_server

NODES = ("gait", "controller")
STOPS = ("estop", "reset", "enable", "stop")
ACTIONS = ("list", "show", "set", *STOPS)
NOTICE_DELAY_S = 2.0  # without a stack, until a notice to wait
NO_STACK = "no stack runs here: './crawler run' starts one; ROS_DOMAIN_ID must be that of the stack."
HELP_TEXT = """
  makes   a change in the running stack, or a list of its parameters
  where   the only stack on this machine, or that of --namespace
  time    estop of a stack on this machine at once; the others at most some twenty seconds

actions:
  list      the running stacks, by their namespaces
  show      the parameters of gait and controller: value, range, meaning; or only those named
  set       parameters, such as gait.omega=8; those of a gait blend in at its next phase 0
  estop     emergency stop: torque off, latched; without --namespace of every stack here and in the network
  reset     clear an emergency stop, or a fault whose cause is removed
  enable    allow motion, from the measured pose
  stop      torque off without a latch; 'enable' goes on

examples:
  crawler steer list
  crawler steer show gait.omega
  crawler steer set gait.omega=8 gait.psi=20
  crawler steer estop
  crawler steer reset && crawler steer enable
  crawler steer stop --namespace second

exit codes: 0 done; 1 the stack rejected it, did not answer or is not there; 2 bad input; 130 interrupted

keys of --json: action, namespace, done, message, stacks (of list), parameters (of show, by node.name: value, unit,
range, meaning, set)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS, help="see below")
    parser.add_argument("what", nargs="*", help="for show: names such as gait.omega; for set: gait.omega=8")
    parser.add_argument("--namespace", type=namespace, default="", help="of the stack, where there are several")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do the action and print the answer."""
    values = _values_to_set(arguments)
    result: dict[str, Any] = {"action": arguments.action, "namespace": arguments.namespace.strip("/")}
    with open_stack_client("steer", result["namespace"]) as client:
        try:
            answer = asyncio.run(_act(client, arguments, values, result))
        except TimeoutError as error:
            answer = ServiceAnswer(False, str(error))
    result |= {"done": answer.done, "message": answer.text}
    if arguments.json:
        print_json(result)
    elif answer.text:
        print(answer.text if answer.done else f"crawler: {answer.text}", file=None if answer.done else sys.stderr)
    return 0 if answer.done else EXIT_NOT_DONE


def _values_to_set(arguments: argparse.Namespace) -> Mapping[str, Mapping[str, Any]]:
    """Return the values of `set`, by node. Raises UserError for words that the action cannot use."""
    if arguments.action in ("list", *STOPS) and arguments.what:
        raise UserError(f"'{arguments.action}' takes no further words, but got '{arguments.what[0]}'.")
    if arguments.action != "set":
        return {}
    if not arguments.what:
        raise UserError("'set' needs what to set, such as gait.omega=8; 'crawler steer show' lists what there is.")
    settings = parse_assignments(arguments.what)
    for section in settings:
        if section not in NODES:
            raise UserError(f"{section} cannot be set while a stack runs: {' and '.join(NODES)} can.")
    return settings


async def _act(
    client: StackClient, arguments: argparse.Namespace, values: Mapping[str, Mapping[str, Any]], result: dict[str, Any]
) -> ServiceAnswer:
    if arguments.action == "estop":
        return await _estop(client)
    check_discovery_server(client.node)
    stacks = await with_notice(client.find_stacks())
    if arguments.action == "list":
        result["stacks"] = stacks
        return ServiceAnswer(True, "\n".join(map(stack_name, stacks)) or "no stack runs here")
    if not stacks:
        return ServiceAnswer(False, NO_STACK)
    result["namespace"] = choose_stack(client, stacks)
    if arguments.action == "show":
        return await _show(client, arguments, result)
    if arguments.action == "set":
        return await _set(client, values)
    if arguments.action == "reset":
        return await client.reset()
    return await client.enable(arguments.action == "enable")


def choose_stack(client: StackClient, stacks: list[str]) -> str:
    """Set the client's namespace to the only stack, unless it names one, and return it. Raises UserError."""
    names = ", ".join(map(stack_name, stacks))
    if not client.namespace:
        if len(stacks) > 1:
            raise UserError(f"{len(stacks)} stacks run here, {names}: choose one with --namespace NAME.")
        client.namespace = stacks[0]
    elif client.namespace not in stacks:
        raise UserError(f"there is no stack '{client.namespace}' here: there is {names}.")
    return client.namespace


async def with_notice(search: Coroutine[Any, Any, list[str]]) -> list[str]:
    """Return the stacks that the search finds. Print a notice when it takes long."""
    found = asyncio.ensure_future(search)
    if not (await asyncio.wait([found], timeout=NOTICE_DELAY_S))[0]:
        print(f"No stack is seen yet; looking for {DISCOVERY_TIMEOUT_S:g} s at most ...", file=sys.stderr)
    return await found


async def _estop(client: StackClient) -> ServiceAnswer:
    """Stop the named stack, or without a name every one, the first as soon as it is seen."""
    if client.namespace:
        return await client.estop()
    stopped: dict[str, ServiceAnswer] = {}
    for seconds, settles in ((DISCOVERY_TIMEOUT_S, 0.0), (SETTLE_S, SETTLE_S)):
        for stack in await with_notice(client.find_stacks(seconds, settles)):
            if stack not in stopped:
                client.namespace = stack
                try:
                    stopped[stack] = await client.estop()
                except TimeoutError as error:
                    stopped[stack] = ServiceAnswer(False, str(error))
    return ServiceAnswer(*describe_answers(stopped)) if stopped else ServiceAnswer(False, NO_STACK)


async def _parameters(client: StackClient, nodes: Iterable[str]) -> dict[str, StackParameter]:
    return {f"{node}.{found.name}": found for node in nodes for found in await client.parameters(node)}


async def _show(client: StackClient, arguments: argparse.Namespace, result: dict[str, Any]) -> ServiceAnswer:
    present = client.present_nodes(NODES)
    if missing := [name for name in arguments.what if name in NODES and name not in present]:
        raise UserError(f"this stack has no {missing[0]} node: a node of your own takes its place.")
    found = await _parameters(client, present)
    for name in arguments.what:
        if name not in found and name not in NODES:
            raise unknown_name("parameter", name, found)
    result["parameters"] = {
        name: {
            "value": parameter.value,
            "unit": parameter.unit,
            "range": parameter.allowed,
            "meaning": parameter.doc,
            "set": "at start" if parameter.constant else "any time",
        }
        for name, parameter in found.items()
        if not arguments.what or name in arguments.what or parameter.node in arguments.what
    }
    if not arguments.json:
        print_lines(*_parameter_lines(result["parameters"]))
    return ServiceAnswer(True, "")


def _parameter_lines(parameters: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each parameter and one for its meaning, which no terminal is too narrow for."""
    name_width = max(map(len, parameters), default=0)
    value_width = max((len(str(about["value"])) for about in parameters.values()), default=0)
    for name, about in parameters.items():
        allowed = ", ".join(filter(None, (about["range"], about["set"])))
        yield f"{name:<{name_width}}  {about['value']!s:<{value_width}}  {allowed}"
        yield f"    {about['meaning']}"


async def _set(client: StackClient, values: Mapping[str, Mapping[str, Any]]) -> ServiceAnswer:
    if missing := set(values) - set(client.present_nodes(values)):
        raise UserError(f"this stack has no {min(missing)} node: a node of your own takes its place.")
    found = await _parameters(client, tuple(values))
    for name in (f"{node}.{name}" for node, own in values.items() for name in own):
        if name not in found:
            raise unknown_name("parameter", name, (known for known in found if not found[known].constant))
        if found[name].constant:
            raise UserError(f"{name} is read at start only: give it to the next 'crawler run' with --set.")
    for node, own in values.items():
        answer = await client.set_parameters(node, own)
        if not answer.done:
            return answer
    text = ", ".join(f"{node}.{name} = {value}" for node, own in values.items() for name, value in own.items())
    return ServiceAnswer(True, f"{text} is set{'; a gait changes at its next phase 0' if 'gait' in values else ''}.")

"""The main of every node: run until Ctrl-C or SIGTERM, leave safely, and say what was wrong in one sentence."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import rclpy
from rclpy.duration import Duration
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.signals import SignalHandlerOptions

from crawler_core.errors import UserError
from crawler_nodes.shutdown.watchdog import HANGS, ShutdownWatchdog, own_name
from crawler_nodes.transport.priority_executor import PriorityExecutor

N = TypeVar("N", bound=Node)

HEARD = 0.5  # s at most, since the way out began
MOMENT = 0.01  # s
USAGE = 2  # exit code for what the user can put right
ARGUMENT_ERRORS = (
    rclpy_implementation.RCLError,
    rclpy_implementation.RCLInvalidROSArgsError,
    rclpy_implementation.UnknownROSArgsError,
)


def run_node(
    factory: Callable[[], N],
    *,
    leave: Callable[[N], None] | None = None,
    release_torque: Callable[[N], None] | None = None,
    moves: bool = False,
    spinner: Callable[[N], PriorityExecutor] = PriorityExecutor,
) -> None:
    """Make the node and run it until the process is asked to end; that is no error.

    `spinner` makes the loop that it lives in. `leave` is called with the node on every way out, while ROS still works
    and with signals held off, so that a second Ctrl-C cannot interrupt it. Where that loop hangs, `release_torque` is called
    instead, from another thread. A node that `moves` motors ends too where whoever started it stands still. A
    UserError, at the start or later, ends the process with exit code 2 and one sentence on stderr.
    """

    def live(node: N, asked_to_end: Callable[[], bool]) -> None:
        with spinner(node) as loop:
            while not asked_to_end():
                loop.turn()

    run_loop(factory, live, leave=leave, release_torque=release_torque, moves=moves)


def run_loop(
    factory: Callable[[], N],
    live: Callable[[N, Callable[[], bool]], None],
    *,
    leave: Callable[[N], None] | None = None,
    release_torque: Callable[[N], None] | None = None,
    moves: bool = False,
) -> None:
    """As `run_node`, for a node with a loop of its own: `live` gets the node and a function to ask whether to end."""
    guardian = ShutdownWatchdog(moves)
    try:
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    except ARGUMENT_ERRORS as error:
        raise _usage(f"the ROS arguments cannot be used: {error}") from None
    node: N | None = None
    code = HANGS
    try:
        node = factory()
        guardian.guard(lambda: None if release_torque is None else release_torque(node))
        # the first words of a logger take it some 30 ms: not in the middle of the ring
        node.get_logger().info("ready")
        gc.freeze()  # what is there now stays: the collector need not look through it in the middle of a tick
        live(node, guardian.asked_to_end)
        if guardian.why:
            node.get_logger().error(f"{guardian.why}: ending")
        else:
            code = 0
    except UserError as error:
        code = USAGE
        raise _usage(str(error)) from None
    finally:
        guardian.leave()
        began = time.monotonic()
        if node is not None and leave is not None:
            leave(node)
        guardian.done(code)
        if node is not None:
            wait_for_acks(node, began + HEARD)
            node.destroy_node()
        rclpy.try_shutdown()
    guardian.end()


def wait_for_acks(node: Node, until: float) -> None:
    """Wait a little for those who have not got yet what was said last, such as a recorder that is behind."""
    unheard = list(node.publishers)
    while unheard and time.monotonic() < until:
        unheard = [publisher for publisher in unheard if not _is_heard(publisher)]


def _is_heard(publisher: Publisher) -> bool:
    """Whether all have what it sent. It looks for a moment, in which no other thread runs."""
    try:
        return publisher.wait_for_all_acked(Duration(seconds=MOMENT))
    except rclpy_implementation.RCLError:
        return True  # this middleware cannot tell


def _usage(sentence: str) -> SystemExit:
    print(f"{own_name()}: {sentence}", file=sys.stderr)
    return SystemExit(USAGE)

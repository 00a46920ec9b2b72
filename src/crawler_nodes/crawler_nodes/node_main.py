"""The main of every node: run until Ctrl-C, SIGTERM or SIGHUP, clean up, and report an error in one sentence."""

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
from crawler_core.files import check_working_directory
from crawler_nodes.shutdown.watchdog import EXIT_HUNG, ShutdownWatchdog, process_name
from crawler_nodes.transport.priority_executor import PriorityExecutor

NodeT = TypeVar("NodeT", bound=Node)

ACK_TIMEOUT_S = 0.5  # from the begin of the cleanup
ACK_POLL_S = 0.01
EXIT_USAGE = 2  # exit code for errors that the user can correct
ARGUMENT_ERRORS = (
    rclpy_implementation.RCLError,
    rclpy_implementation.RCLInvalidROSArgsError,
    rclpy_implementation.UnknownROSArgsError,
)


def run_node(
    factory: Callable[[], NodeT],
    *,
    loop: Callable[[NodeT, Callable[[], bool]], None] | None = None,
    executor: Callable[[NodeT], PriorityExecutor] = PriorityExecutor,
    cleanup: Callable[[NodeT], None] | None = None,
    release_torque: Callable[[NodeT], None] | None = None,
    drives_motors: bool = False,
) -> None:
    """Make the node and run it until the process is asked to end; that is no error.

    It is spun by the `executor` made for it, unless it has a `loop` of its own, which gets the node and a function
    `should_end`. `cleanup` is called on every way out, while ROS still works and signals are held off, so that a second
    Ctrl-C cannot interrupt it. Where the loop hangs, `release_torque` is called instead, from another thread. A node
    that drives motors also ends while its parent process is stopped. A UserError, at the start or later, ends the
    process with exit code 2 and one sentence on stderr.
    """

    def spin(node: NodeT, should_end: Callable[[], bool]) -> None:
        with executor(node) as spinner:
            while not should_end():
                spinner.spin_once()

    watchdog = ShutdownWatchdog(drives_motors)
    try:
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    except ARGUMENT_ERRORS as error:
        raise _usage_error(f"the ROS arguments cannot be used: {error}") from None
    node: NodeT | None = None
    code = EXIT_HUNG
    try:
        check_working_directory()
        node = factory()
        watchdog.guard(lambda: None if release_torque is None else release_torque(node))
        # a logger's first message takes some 30 ms, which must not delay the control loop
        node.get_logger().info("ready")
        gc.freeze()  # the collector skips the present objects, so that it does not delay a tick
        (loop or spin)(node, watchdog.should_end)
        if watchdog.reason:
            node.get_logger().error(f"{watchdog.reason}: ending")
        else:
            code = 0
    except UserError as error:
        code = EXIT_USAGE
        raise _usage_error(str(error)) from None
    finally:
        watchdog.begin_cleanup()
        began = time.monotonic()
        if node is not None and cleanup is not None:
            cleanup(node)
        watchdog.finished(code)
        if node is not None:
            wait_for_acks(node, began + ACK_TIMEOUT_S)
            node.destroy_node()
        rclpy.try_shutdown()
    watchdog.end()


def wait_for_acks(node: Node, until: float) -> None:
    """Wait a little for subscribers that have not received the last messages yet, such as a slow recorder."""
    waiting = list(node.publishers)
    while waiting and time.monotonic() < until:
        waiting = [publisher for publisher in waiting if not _is_acknowledged(publisher)]


def _is_acknowledged(publisher: Publisher) -> bool:
    """Return whether all subscribers have its messages. Blocks all threads of Python for a moment."""
    try:
        return publisher.wait_for_all_acked(Duration(seconds=ACK_POLL_S))
    except rclpy_implementation.RCLError:
        return True  # this middleware does not support it


def _usage_error(sentence: str) -> SystemExit:
    print(f"{process_name()}: {sentence}", file=sys.stderr)
    return SystemExit(EXIT_USAGE)

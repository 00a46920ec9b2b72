"""The main of every node: spin until Ctrl-C or SIGTERM, leave cleanly, and say what was wrong in one sentence."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node

from crawler_core.errors import UserError

N = TypeVar("N", bound=Node)

USAGE = 2  # exit code for what the user can put right
ARGUMENT_ERRORS = (
    rclpy_implementation.RCLError,
    rclpy_implementation.RCLInvalidROSArgsError,
    rclpy_implementation.UnknownROSArgsError,
)


def run_node(factory: Callable[[], N], *, leave: Callable[[N], None] | None = None) -> None:
    """Make the node and spin it until the process is asked to end; that is no error.

    `leave` is called with the node on every way out, with signals held off so that a second Ctrl-C cannot interrupt
    it; the context may be down by then. A UserError, at the start or later, ends the process with exit code 2 and one
    sentence on stderr.
    """
    try:
        rclpy.init()
    except ARGUMENT_ERRORS as error:
        raise _usage(f"the ROS arguments cannot be used: {error}") from None
    node: N | None = None
    try:
        node = factory()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        executor.spin()
    except UserError as error:
        raise _usage(str(error)) from None
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        # what fails only because the context went down under it was asked to end, too
        if rclpy.ok():
            raise
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if node is not None:
            if leave is not None:
                leave(node)
            node.destroy_node()
        rclpy.try_shutdown()


def _usage(sentence: str) -> SystemExit:
    print(f"{Path(sys.argv[0]).stem.removesuffix('_node')}: {sentence}", file=sys.stderr)
    return SystemExit(USAGE)

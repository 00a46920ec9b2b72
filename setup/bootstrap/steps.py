"""Carry out the unfinished steps of a plan."""

import contextlib
import os
import signal
from collections.abc import Iterator
from types import FrameType

from bootstrap import environment, interpreter, machine, packages, plan, progress, workspace
from bootstrap.errors import INTERRUPTED, SetupError
from bootstrap.interpreter import Interpreter
from bootstrap.layout import Layout
from bootstrap.lock import kill_leftovers, only_one
from bootstrap.stamps import Stamps

TITLES = {
    "venv": "making a virtual environment",
    "packages": "installing ROS 2 and the Python packages",
    "dev": "installing the test tools",
    "docs": "installing the tools of the documentation site",
    "workspace": "building the workspace",
    "environment": "reading the environment",
}
TITLES_ROS = {**TITLES, "packages": "installing the Python packages that this ROS 2 lacks"}


def carry_out(layout: Layout, extra: str) -> None:
    """Carry out all unfinished steps. Raises SetupError."""
    machine.check_path(layout.root)
    machine.check_checkout(layout)
    with _signals(), only_one(layout.root):
        try:
            _carry_out(plan.make(layout, extra))
        except KeyboardInterrupt:
            kill_leftovers(layout.root)
            raise SetupError("\nInterrupted. The next ./crawler goes on from here.", INTERRUPTED) from None


def _carry_out(todo: plan.Plan) -> None:
    layout, stamps = todo.layout, Stamps(todo.layout.stamps)
    steps = todo.todo()
    if not steps:  # another start has done them
        return
    found = _check(todo, steps)
    _remember(layout, found)
    titles = TITLES_ROS if layout.ros else TITLES
    if "packages" in steps:
        where = f"ROS 2 {layout.ros.distro} of {layout.ros.prefix}" if layout.ros else "a private ROS 2 environment"
        progress.say(f"Setting up {where} in {layout.home}. This is done once; a later start goes on where it stopped.")
    for number, name in enumerate(steps, 1):
        step = progress.Step(number, len(steps), titles[name])
        try:
            if name == "venv":
                packages.make_venv(layout, found, step)
                stamps.finish("venv", todo.venv)
            elif name == "packages":
                _install_packages(layout, step)
                stamps.finish("packages", todo.packages)
            elif name == todo.extra:
                _install(layout, [name], step)
                stamps.finish(name, todo.extra_input)
            elif name == "workspace":
                workspace.build(layout, todo.folders, todo.built, step)
            else:
                environment.capture(layout, todo.folders)
                stamps.finish("environment", todo.environment)
        except SetupError:
            step.close("failed")
            raise
        except BaseException:
            step.close("stopped")
            raise
        step.close()


def _check(todo: plan.Plan, steps: list[str]) -> Interpreter:
    """Check the machine before the first step. Raises SetupError."""
    layout = todo.layout
    if layout.ros:
        found = interpreter.find_ros(layout.ros)
        workspace.check_ros_packages(layout, todo.folders)
    else:
        machine.check_platform()
        found = interpreter.find_private(layout.root)
    machine.check_tools(found)
    if "packages" in steps:
        machine.check_disk(layout.home)
    return found


def _install_packages(layout: Layout, step: progress.Step) -> None:
    if layout.ros:
        _install(layout, ["ros2_install", "build"], step)
    else:
        _install(layout, ["ros", "app", "build"], step)
        packages.rewrite_cmake_paths(layout)


def _install(layout: Layout, lists: list[str], step: progress.Step) -> None:
    install = packages.install_lacking if layout.ros else packages.install
    install(layout, layout.requirements(*lists), f"pip-{lists[0]}", step)


def _remember(layout: Layout, found: Interpreter) -> None:
    """Link the Python, so that the next start need not search for one."""
    link = layout.crawler / "python"
    partial = layout.crawler / f"python.{os.getpid()}.partial"
    with contextlib.suppress(OSError):
        partial.symlink_to(found.base)
        os.replace(partial, link)


@contextlib.contextmanager
def _signals() -> Iterator[None]:
    """Let SIGTERM and a closed terminal end the set-up as Ctrl-C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

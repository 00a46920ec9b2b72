"""Build the ROS packages of this checkout with colcon."""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from bootstrap import environment
from bootstrap.errors import MACHINE, STEP, SetupError
from bootstrap.layout import Layout
from bootstrap.packages import marked
from bootstrap.progress import Step
from bootstrap.stamps import Stamps

BUILT, STARTED = "built-", "building-"  # prefixes of the stamps of one package


def outdated(layout: Layout, digests: Mapping[str, str]) -> list[str]:
    """Return the packages that must be built, out of {name: digest}.

    A package also needs a build if its results were deleted, or if an earlier build did not end.
    """
    stamps = Stamps(layout.stamps)
    return [
        name
        for name, digest in digests.items()
        if not (
            stamps.finished(BUILT + name, digest)
            and not stamps.finished(STARTED + name, "")
            and (layout.build / name).is_dir()
            and (layout.install / name).is_dir()
        )
    ]


def gone(layout: Layout, digests: Mapping[str, str]) -> list[str]:
    """Return the packages that were built and are no longer in the tree."""
    built = Stamps(layout.stamps).names(BUILT)
    return [name.removeprefix(BUILT) for name in built if name.removeprefix(BUILT) not in digests]


def build(layout: Layout, folders: Mapping[str, Path], digests: Mapping[str, str], step: Step) -> None:
    """Build the outdated packages, with a stamp for each as colcon finishes it."""
    stamps = Stamps(layout.stamps)
    for name in gone(layout, digests):
        _remove(layout, name)
        stamps.forget(BUILT + name)
    names = outdated(layout, digests)
    for name in names:
        _prepare(layout, name, folders[name], stamps)
        stamps.finish(STARTED + name, "")
    names = names or list(digests)  # with all of them built, colcon still has to write the scripts that source them

    def each_line(line: str) -> str | None:
        if match := re.match(r"Starting >>> (\S+)", line):
            return match[1]
        if match := re.match(r"Finished <<< (\S+)", line):
            stamps.finish(BUILT + match[1], digests[match[1]])
            stamps.forget(STARTED + match[1])
        return None

    log = layout.log / "build.log"
    if step.run(_command(layout, folders, names), marked(layout, _env(layout)), layout.root, log, each_line) != 0:
        raise _build_error(log)


def check_ros_packages(layout: Layout, folders: Mapping[str, Path]) -> None:
    """Raise SetupError if the sourced install lacks a package that the build needs; it needs no launch and no RViz."""
    assert layout.ros is not None
    needed = {"rclpy", "rosidl_default_generators"}
    for folder in folders.values():
        depends = re.findall(r"<(?:\w+_)?depend>\s*(\w+)\s*</", (folder / "package.xml").read_text(encoding="utf-8"))
        needed.update(name for name in depends if name.endswith(("_msgs", "_srvs")) and name not in folders)
    missing = sorted(name for name in needed if not layout.ros.has(name))
    if missing:
        debs = " ".join(f"ros-{layout.ros.distro}-{name.replace('_', '-')}" for name in missing)
        raise SetupError(
            f"The sourced ROS 2 {layout.ros.distro} lacks {', '.join(missing)}. Install what is missing and "
            "start again:\n"
            f"  rosdep install --from-paths src --ignore-src -y    or    sudo apt install {debs}",
            MACHINE,
        )


def _command(layout: Layout, folders: Mapping[str, Path], names: list[str]) -> list[str | Path]:
    command: list[str | Path] = [layout.python, "-m", "colcon", "--log-base", layout.log / "colcon", "build"]
    command += ["--symlink-install", "--base-paths", *folders.values(), "--packages-select", *names]
    command += ["--build-base", layout.build, "--install-base", layout.install]
    command += ["--metas", layout.root / "colcon.meta", "--event-handlers", "console_direct+"]
    # ./crawler test runs pytest on the source tree
    command += ["--cmake-args", f"-DPython3_EXECUTABLE={layout.python}", "-DBUILD_TESTING=OFF"]
    return command


def _env(layout: Layout) -> dict[str, str]:
    env = environment.for_venv(layout, os.environ)
    env["PYTHONWARNINGS"] = "ignore"  # setuptools warns about `develop`, which --symlink-install uses
    return env


def _prepare(layout: Layout, name: str, folder: Path, stamps: Stamps) -> None:
    """Remove results without a source: all of an interface or a half-built package, else only dangling links."""
    interfaces = any((folder / kind).is_dir() for kind in ("msg", "srv", "action"))
    if interfaces or stamps.finished(STARTED + name, ""):
        _remove(layout, name)
    for base in (layout.build, layout.install):
        for at, dirs, files in os.walk(base / name):
            for link in (os.path.join(at, entry) for entry in (*dirs, *files)):
                if os.path.islink(link) and not os.path.exists(link):
                    os.unlink(link)


def _remove(layout: Layout, name: str) -> None:
    shutil.rmtree(layout.build / name, ignore_errors=True)
    shutil.rmtree(layout.install / name, ignore_errors=True)


def _build_error(log: Path) -> SetupError:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    failed = next((line.split()[2] for line in lines if line.startswith("Failed   <<<")), "the workspace")
    first = next((n for n, line in enumerate(lines) if re.search(r"\berror\b|Error:", line, re.IGNORECASE)), None)
    reason = "" if first is None else ":\n" + "\n".join([line for line in lines[first:] if line.strip()][:4])
    return SetupError(f"Building {failed} failed{reason}\nThe whole output: {log}", STEP)

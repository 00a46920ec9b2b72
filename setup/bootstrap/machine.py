"""Check the requirements on this machine before anything is installed, and name the command that installs them."""

import os
import platform
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from bootstrap.errors import MACHINE, SetupError
from bootstrap.interpreter import Interpreter
from bootstrap.layout import Layout

DISK_NEEDED = 2_000_000_000  # bytes: wheels and their unpacked files
GLIBC_NEEDED = (2, 28)  # what the ROS 2 wheels were built for

COMPILER, CMAKE, MAKE = "a C++ compiler", "cmake", "make"
HEADERS, VENV = "{python}'s header files", "{python}'s venv module"

# packages for each family of Linux distributions
PACKAGES: dict[str, dict[str, str]] = {
    "apt install": {COMPILER: "g++", CMAKE: "cmake", MAKE: "make", HEADERS: "{python}-dev", VENV: "{python}-venv"},
    "dnf install": {COMPILER: "gcc-c++", CMAKE: "cmake", MAKE: "make", HEADERS: "{python}-devel", VENV: "{python}"},
    "zypper install": {COMPILER: "gcc-c++", CMAKE: "cmake", MAKE: "make", HEADERS: "{python}-devel", VENV: "{python}"},
    "pacman -S": {COMPILER: "gcc", CMAKE: "cmake", MAKE: "make", HEADERS: "{python}", VENV: "{python}"},
}
FAMILIES = {
    "debian": "apt install",
    "ubuntu": "apt install",
    "fedora": "dnf install",
    "rhel": "dnf install",
    "suse": "zypper install",
    "opensuse": "zypper install",
    "arch": "pacman -S",
}


def check_platform() -> None:
    """Raise SetupError on a platform without ROS 2 wheels: they are for Linux on x86-64, with glibc."""
    system, cpu, libc = platform.system(), platform.machine(), _glibc()
    if system != "Linux" or cpu not in ("x86_64", "AMD64") or libc is None or libc < GLIBC_NEEDED:
        has = f"{system} on {cpu}" + (
            "" if system != "Linux" else f" with glibc {libc[0]}.{libc[1]}" if libc else ", no glibc"
        )
        raise SetupError(
            f"The private ROS 2 environment needs Linux on x86-64 with glibc 2.28 or newer; this is {has}. "
            "Install ROS 2 (Jazzy or newer), source its setup.bash and start again: it is then used instead.",
            MACHINE,
        )


def check_path(root: Path) -> None:
    """Raise SetupError if the checkout's path has characters at which colcon's scripts or lists of paths split."""
    odd = re.search(r"[\s:;\"'`$\\]", str(root))
    if odd:
        raise SetupError(
            f"The path of this checkout has a {odd[0]!r} in it, which the ROS 2 build tools cannot handle: {root}\n"
            "Move the checkout to a path without it.",
            MACHINE,
        )


def check_checkout(layout: Layout) -> None:
    """Raise SetupError if .crawler/ cannot be written."""
    if layout.crawler.is_symlink():
        raise SetupError(
            f"{layout.crawler} is a symbolic link. It must be a folder of its own: remove the link.", MACHINE
        )
    try:
        layout.home.mkdir(parents=True, exist_ok=True)
        writable = os.access(layout.home, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        raise SetupError(
            f"{layout.crawler} cannot be written by this user. Clone the repository into a folder of your own.", MACHINE
        )


def check_disk(folder: Path) -> None:
    """Raise SetupError on a disk that is too full."""
    free = shutil.disk_usage(folder).free
    if free < DISK_NEEDED:
        raise SetupError(
            f"The disk of {folder} has {free / 1e9:.1f} GB free, and the environment needs {DISK_NEEDED / 1e9:.0f} GB. "
            "Make room, or clone the repository onto another disk.",
            MACHINE,
        )


def check_tools(interpreter: Interpreter) -> None:
    """Raise SetupError that names every missing tool."""
    missing = [tool for tool, names in _tools().items() if not any(shutil.which(name) for name in names)]
    missing += [what for what, there in ((HEADERS, interpreter.headers), (VENV, interpreter.venv)) if not there]
    if missing:
        raise SetupError(missing_sentence(missing, interpreter.name, _os_release()), MACHINE)


def missing_sentence(missing: Sequence[str], python: str, os_release: str) -> str:
    """Return the error for `missing` keys of PACKAGES; `os_release` is the text of /etc/os-release."""
    named = [what.format(python=python) for what in missing]
    lacks = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    manager = _manager(os_release)
    if manager is None:
        return f"This machine lacks {lacks}. Install them with its package manager and start again."
    packages = dict.fromkeys(PACKAGES[manager][what].format(python=python) for what in missing)
    return (
        f"This machine lacks {lacks}. Install what is missing and start again:\n  sudo {manager} {' '.join(packages)}"
    )


def _tools() -> dict[str, list[str]]:
    compiler = os.environ.get("CXX", "").split()[:1]
    return {COMPILER: compiler or ["c++", "g++", "clang++"], CMAKE: ["cmake"], MAKE: ["make", "gmake"]}


def _manager(os_release: str) -> str | None:
    fields = dict(line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    names = f"{fields.get('ID', '')} {fields.get('ID_LIKE', '')}".replace('"', "").split()
    return next((FAMILIES[name] for name in names if name in FAMILIES), None)


def _os_release() -> str:
    try:
        return Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        return ""


def _glibc() -> tuple[int, int] | None:
    try:
        name, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").split()
    except (ValueError, OSError):
        return None
    major, minor = version.split(".")[:2]
    return (int(major), int(minor)) if name == "glibc" else None

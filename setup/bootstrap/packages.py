"""Make the virtual environment and install its packages with pip."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from bootstrap import environment
from bootstrap.errors import STEP, SetupError
from bootstrap.interpreter import Interpreter
from bootstrap.layout import Layout
from bootstrap.lock import MARK
from bootstrap.progress import Step
from bootstrap.stamps import write_atomically

# variables that would make pip install outside of the virtual environment
PIP_VARIABLES = ("PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV")

OPTIONAL = "pybullet"  # the only package that may be missing

SETUPTOOLS_TOO_NEW = 80  # from this version on, colcon's --symlink-install silently copies

NETWORK = re.compile(
    r"NewConnectionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|SSLError|Connection (refused|reset)|"
    r"name resolution|Network is unreachable|Failed to establish"
)


def marked(layout: Layout, env: Mapping[str, str]) -> dict[str, str]:
    """Return `env` with a mark by which a later set-up finds the processes of a killed one."""
    return {**env, MARK: str(layout.root)}


def make_venv(layout: Layout, interpreter: Interpreter, step: Step) -> None:
    shutil.rmtree(layout.venv, ignore_errors=True)
    command: list[str | Path] = [interpreter.path, "-m", "venv", layout.venv]
    if layout.ros:
        command.insert(3, "--system-site-packages")
    log = layout.log / "venv.log"
    if step.run(command, marked(layout, os.environ), layout.root, log) != 0:
        raise SetupError(f"A virtual environment could not be made with {interpreter.path}. Its output: {log}", STEP)


def install(layout: Layout, lists: Sequence[Path], log_name: str, step: Step) -> None:
    """Install the requirements in the files `lists`, at the versions of requirements/lock.txt."""
    arguments = [part for file in lists for part in ("-r", str(file))]
    constraints = layout.root / "requirements" / "lock.txt"
    _pip(layout, [*arguments, "-c", str(constraints)], log_name, step)
    pinned = [line for file in lists for line in read_pins(file)]
    optional = next((line for line in pinned if name_of(line) == OPTIONAL), None)
    if optional and OPTIONAL not in _installed(layout):
        _note_without_pybullet(layout, optional, step)


def install_lacking(layout: Layout, lists: Sequence[Path], log_name: str, step: Step) -> None:
    """Install the requirements in `lists` that the Python of a ROS 2 install lacks.

    Packages that it has stay at their versions: the install's compiled packages were built against them.
    """
    present = _installed(layout)
    if int(present.get("setuptools", "0").split(".")[0]) >= SETUPTOOLS_TOO_NEW:
        del present["setuptools"]
    wanted = [line.split(";")[0].strip() for file in lists for line in read_pins(file)]
    lacking = [line for line in wanted if name_of(line) not in present]
    if not lacking:
        return
    constraints = layout.home / "present.txt"
    constraints.write_text(
        "".join(f"{name}=={version}\n" for name, version in sorted(present.items())), encoding="utf-8"
    )
    optional = [line for line in lacking if name_of(line) == OPTIONAL]
    needed = [line for line in lacking if line not in optional]
    if needed:
        _pip(layout, [*needed, "-c", str(constraints)], log_name, step)
    for line in optional:
        try:
            _pip(layout, [line, "-c", str(constraints)], f"{OPTIONAL}-{log_name}", step)
        except NoSuchPackage:
            _note_without_pybullet(layout, line, step)


def _note_without_pybullet(layout: Layout, requirement: str, step: Step) -> None:
    wanted = requirement.split(";")[0].strip()
    step.note(
        "PyBullet has no wheel for this Python (they end at 3.11): MuJoCo is the physics engine here. To have both, "
        f"build PyBullet from source, in some five minutes: {layout.python} -m pip install '{wanted}'"
    )


def read_pins(file: Path) -> list[str]:
    """Return the lines of a list of requirements, without comments."""
    lines = (line.split("#")[0].strip() for line in file.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]


def name_of(requirement: str) -> str:
    """Return the canonical name in front of a version or a range."""
    return canonical(re.split(r"[^\w.-]", requirement)[0])


def canonical(name: str) -> str:
    """Return the name of a package as indexes write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def rewrite_cmake_paths(layout: Layout) -> None:
    """Replace the build machine's paths in the wheels' exported CMake files by paths of this machine."""
    code = "import json, numpy, sysconfig; print(json.dumps([sysconfig.get_paths()['include'], numpy.get_include()]))"
    answer = _run_python(layout, code)
    python_include, numpy_include = json.loads(answer.stdout)
    for file in layout.venv.glob("share/*/cmake/*.cmake"):
        text = file.read_text(encoding="utf-8")
        new = re.sub(r"/opt/python/cp\d+-cp\d+/lib/python3\.\d+/site-packages/numpy/_core/include", numpy_include, text)
        new = re.sub(r"/opt/python/cp\d+-cp\d+/include/python3\.\d+", python_include, new)
        if new != text:
            write_atomically(file, new)


class NoSuchPackage(SetupError):
    """The package index has no wheel for this Python."""


def _pip(layout: Layout, what: Sequence[str], log_name: str, step: Step) -> None:
    forget_half_installed(layout)
    log = layout.log / f"{log_name}.log"
    command = [str(layout.python), "-m", "pip", "install", "--no-input", "--progress-bar", "off", "--retries", "3"]
    # wheels only; empy has none and is one file of Python. --no-compile halves the time: Python compiles on import
    command += ["--disable-pip-version-check", "--no-compile", "--only-binary", ":all:", "--no-binary", "empy", *what]
    env = {k: v for k, v in environment.for_venv(layout, os.environ).items() if k not in PIP_VARIABLES}
    if step.run(command, marked(layout, env), layout.root, log, _pip_line) != 0:
        raise pip_error(log)


def _pip_line(line: str) -> str | None:
    if line.startswith(("Collecting ", "Downloading ")):
        return " ".join(line.split()[:2])
    if line.startswith("Installing collected packages:"):
        return f"unpacking {line.count(',') + 1} packages"
    return None


def pip_error(log: Path) -> SetupError:
    text = log.read_text(encoding="utf-8", errors="replace")
    if NETWORK.search(text):
        return SetupError(
            "The packages could not be downloaded: the package index cannot be reached. Check the network (and "
            f"pip's proxy and index settings, if you use any) and start again. pip's output: {log}",
            STEP,
        )
    if "No space left on device" in text:
        return SetupError(f"The disk is full. Make room and start again. pip's output: {log}", STEP)
    errors = [line.removeprefix("ERROR: ") for line in text.splitlines() if line.startswith("ERROR: ")]
    last = errors[-1] if errors else "it gave no reason"
    kind = NoSuchPackage if "No matching distribution" in text else SetupError
    return kind(f"pip could not install the packages: {last}. Its whole output: {log}", STEP)


def forget_half_installed(layout: Layout) -> None:
    """Remove packages without RECORD: pip writes it last, but counts a package without it as installed."""
    site = environment.site_packages(layout)
    for info in site.glob("*.dist-info"):
        if not (info / "RECORD").is_file():
            shutil.rmtree(info, ignore_errors=True)
    for stashed in site.glob("~*"):
        shutil.rmtree(stashed, ignore_errors=True)


def _run_python(layout: Layout, code: str) -> subprocess.CompletedProcess[str]:
    """Run code by the environment's Python, without the modules that lie in the current folder."""
    command = [str(layout.python), "-c", code]
    env = environment.for_venv(layout, os.environ)
    return subprocess.run(command, env=env, cwd=layout.root, capture_output=True, text=True, check=True)


def _installed(layout: Layout) -> dict[str, str]:
    """Return the packages of the environment's Python, as {canonical name: version}."""
    code = (
        "import importlib.metadata as metadata, json; "
        "print(json.dumps([[d.metadata['Name'], d.version] for d in metadata.distributions()]))"
    )
    answer = _run_python(layout, code)
    found: dict[str, str] = {}
    for name, version in json.loads(answer.stdout):
        if name and version:
            found.setdefault(canonical(name), version)  # the first on Python's path is the one it imports
    return found

"""The virtual environment and what pip puts into it."""

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

# variables that would send pip's packages elsewhere than into the virtual environment
PIP_ELSEWHERE = ("PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV")

BULLET = "pybullet"  # the one package that may be lacking

SETUPTOOLS_TOO_NEW = 80  # from here on, colcon's --symlink-install silently copies

NETWORK = re.compile(
    r"NewConnectionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|SSLError|Connection (refused|reset)|"
    r"name resolution|Network is unreachable|Failed to establish"
)


def marked(layout: Layout, env: Mapping[str, str]) -> dict[str, str]:
    """`env` for a process of the set-up, by which a later one knows it if this one is killed."""
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
    """Installs the pinned requirements in the files `lists`, at the versions of requirements/lock.txt."""
    arguments = [part for file in lists for part in ("-r", str(file))]
    constraints = layout.root / "requirements" / "lock.txt"
    _pip(layout, [*arguments, "-c", str(constraints)], log_name, step)
    pinned = [line for file in lists for line in read_pins(file)]
    bullet = next((line for line in pinned if name_of(line) == BULLET), None)
    if bullet and BULLET not in _installed(layout):
        _note_no_bullet(layout, bullet, step)


def install_lacking(layout: Layout, lists: Sequence[Path], log_name: str, step: Step) -> None:
    """Beside a ROS 2 install: installs those of `lists` that its Python lacks, and leaves alone what it has.

    What is there stays at its version, because the install's compiled packages were built against it.
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
    optional = [line for line in lacking if name_of(line) == BULLET]
    needed = [line for line in lacking if line not in optional]
    if needed:
        _pip(layout, [*needed, "-c", str(constraints)], log_name, step)
    for line in optional:
        try:
            _pip(layout, [line, "-c", str(constraints)], f"{BULLET}-{log_name}", step)
        except NoSuchPackage:
            _note_no_bullet(layout, line, step)


def _note_no_bullet(layout: Layout, requirement: str, step: Step) -> None:
    wanted = requirement.split(";")[0].strip()
    step.note(
        "PyBullet has no wheel for this Python (they end at 3.11): MuJoCo is the physics engine here. To have both, "
        f"build PyBullet from source, in some five minutes: {layout.python} -m pip install '{wanted}'"
    )


def read_pins(file: Path) -> list[str]:
    lines = (line.split("#")[0].strip() for line in file.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]


def name_of(requirement: str) -> str:
    """The canonical name in front of a version or a range."""
    return canonical(re.split(r"[^\w.-]", requirement)[0])


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def rewrite_cmake_paths(layout: Layout) -> None:
    """The wheels' exported CMake files carry paths of the machine that built them: puts this one's there instead."""
    code = "import json, numpy, sysconfig; print(json.dumps([sysconfig.get_paths()['include'], numpy.get_include()]))"
    env = environment.for_venv(layout, os.environ)
    answer = subprocess.run([layout.python, "-c", code], env=env, capture_output=True, text=True, check=True)
    python_include, numpy_include = json.loads(answer.stdout)
    for file in layout.venv.glob("share/*/cmake/*.cmake"):
        text = file.read_text(encoding="utf-8")
        new = re.sub(r"/opt/python/cp\d+-cp\d+/lib/python3\.\d+/site-packages/numpy/_core/include", numpy_include, text)
        new = re.sub(r"/opt/python/cp\d+-cp\d+/include/python3\.\d+", python_include, new)
        if new != text:
            write_atomically(file, new)


class NoSuchPackage(SetupError):
    """The index has no wheel that fits."""


def _pip(layout: Layout, what: Sequence[str], log_name: str, step: Step) -> None:
    forget_half_installed(layout)
    log = layout.log / f"{log_name}.log"
    command = [str(layout.python), "-m", "pip", "install", "--no-input", "--progress-bar", "off", "--retries", "3"]
    # wheels only: nothing is compiled here, but for empy, which is one file of Python and has no wheel;
    # --no-compile halves the time, and Python compiles what is really imported
    command += ["--disable-pip-version-check", "--no-compile", "--only-binary", ":all:", "--no-binary", "empy", *what]
    env = {k: v for k, v in environment.for_venv(layout, os.environ).items() if k not in PIP_ELSEWHERE}
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
    """pip writes a package's RECORD last, but takes one without it for installed: so forget those without."""
    site = environment.site_packages(layout)
    for info in site.glob("*.dist-info"):
        if not (info / "RECORD").is_file():
            shutil.rmtree(info, ignore_errors=True)
    for stashed in site.glob("~*"):
        shutil.rmtree(stashed, ignore_errors=True)


def _installed(layout: Layout) -> dict[str, str]:
    """What the environment's Python finds, as {canonical name: version}."""
    code = (
        "import importlib.metadata as metadata, json; "
        "print(json.dumps([[d.metadata['Name'], d.version] for d in metadata.distributions()]))"
    )
    env = environment.for_venv(layout, os.environ)
    answer = subprocess.run([layout.python, "-c", code], env=env, capture_output=True, text=True, check=True)
    found: dict[str, str] = {}
    for name, version in json.loads(answer.stdout):
        if name and version:
            found.setdefault(canonical(name), version)  # the first on Python's path is the one it imports
    return found

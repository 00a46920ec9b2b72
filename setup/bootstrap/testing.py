"""Run every check of this repository in its environment: ./crawler test."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from bootstrap import environment
from bootstrap.layout import Layout

EVERYTHING = "--all"  # with the exhaustive tests
STATIC = "--static"  # without tests
MAX_WORKERS = 8  # a test of a whole system has several processes


def run_checks(layout: Layout, arguments: Sequence[str]) -> int:
    """Run ruff, mypy and pytest, all of them even if one fails. Return an exit code.

    Without `--all`, tests with the mark `exhaustive` are left out. With other `arguments`, only pytest runs.
    """
    env = environment.for_start(layout, os.environ)
    python = str(layout.python)
    if list(arguments) not in ([], [EVERYTHING], [STATIC]):
        chosen = [word for word in arguments if word not in (EVERYTHING, STATIC)]
        return _run([python, "-m", "pytest", *chosen], layout, env)
    failed = [name for name, command in _lint(python).items() if _run_titled(name, command, layout, env) != 0]
    with tempfile.TemporaryFile("w+") as output:  # mypy uses a core that tests of whole systems leave idle
        types = subprocess.Popen(_types(layout), cwd=layout.root, env=env, stdout=output, stderr=subprocess.STDOUT)
        try:
            code = 0
            if STATIC not in arguments:
                code = _run_titled("pytest, and mypy beside it", every_test(layout, arguments), layout, env)
            if types.wait() != 0:
                failed.append("mypy")
        finally:
            types.kill()
        output.seek(0)
        print(f"== mypy\n{output.read()}", end="", flush=True)
    if failed:
        print(f"== failed: {', '.join(failed)}", flush=True)
    return code or (1 if failed else 0)


def _lint(python: str) -> dict[str, list[str]]:
    return {
        "ruff check": [python, "-m", "ruff", "check", "."],
        "ruff format --check": [python, "-m", "ruff", "format", "--check", "."],
    }


def _types(layout: Layout) -> list[str]:
    """Return the command that type-checks the set-up, the packages and all tests."""
    folders = [folder / name for folder in layout.package_dirs() for name in (folder.name, "test")]
    sources = [str(path) for path in folders if any(path.glob("*.py"))]
    return [str(layout.python), "-m", "mypy", "setup", "tests", *sources]


def every_test(layout: Layout, arguments: Sequence[str]) -> list[str]:
    """Return the command that runs all tests, module by module in parallel.

    First come the modules that compile code for others, then whole systems, so that quick tests fill the gaps. After
    them modules that wait for motors alternate with modules that compute, so that no core is idle for long.
    """
    root = layout.root
    compiling = _modules(root, "src/*/test", "_compiled")
    systems = _modules(root, "tests")
    waiting = _modules(root, "src/hw_drivers/test")
    computing = [path for name in ("sim_bridge", "crawler_studies") for path in _modules(root, f"src/{name}/test")]
    in_turn = [path for pair in zip_longest(waiting, computing) for path in pair if path is not None]
    # each module by its name, and once: given a folder too, pytest ignores this order
    ordered = list(dict.fromkeys([*compiling, *systems, *in_turn, *_modules(root, "src/*/test")]))
    cores = len(os.sched_getaffinity(0))
    workers = min(MAX_WORKERS, cores + 1)  # one may wait for a watchdog or a motor; each reads all test modules
    chosen = [] if EVERYTHING in arguments else ["-m", "not exhaustive"]
    parallel = ["-n", str(workers), "--dist", "loadfile", "--no-loadscope-reorder"]
    return [str(layout.python), "-m", "pytest", *parallel, *chosen, *ordered]


def _modules(root: Path, folder: str, ending: str = "") -> list[str]:
    """Return the test modules of folders below `root`."""
    return [str(path.relative_to(root)) for path in sorted(root.glob(f"{folder}/test_*{ending}.py"))]


def _run_titled(name: str, command: Sequence[str], layout: Layout, env: dict[str, str]) -> int:
    print(f"== {name}", flush=True)
    return _run(command, layout, env)


def _run(command: Sequence[str], layout: Layout, env: dict[str, str]) -> int:
    try:
        return subprocess.run(command, cwd=layout.root, env=env, check=False).returncode
    except KeyboardInterrupt:
        sys.exit(130)

"""./crawler test: every check of this repository, in its environment."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from bootstrap import environment
from bootstrap.layout import Layout

EVERYTHING = "--all"  # the exhaustive tests too
STATIC = "--static"  # what reads the code without running it, alone
WORKERS = 8  # at most: whole systems are several processes each


def run_checks(layout: Layout, arguments: Sequence[str]) -> int:
    """Runs ruff, mypy and pytest, all of them whatever fails. Returns an exit code.

    Without `--all` the tests that are marked `exhaustive` are left out. Other `arguments` are pytest's, which then runs
    alone and as it is told.
    """
    env = environment.for_start(layout, os.environ)
    python = str(layout.python)
    if list(arguments) not in ([], [EVERYTHING], [STATIC]):
        chosen = [word for word in arguments if word not in (EVERYTHING, STATIC)]
        return _run([python, "-m", "pytest", *chosen], layout, env)
    failed = [name for name, command in _lint(python).items() if _told(name, command, layout, env) != 0]
    if STATIC in arguments:
        if _told("mypy", _types(layout), layout, env) != 0:
            failed.append("mypy")
        code = 0
    else:
        with tempfile.TemporaryFile("w+") as said:  # mypy takes a core for a while that whole systems leave idle
            types = subprocess.Popen(_types(layout), cwd=layout.root, env=env, stdout=said, stderr=subprocess.STDOUT)
            try:
                code = _told("pytest, and mypy beside it", every_test(layout, arguments), layout, env)
                if types.wait() != 0:
                    failed.append("mypy")
            finally:
                types.kill()
            said.seek(0)
            print(f"== mypy\n{said.read()}", end="", flush=True)
    if failed:
        print(f"== failed: {', '.join(failed)}", flush=True)
    return code or (1 if failed else 0)


def _lint(python: str) -> dict[str, list[str]]:
    return {
        "ruff check": [python, "-m", "ruff", "check", "."],
        "ruff format --check": [python, "-m", "ruff", "format", "--check", "."],
    }


def _types(layout: Layout) -> list[str]:
    """mypy on the set-up, the packages and all tests."""
    folders = [folder / name for folder in layout.package_dirs() for name in (folder.name, "test")]
    sources = [str(path) for path in folders if any(path.glob("*.py"))]
    return [str(layout.python), "-m", "mypy", "setup", "tests", *sources]


def every_test(layout: Layout, arguments: Sequence[str]) -> list[str]:
    """pytest on everything, module by module in parallel: whole systems first, since the quick rest fills the gaps.

    Before them what compiles code that others use, so that it is done by then and done once; after them what waits for
    motors, one module of it and one that computes in turn, so that no core is idle for long.
    """
    root = layout.root
    compiling = _modules(root, "src/*/test", "_fast")
    systems = _modules(root, "tests")
    waiting = _modules(root, "src/hw_drivers/test")
    computing = [path for name in ("sim_bridge", "crawler_studies") for path in _modules(root, f"src/{name}/test")]
    in_turn = [path for pair in zip_longest(waiting, computing) for path in pair if path is not None]
    # each by its name, and once: beside a folder pytest takes no modules of it by themselves, nor in their order
    ordered = list(dict.fromkeys([*compiling, *systems, *in_turn, *_modules(root, "src/*/test")]))
    cores = len(os.sched_getaffinity(0))
    workers = min(WORKERS, 2 * cores)  # many a test waits for a watchdog or a motor
    chosen = [] if EVERYTHING in arguments else ["-m", "not exhaustive"]
    parallel = ["-n", str(workers), "--dist", "loadfile", "--no-loadscope-reorder"]
    return [str(layout.python), "-m", "pytest", *parallel, *chosen, *ordered]


def _modules(root: Path, folder: str, ending: str = "") -> list[str]:
    """The test modules of a folder below `root`, or of several."""
    return [str(path.relative_to(root)) for path in sorted(root.glob(f"{folder}/test_*{ending}.py"))]


def _told(name: str, command: Sequence[str], layout: Layout, env: dict[str, str]) -> int:
    print(f"== {name}", flush=True)
    return _run(command, layout, env)


def _run(command: Sequence[str], layout: Layout, env: dict[str, str]) -> int:
    try:
        return subprocess.run(command, cwd=layout.root, env=env, check=False).returncode
    except KeyboardInterrupt:
        sys.exit(130)

"""./crawler test: every check of this repository, in its environment."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bootstrap import environment
from bootstrap.layout import Layout

PORT_BASE = 32768  # a domain is taken by binding this port plus its number, as ROS 2's domain_coordinator does
DOMAINS = 100


def run_checks(layout: Layout, arguments: Sequence[str]) -> int:
    """Runs ruff, mypy and pytest, all of them whatever fails; with `arguments`, pytest alone. Returns an exit code."""
    with _domain() as domain:
        env = environment.for_start(layout, {**os.environ, "ROS_DOMAIN_ID": str(domain)})
        python = str(layout.python)
        if arguments:
            return _run([python, "-m", "pytest", *arguments], layout, env)
        sources = [str(p) for folder in layout.package_dirs() if (p := folder / folder.name).is_dir()]
        checks = {
            "ruff check": [python, "-m", "ruff", "check", "."],
            "ruff format --check": [python, "-m", "ruff", "format", "--check", "."],
            "mypy": [python, "-m", "mypy", "setup", *sources],
        }
        failed = []
        for name, command in checks.items():
            print(f"== {name}", flush=True)
            if _run(command, layout, env) != 0:
                failed.append(name)
        if failed:
            print(f"== failed: {', '.join(failed)}", flush=True)
        print("== pytest", flush=True)
        code = _run([python, "-m", "pytest", "src", "tests"], layout, env)
        return code or (1 if failed else 0)


def _run(command: Sequence[str], layout: Layout, env: dict[str, str]) -> int:
    try:
        return subprocess.run(command, cwd=layout.root, env=env, check=False).returncode
    except KeyboardInterrupt:
        sys.exit(130)


@contextmanager
def _domain() -> Iterator[int]:
    """A ROS_DOMAIN_ID that no other test run on this machine has, for as long as the context lasts."""
    for attempt in range(DOMAINS):
        domain = (os.getpid() + attempt) % DOMAINS + 1
        with socket.socket() as taken:
            try:
                taken.bind(("", PORT_BASE + domain))
            except OSError:
                continue
            yield domain
            return
    raise RuntimeError(f"All {DOMAINS} ROS domains are taken by other test runs.")

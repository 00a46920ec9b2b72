"""What this machine has and lacks: environment, build, discovery, timer jitter, physics engines, serial ports."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict

from crawler_cli.console.arguments import add_json
from crawler_cli.doctor_checks import CHECKS, Finding

HELP = """exit codes: 0 everything works, 1 something does not

keys of --json: findings (a list of name, ok, detail, remedy), ok
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `crawler doctor`."""
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run every check and print what it found."""
    findings = [_found(name, check) for name, check in CHECKS.items()]
    ok = all(finding.ok for finding in findings)
    if arguments.json:
        print(json.dumps({"ok": ok, "findings": [asdict(finding) for finding in findings]}))
    return 0 if ok else 1


def _found(name: str, check: Callable[[], Finding]) -> Finding:
    try:
        finding = check()
    except Exception as error:  # a check that breaks is itself a finding
        finding = Finding(name, False, f"{type(error).__name__}: {error}", "report this: the check itself failed")
    if "--json" not in sys.argv:
        print(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.name:<12} {finding.detail}", flush=True)
        if not finding.ok:
            print(f"      {'':<12} {finding.remedy}", flush=True)
    return finding

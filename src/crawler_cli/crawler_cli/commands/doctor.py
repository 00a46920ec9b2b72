"""Check this machine: build, discovery, jitter, physics engines, serial ports."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict

from crawler_cli.console.arguments import add_json
from crawler_cli.console.exit_code import EXIT_NOT_DONE
from crawler_cli.console.output import print_json
from crawler_cli.doctor_checks import CHECKS, Finding

HELP_TEXT = """
  makes   a line for each check, with what to do if it fails
  where   on the terminal
  time    about ten seconds

exit codes: 0 everything works, 1 something does not

keys of --json: findings (a list of name, ok, detail, remedy), ok
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run every check and print its finding."""
    findings = []
    for name, check in CHECKS.items():
        finding = _run_check(name, check)
        findings.append(finding)
        if not arguments.json:
            print(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.name:<12} {finding.detail}", flush=True)
            if not finding.ok:
                print(f"      {'':<12} {finding.remedy}", flush=True)
    ok = all(finding.ok for finding in findings)
    if arguments.json:
        print_json({"ok": ok, "findings": [asdict(finding) for finding in findings]})
    return 0 if ok else EXIT_NOT_DONE


def _run_check(name: str, check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except Exception as error:  # a check that breaks is itself a finding
        return Finding(name, False, f"{type(error).__name__}: {error}", "report this: the check itself failed")

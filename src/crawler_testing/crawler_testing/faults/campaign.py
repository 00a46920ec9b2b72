"""Campaigns of fault injection: the runs that are needed, their order, and one verdict per fault."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from crawler_core.robot.robot_file import load_robot
from crawler_models.model_registry import model_of
from crawler_testing.faults.fault_kind import FaultKind
from crawler_testing.faults.fault_run import run_fault
from crawler_testing.faults.verdict import Verdict
from crawler_testing.fixtures.run_artifacts import RunArtifacts
from crawler_testing.fixtures.run_config import RunConfig
from crawler_testing.fixtures.run_harness import RunHarness
from crawler_testing.fixtures.system_clock import SystemClock

MAX_DURATION_SCALE = 3.0  # of a run's duration, for any timeout scale
MAX_KINDS_PER_RUN = 12
RECOVERED_TIMEOUT_S = 3.0  # until a run crawls again after a fault with problems
END_TIMEOUT_S = 5.0  # from SIGINT to the end of the run, which draws a plot
FOOT_LIFTED_EXIT_CODES = (1,)  # torque off and reported, on equations that have no feet in the air


@dataclass(frozen=True)
class CampaignConfig:
    """Settings and bounds of a campaign."""

    seed: int
    domain: int
    timeout_scale: float = 1.0  # of every timeout of wall time, for a busy machine
    seconds: float = float("inf")  # no run is started later
    arguments: tuple[str, ...] = ()  # added to every `crawler run`


def run_campaign(
    kinds: Sequence[FaultKind],
    backends: Sequence[str],
    config: CampaignConfig,
    log: Callable[[str], None],
    check: Callable[[], None] = lambda: None,
) -> Iterator[Verdict]:
    """Yield one verdict per kind and backend, each as soon as it is known.

    `check` is called during every wait; an exception of it ends the campaign and its run.
    """
    rng = random.Random(config.seed)
    end = time.monotonic() + config.seconds
    plan = [(b, group) for b in backends for group in group_kinds([k for k in kinds if is_applicable(k, b)], rng)]
    for count, (backend, group) in enumerate(plan, 1):
        if time.monotonic() > end:
            log(f"time is over: {len(plan) - count + 1} of {len(plan)} runs were not started")
            return
        log(f"run {count} of {len(plan)}, {backend}: {', '.join(kind.name for kind in group)}")
        yield from _run_group(group, backend, config, random.Random(rng.random()), check)


def is_applicable(kind: FaultKind, backend: str) -> bool:
    """Return True if the backend can have this fault, and simulate its robot, and the machine can inject it."""
    if backend not in kind.backends or (kind.run_config.sets_clock and not SystemClock.is_available()):
        return False
    return backend != "model" or model_of(load_robot(kind.run_config.robot, {})).plant is not None


def group_kinds(kinds: Sequence[FaultKind], rng: random.Random) -> list[list[FaultKind]]:
    """Group the kinds by run, in random order."""
    groups: list[list[FaultKind]] = []
    shared: dict[RunConfig, list[FaultKind]] = {}
    for kind in kinds:
        if kind.can_share_run:
            shared.setdefault(kind.run_config, []).append(kind)
        else:
            groups.append([kind])
    for group in shared.values():
        rng.shuffle(group)
        groups += [group[i : i + MAX_KINDS_PER_RUN] for i in range(0, len(group), MAX_KINDS_PER_RUN)]
    rng.shuffle(groups)
    return groups


def _run_group(
    kinds: list[FaultKind], backend: str, config: CampaignConfig, rng: random.Random, check: Callable[[], None]
) -> Iterator[Verdict]:
    """Inject a group of kinds into one run, and the rest into another run if it breaks."""
    first, *rest = kinds
    shared = first.can_share_run
    run = RunHarness(
        first.run_config,
        backend,
        domain=config.domain,
        rng=rng,
        timeout_scale=config.timeout_scale,
        duration=0.0 if shared else first.run_config.duration * min(config.timeout_scale, MAX_DURATION_SCALE),
        arguments=config.arguments,
        check=check,
    )
    with run:
        if first.run_config.starts and not run.wait_until_crawling():
            why = run.stderr().strip()[-300:] or f"motion is {run.monitor.motion or 'unknown'}"
            yield Verdict(first.name, backend, 0.0, [f"the run did not begin to crawl: {why}"])
        else:
            verdict = run_fault(first, run)
            while rest and not run.has_ended and (verdict.ok or run.wait_until_crawling(RECOVERED_TIMEOUT_S)):
                yield verdict
                verdict = run_fault(rest.pop(0), run)
            _end_run(run, verdict, first)
            yield verdict
    if rest:
        yield from _run_group(rest, backend, config, rng, check)


def _end_run(run: RunHarness, verdict: Verdict, first: FaultKind) -> None:
    """Wait for the end of the run or interrupt it, and add its artifacts' problems to its last verdict."""
    expected, shared = first.expected, first.can_share_run
    if not shared:
        run.wait_until(lambda: run.has_ended, first.run_config.duration + END_TIMEOUT_S)
        if not run.has_ended and not expected.ends_within:
            verdict.problems.append("the run did not end after its duration")
    if not run.has_ended:
        run.process.send_signal(signal.SIGCONT)
        run.process.send_signal(signal.SIGINT)
        run.wait_until(lambda: run.has_ended, END_TIMEOUT_S)
    keeps_files = shared or verdict.foot_lifted or expected.keeps_files
    artifacts = RunArtifacts.of(run, keeps_files)
    verdict.code = artifacts.exit_code
    exit_codes = FOOT_LIFTED_EXIT_CODES if verdict.foot_lifted else (0,) if shared else expected.exit_codes
    verdict.problems += artifacts.problems(exit_codes, tolerate_late_ticks=run.timeout_scale > 1.0)
    if verdict.foot_lifted or not (expected.ends_within and expected.reports):
        return
    if not any(word.lower() in artifacts.output.lower() for word in expected.reports):
        output = " ".join(artifacts.output.split())[-200:] or "nothing"
        verdict.problems.append(f"the run ended with {output!r}, and none of {', '.join(expected.reports)}")

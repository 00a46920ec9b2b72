"""A long run that ends with SIGKILL to all of its processes at once."""

from __future__ import annotations

import math
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crawler_core.errors import UserError
from crawler_nodes.topics import DIAGNOSTICS, JOINT_COMMANDS, JOINT_STATES
from crawler_nodes.transport.tap import TopicCallbacks
from crawler_studies.recordings.recording_reader import open_recording, read_stamps
from crawler_testing.fixtures.run_artifacts import find_tracebacks
from crawler_testing.fixtures.run_config import RunConfig
from crawler_testing.fixtures.run_harness import START_TIMEOUT_S, RunHarness
from crawler_testing.soak.memory_log import MemoryLog
from crawler_testing.soak.message_counter import MessageCounter, RecorderCounter
from crawler_testing.soak.soak_result import SoakResult

MAX_MEMORY_SAMPLES = 600
MIN_SAMPLE_PERIOD_S = 1.0
LOG_PERIOD_S = 60.0
POLL_PERIOD_S = 0.05


@dataclass(frozen=True)
class SoakRunConfig:
    """Run, duration and warm-up."""

    run: RunConfig
    backend: str
    domain: int
    rate: float  # Hz
    seconds: float
    warmup: float  # s, after which memory must not grow


class RecordedMessages(NamedTuple):
    """Content of a recording."""

    stamps: NDArray[np.int64]  # ns, of the states
    total: int  # messages of all topics
    trouble: str  # why it cannot be read; empty: it can


def run_soak(
    config: SoakRunConfig, log: Callable[[str], None], check: Callable[[], None]
) -> tuple[SoakResult, MemoryLog]:
    """Run it; its files stay in the run's `out`. Raises UserError if the robot does not crawl.

    KeyboardInterrupt from `check` ends it early, with the measurements so far.
    """
    counters = {topic.name: MessageCounter() for topic in (JOINT_STATES, JOINT_COMMANDS)}
    recorder, memory = RecorderCounter(), MemoryLog()
    topics: TopicCallbacks = [
        (JOINT_STATES, counters["joint_states"].add),
        (JOINT_COMMANDS, counters["joint_commands"].add),
        (DIAGNOSTICS, recorder.add),
    ]
    run = RunHarness(config.run, config.backend, domain=config.domain, rng=random.Random(0), topics=topics, check=check)
    with run:
        if not run.wait_until_crawling():
            raise UserError(f"the run did not begin to crawl: {run.stderr().strip()[-500:]}")
        if not run.wait_until(lambda: recorder.flushed and len(_read_recorded(run.out).stamps), START_TIMEOUT_S):
            raise UserError(f"nothing was recorded within {START_TIMEOUT_S:g} s: {run.stderr().strip()[-500:]}")
        start, first_stamp = time.monotonic(), run.monitor.stamp
        troubles = _observe(run, memory, config, log)
        duration = time.monotonic() - start
        run.processes.signal(signal.SIGKILL)
        troubles += find_tracebacks(run)
    last_stamp, ticks = run.monitor.stamp, run.monitor.counters
    received = np.unique(np.array(counters["joint_states"].stamps))
    recorded = _read_recorded(run.out)
    stamps = recorded.stamps
    troubles += [recorded.trouble] if recorded.trouble else []
    within = received[(received >= stamps[0]) & (received <= stamps[-1])] if len(stamps) else received
    result = SoakResult(
        robot=run.spec.name,
        backend=config.backend,
        rate=config.rate,
        duration_s=duration,
        run_s=last_stamp - first_stamp,
        ticks=int(ticks.get("ticks", 0)),
        late_ticks=int(ticks.get("late_ticks", 0)),
        overruns=int(ticks.get("overruns", 0)),
        received={name: counter.received for name, counter in counters.items()},
        missed={name: counter.missed for name, counter in counters.items()},
        memory_MB=memory.last(),
        growth_MB=memory.growth(config.warmup) if duration > config.warmup else {},
        recorded=len(stamps),
        not_recorded=len(np.setdiff1d(within, stamps)),
        recorder_reported=recorder.flushed,
        recording_holds=recorded.total,
        recording_lacks_s=last_stamp - stamps[-1] * 1e-9 if len(stamps) else math.nan,
        troubles=tuple(troubles),
    )
    return result, memory


def _observe(run: RunHarness, memory: MemoryLog, config: SoakRunConfig, log: Callable[[str], None]) -> list[str]:
    """Sample memory until the time is over, the run ends, or Ctrl-C; return a sentence if it was not the first."""
    start = time.monotonic()
    sample_period = max(MIN_SAMPLE_PERIOD_S, config.seconds / MAX_MEMORY_SAMPLES)
    next_sample, next_log = 0.0, LOG_PERIOD_S
    try:
        while (passed := time.monotonic() - start) < config.seconds:
            if run.has_ended:
                return [f"the run ended after {passed:.0f} s: {run.stderr().strip()[-300:]}"]
            if passed >= next_sample:
                next_sample += sample_period
                memory.sample(passed, run.processes.running())
            if passed >= next_log:
                next_log += LOG_PERIOD_S
                megabytes = ", ".join(f"{name} {mb:.1f}" for name, mb in memory.last().items())
                late = run.monitor.counters.get("late_ticks", "0")
                log(f"{passed / 60.0:.0f} of {config.seconds / 60.0:g} min, {late} late ticks, MB: {megabytes}")
            run.wait(POLL_PERIOD_S)
    except KeyboardInterrupt:
        return [f"interrupted after {time.monotonic() - start:.0f} s"]
    return []


def _read_recorded(out: Path) -> RecordedMessages:
    try:
        with open_recording(out) as reader:
            count = sum(1 for _ in reader.messages())
        return RecordedMessages(np.unique(read_stamps(out, "joint_states")), count, "")
    except UserError as error:
        return RecordedMessages(np.array([], dtype=np.int64), 0, str(error))

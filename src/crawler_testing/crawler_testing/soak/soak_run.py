"""Lets a ring run for long, and then kills all of it at once."""

from __future__ import annotations

import math
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_nodes.run_log.log import Topics
from crawler_nodes.transport.tap import Topic
from crawler_studies.recordings.recording import read_stamps, reading
from crawler_testing.faults.fault_kind import NeededRun
from crawler_testing.fixtures.run_artifacts import traced
from crawler_testing.fixtures.run_harness import START_UP, Scene
from crawler_testing.soak.memory import Memory
from crawler_testing.soak.sequence_counter import RecorderPromise, Sequence
from crawler_testing.soak.soak_result import SoakResult

LOOKS = 600  # samples of memory in a soak, at most
SOONEST = 1.0  # s between two of them, at least
SAY_EVERY = 60.0  # s
TOPICS = ("joint_states", "joint_commands")


@dataclass(frozen=True)
class Soak:
    """What shall run for how long."""

    stage: NeededRun
    backend: str
    domain: int
    rate: float  # Hz
    seconds: float
    settles: float  # s after which memory has to be flat


def soak(
    wanted: Soak, directory: Path, say: Callable[[str], None], check: Callable[[], None]
) -> tuple[SoakResult, Memory]:
    """Run it; everything is left in `directory`.

    KeyboardInterrupt from `check` ends it early, with what there is by then. Raises UserError where nothing crawls.
    """
    spec = load_robot(wanted.stage.robot, {})
    sequences = {name: Sequence() for name in TOPICS}
    memory = Memory()
    troubles: list[str] = []
    promise = RecorderPromise()
    topics: Topics = [(Topic(name, JointState, depth=5000), sequence.hear) for name, sequence in sequences.items()]
    topics.append((Topic("diagnostics", DiagnosticArray, depth=5000), promise.hear))
    scene = Scene(
        wanted.stage, spec, wanted.backend, domain=wanted.domain, chance=random.Random(0), topics=topics, check=check
    )
    with scene:
        if not scene.crawling():
            raise UserError(f"the run did not begin to crawl: {scene.printed().strip()[-500:]}")
        if not scene.until(lambda: promise.kept and len(_recorded(scene.out)[0]), START_UP):
            raise UserError(f"nothing was recorded within {START_UP:g} s: {scene.printed().strip()[-500:]}")
        began, began_own = time.monotonic(), scene.witness.stamp
        troubles += _watch(scene, memory, wanted, say)
        passed, own = time.monotonic() - began, scene.witness.stamp - began_own
        for pid in scene.tree.living():
            os.kill(pid, signal.SIGKILL)
        troubles += traced(scene)
        last = scene.witness.stamp
        counters = scene.witness.counters
    heard = np.unique(np.array(sequences["joint_states"].stamps))
    recorded, holds, trouble = _recorded(scene.out)
    troubles += [trouble] if trouble else []
    within = heard[(heard >= recorded[0]) & (heard <= recorded[-1])] if len(recorded) else heard
    result = SoakResult(
        robot=spec.name,
        backend=wanted.backend,
        rate=wanted.rate,
        duration_s=passed,
        run_s=own,
        ticks=int(counters.get("ticks", 0)),
        late_ticks=int(counters.get("late_ticks", 0)),
        overruns=int(counters.get("overruns", 0)),
        heard={name: sequence.heard for name, sequence in sequences.items()},
        missed={name: sequence.missed for name, sequence in sequences.items()},
        memory_MB=memory.latest(),
        growth_MB=memory.growth(wanted.settles) if passed > wanted.settles else {},
        recorded=len(recorded),
        not_recorded=len(np.setdiff1d(within, recorded)),
        recorder_said=promise.kept,
        recording_holds=holds,
        recording_lacks_s=last - recorded[-1] * 1e-9 if len(recorded) else math.nan,
        troubles=tuple(troubles),
    )
    return result, memory


def _watch(scene: Scene, memory: Memory, wanted: Soak, say: Callable[[str], None]) -> list[str]:
    """Look at it until the time is over, it has ended or Ctrl-C comes; what is to be said of that."""
    began = time.monotonic()
    every = max(SOONEST, wanted.seconds / LOOKS)
    due, said = 0.0, SAY_EVERY
    try:
        while (passed := time.monotonic() - began) < wanted.seconds:
            if scene.ended:
                return [f"the run ended after {passed:.0f} s: {scene.printed().strip()[-300:]}"]
            if passed >= due:
                due += every
                memory.look(passed, scene.tree.living())
            if passed >= said:
                said += SAY_EVERY
                own = ", ".join(f"{name} {mb:.1f}" for name, mb in memory.latest().items())
                late = scene.witness.counters.get("late_ticks", "0")
                say(f"{passed / 60.0:.0f} of {wanted.seconds / 60.0:g} min, {late} late ticks, MB: {own}")
            scene.listen(0.05)
    except KeyboardInterrupt:
        return [f"interrupted after {time.monotonic() - began:.0f} s"]
    return []


def _recorded(out: Path) -> tuple[NDArray[np.int64], int, str]:
    """Stamps (ns) of the states in the recording, the messages that it holds, and why it cannot be read."""
    try:
        with reading(out) as reader:
            holds = sum(1 for _ in reader.messages())
        return np.unique(read_stamps(out, "joint_states")), holds, ""
    except UserError as error:
        return np.array([], dtype=np.int64), 0, str(error)

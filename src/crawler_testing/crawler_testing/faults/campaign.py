"""Brings a storm over the runs: which kinds share one, in which order, and what became of each."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crawler_core.robot.robot_file import load_robot
from crawler_models.models import model_of
from crawler_testing.faults.fault_kind import FaultKind, Must, crawls
from crawler_testing.faults.fault_run import act
from crawler_testing.faults.verdict import Verdict
from crawler_testing.fixtures.run_artifacts import Remains
from crawler_testing.fixtures.run_harness import Scene

SLOWEST = 3.0  # times that, with however much patience
LONGEST = 12  # kinds that one run has to bear
WELL = 3.0  # s within which a run that has borne something crawls
LIES = Must("torque off, said; exit code 1", code=(1,))  # a robot whose equations have no feet in the air
GRACE = 5.0  # s from Ctrl-C to the run's end: it draws a picture


@dataclass(frozen=True)
class Weather:
    """A storm: what decides it, and what bounds it."""

    seed: int
    domain: int
    patience: float = 1.0  # times every bound of wall time, for a machine that is busy with other things
    seconds: float = float("inf")  # after which nothing new is begun
    more: tuple[str, ...] = ()  # words for every `crawler run`


def blow(
    kinds: Sequence[FaultKind],
    backends: Sequence[str],
    weather: Weather,
    say: Callable[[str], None],
    check: Callable[[], None] = lambda: None,
) -> Iterator[Verdict]:
    """One verdict after the other; those that came are there, whatever becomes of the next.

    `check` is called all the time while something is waited for; what it raises ends the storm, and the run under it.
    """
    chance = random.Random(weather.seed)
    end = time.monotonic() + weather.seconds
    plan = [(b, together) for b in backends for together in acts([k for k in kinds if applies(k, b)], chance)]
    for count, (backend, together) in enumerate(plan, 1):
        if time.monotonic() > end:
            say(f"the time is over: {len(plan) - count + 1} of {len(plan)} runs were not begun")
            return
        say(f"run {count} of {len(plan)}, {backend}: {', '.join(kind.name for kind in together)}")
        yield from _run(together, backend, weather, random.Random(chance.random()), check)


def applies(kind: FaultKind, backend: str) -> bool:
    """Whether the backend can have this fault, and carry the robot that it needs."""
    if backend not in kind.backends:
        return False
    return backend != "model" or model_of(load_robot(kind.stage.robot, {})).plant is not None


def acts(kinds: Sequence[FaultKind], chance: random.Random) -> list[list[FaultKind]]:
    """The kinds in an order by chance, those that may share a run together."""
    found: list[list[FaultKind]] = []
    shared: dict[Any, list[FaultKind]] = {}
    for kind in kinds:
        if kind.shares:
            shared.setdefault(kind.stage, []).append(kind)
        else:
            found.append([kind])
    for group in shared.values():
        chance.shuffle(group)
        found += [group[i : i + LONGEST] for i in range(0, len(group), LONGEST)]
    chance.shuffle(found)
    return found


def _run(
    kinds: list[FaultKind], backend: str, weather: Weather, chance: random.Random, check: Callable[[], None]
) -> Iterator[Verdict]:
    """One run, and what is left of it. Where it breaks, those that have not come yet get another."""
    first = kinds[0]
    left = list(kinds)
    scene = Scene(
        first.stage,
        load_robot(first.stage.robot, {}),
        backend,
        domain=weather.domain,
        chance=chance,
        patience=weather.patience,
        duration=0.0 if first.shares else first.stage.lasts * min(weather.patience, SLOWEST),
        more=weather.more,
        check=check,
    )
    with scene:
        if first.stage.starts and not scene.crawling():
            left.pop(0)
            why = scene.printed().strip()[-300:] or f"motion is {scene.witness.motion or 'unknown'}"
            yield Verdict(first.name, backend, 0.0, [f"the run did not begin to crawl: {why}"])
        else:
            verdict = act(left.pop(0), scene)
            while left and not scene.ended and (verdict.ok or scene.crawling(WELL)):  # they deserve a run that is well
                yield verdict
                verdict = act(left.pop(0), scene)
            _end(scene, verdict, first)
            yield verdict
    if left:
        yield from _run(left, backend, weather, chance, check)


def _end(scene: Scene, verdict: Verdict, first: FaultKind) -> None:
    """Let the run end, or end it, and judge what is left; `verdict` is the last of it."""
    if not first.shares:
        scene.until(lambda: scene.ended, first.stage.lasts + GRACE)
        if not scene.ended and not first.must.ends:
            verdict.problems.append("it did not end by itself at its duration")
    if not scene.ended:
        scene.process.send_signal(signal.SIGCONT)
        scene.process.send_signal(signal.SIGINT)
        scene.until(lambda: scene.ended, GRACE)
    must = LIES if verdict.lifted else crawls() if first.shares else first.must
    remains = Remains.of(scene, keeps=must.keeps)
    verdict.code = remains.code
    verdict.problems += remains.problems(must, busy=scene.patience > 1.0)
    if must.ends and must.says and not any(word.lower() in remains.words.lower() for word in must.says):
        words = " ".join(remains.words.split())[-200:]
        verdict.problems.append(f"it ended saying {words or 'nothing'!r}, and none of {', '.join(must.says)}")

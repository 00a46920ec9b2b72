"""Brings a storm over the runs: which kinds share one, in which order, and what became of each."""

from __future__ import annotations

import itertools
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crawler_cli.storm.judge import act
from crawler_cli.storm.kind import Kind, crawls
from crawler_cli.storm.remains import Remains
from crawler_cli.storm.scene import Scene
from crawler_cli.storm.verdict import Verdict
from crawler_core.robot import load_robot
from crawler_models.catalogue import model_of

ALONE = 8.0  # s of its own time that a run lasts whose only fault is to come
LONGEST = 12  # kinds that one run has to bear
WELL = 3.0  # s within which a run that has borne something crawls
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
    kinds: Sequence[Kind], backends: Sequence[str], weather: Weather, say: Callable[[str], None]
) -> Iterator[Verdict]:
    """One verdict after the other; those that came are there, whatever becomes of the next."""
    chance = random.Random(weather.seed)
    end = time.monotonic() + weather.seconds
    for backend in backends:
        for together in acts([kind for kind in kinds if applies(kind, backend)], chance):
            if time.monotonic() > end:
                return
            say(f"{backend}: {', '.join(kind.name for kind in together)}")
            yield from _scene(together, backend, weather, random.Random(chance.random()))


def applies(kind: Kind, backend: str) -> bool:
    """Whether the backend can have this fault, and carry the robot that it needs."""
    if backend not in kind.backends:
        return False
    return backend != "model" or model_of(load_robot(kind.stage.robot, {})).plant is not None


def acts(kinds: Sequence[Kind], chance: random.Random) -> list[list[Kind]]:
    """The kinds in an order by chance, those that may share a run together."""
    found: list[list[Kind]] = []
    shared: dict[Any, list[Kind]] = {}
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


def _scene(kinds: list[Kind], backend: str, weather: Weather, chance: random.Random) -> Iterator[Verdict]:
    """One run, and what is left of it. Where it breaks, those that have not come yet get another."""
    first = kinds[0]
    shared = first.shares
    verdicts: list[Verdict] = []
    left = list(kinds)
    scene = Scene(
        first.stage,
        load_robot(first.stage.robot, {}),
        backend,
        domain=weather.domain,
        chance=chance,
        patience=weather.patience,
        duration=0.0 if shared else ALONE + 60.0 * (weather.patience - 1.0),
        more=weather.more,
    )
    with scene:
        if first.stage.starts and not scene.crawling():
            yield Verdict(first.name, backend, 0.0, [f"the run did not begin to crawl: {scene.printed()[-300:]}"])
            left.pop(0)
        else:
            while left and not scene.ended:
                kind = left.pop(0)
                verdicts.append(act(kind, scene))
                if shared and not verdicts[-1].ok and not scene.crawling(WELL):
                    break  # the next ones deserve a run that is well
            _end(scene, verdicts, first, shared)
            yield from verdicts
    if left:
        yield from _scene(left, backend, weather, chance)


def _end(scene: Scene, verdicts: list[Verdict], first: Kind, shared: bool) -> None:
    """Let the run end, or end it, and judge what is left."""
    if not shared:
        scene.until(lambda: scene.ended, ALONE + GRACE)
        if not scene.ended and not first.must.ends:
            verdicts[-1].problems.append("it did not end by itself at its duration")
    if not scene.ended:
        scene.process.send_signal(signal.SIGCONT)
        scene.process.send_signal(signal.SIGINT)
        scene.until(lambda: scene.ended, GRACE)
    must = crawls() if shared else first.must
    remains = Remains.of(scene, keeps=must.keeps)
    verdicts[-1].code = remains.code
    verdicts[-1].problems += remains.problems(must)
    if must.ends and must.says and not any(word.lower() in remains.words.lower() for word in must.says):
        words = " ".join(remains.words.split())[-200:]
        verdicts[-1].problems.append(f"it ended saying {words or 'nothing'!r}, and none of {', '.join(must.says)}")


def runs_of(kinds: Sequence[Kind], backends: Sequence[str], seed: int) -> int:
    """How many runs a storm needs, if nothing breaks."""
    chance = random.Random(seed)
    return sum(1 for _ in itertools.chain(*(acts([k for k in kinds if applies(k, b)], chance) for b in backends)))

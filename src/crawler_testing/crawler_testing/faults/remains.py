"""What a run has left behind when it is over: exit code, words, summary, recording, processes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from crawler_core.errors import UserError
from crawler_studies.recordings.recording import read_recording
from crawler_testing.faults.kind import Must
from crawler_testing.faults.scene import Scene

GONE = 3.0  # s after the first process within which the last of them has ended


@dataclass(frozen=True)
class Remains:
    """Of one run that has ended, or was ended."""

    code: int | None  # None: it had to be killed
    left: tuple[str, ...]  # processes that lived on
    tracebacks: tuple[str, ...]  # a sentence each
    words: str  # what it printed as errors, and the summary's fault
    missing: tuple[str, ...]  # what should be there and is not, a sentence each
    bent: bool = False  # it did what was asked, and only too many ticks were late

    @staticmethod
    def of(scene: Scene, keeps: bool) -> Remains:
        """Looks at what there is; `keeps`: summary and recording have to be there."""
        scene.until(lambda: not scene.tree.living(), GONE)
        left = tuple(sorted(scene.tree.living().values()))
        summary = _summary(scene.out / "summary.json")
        words = f"{scene.printed()} {summary.get('fault') or ''}"
        missing = tuple(_missing(scene.out, summary)) if keeps else ()
        bent = bool(summary.get("why_invalid") and not summary.get("fault"))
        return Remains(scene.process.poll(), left, tuple(traced(scene)), words, missing, bent)

    def problems(self, must: Must, busy: bool = False) -> list[str]:
        """What is not as it has to be, a sentence each. On a `busy` machine late ticks alone are none of it."""
        found = [*self.missing, *self.tracebacks]
        if self.code is None:
            found.append("it did not end when it was asked to")
        elif must.code is None and self.code == 0:
            found.append("exit code 0 of a run that was spoiled")
        elif must.code is not None and self.code not in must.code and not (busy and self.bent and self.code == 1):
            found.append(f"exit code {self.code}: {' '.join(self.words.split())[-200:]}")
        if self.left:
            found.append(f"left behind: {', '.join(self.left)}")
        return found


def traced(scene: Scene) -> list[str]:
    """The tracebacks in what a run has printed and logged, a sentence each with its last line."""
    files = [*scene.place.glob("*.err"), *scene.place.glob("*.out"), *(scene.out / "logs").glob("*.log")]
    texts = {file.name: file.read_text(errors="replace") for file in files}
    return [f"a traceback in {name}: {_raised(text)}" for name, text in texts.items() if "Traceback" in text]


def _raised(text: str) -> str:
    """The line on which the first traceback of a text ends."""
    after = text.partition("Traceback")[2].splitlines()[1:]
    return next((line.strip() for line in after if line and not line.startswith(" ")), "")[:200]


def _summary(file: Path) -> dict[str, object]:
    try:
        return dict(json.loads(file.read_text()))
    except (OSError, ValueError):
        return {}


def _missing(out: Path, summary: dict[str, object]) -> list[str]:
    found = [] if summary else ["there is no summary"]
    try:
        read_recording(out)
    except UserError as error:
        found.append(str(error).replace(f"{out.parent}/", ""))
    return found

"""Files of the run that cannot be written, or are taken away."""

from __future__ import annotations

import resource
import shutil

from crawler_testing.faults.fault_kind import FaultKind, Must, NeededRun, crawls, ends
from crawler_testing.fixtures.run_harness import Scene

FULL = ends("record", text="the cause is said, exit code not 0; what was recorded can be read")


def _no_room(scene: Scene) -> None:
    """The recorder's files may not grow: for who writes that is a disk that is full."""
    size = sum(file.stat().st_size for file in (scene.out / "recording").rglob("*") if file.is_file())
    resource.prlimit(scene.tree.pid("recorder"), resource.RLIMIT_FSIZE, (size + 4096, size + 4096))


def _no_room_for_logs(scene: Scene) -> None:
    for name in ("gait", "controller", "backend"):
        resource.prlimit(scene.tree.pid(name), resource.RLIMIT_FSIZE, (0, 0))


def _no_room_for_the_end(scene: Scene) -> None:
    resource.prlimit(scene.process.pid, resource.RLIMIT_FSIZE, (0, 0))


GONE = Must("the run ends with a sentence about it, exit code not 0", ends=20.0, code=None, keeps=False)
KINDS = (
    FaultKind("files/disk_full", "no room for the recording any more", FULL, _no_room),
    FaultKind("files/no_room_for_logs", "no room for the nodes' logs", crawls(text="crawls on"), _no_room_for_logs),
    FaultKind("files/no_room_for_summary", "no room for summary and picture", GONE, _no_room_for_the_end),
    FaultKind("files/out_removed", "the run's folder is removed", GONE, lambda scene: shutil.rmtree(scene.out)),
    FaultKind(
        "files/recording_removed",
        "the recording's folder is removed",
        GONE,
        lambda scene: shutil.rmtree(scene.out / "recording"),
    ),
    FaultKind(
        "files/out_impossible",
        "--out below something that is no folder",
        Must("one sentence, exit code 2, nothing is started", ends=20.0, code=(2,), keeps=False),
        lambda _scene: None,
        stage=NeededRun(starts=False, out="/dev/null/run"),
    ),
)

"""Files of the run that cannot be written, or are removed."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Callable

from crawler_testing.faults.fault_kind import ExpectedOutcome, FaultKind, expect_crawl, expect_end
from crawler_testing.fixtures.run_config import RunConfig
from crawler_testing.fixtures.run_harness import RunHarness

END_TIMEOUT_S = 20.0
SPARE_BYTES = 4096  # that the recording may still grow


def _limit_file_size(pid: int, size: int) -> None:
    """Let no file of a process grow beyond so many bytes: for the process, the disk is full."""
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, size))


def _fill_disk(run: RunHarness) -> None:
    size = sum(file.stat().st_size for file in (run.out / "recording").rglob("*") if file.is_file())
    _limit_file_size(run.processes.pid("recorder"), size + SPARE_BYTES)


def _block_logs(run: RunHarness) -> None:
    for name in ("gait", "controller", "backend"):
        _limit_file_size(run.processes.pid(name), 0)


def _block_summary(run: RunHarness) -> None:
    _limit_file_size(run.process.pid, 0)


def _remove(folder: str) -> Callable[[RunHarness], None]:
    return lambda run: shutil.rmtree(run.out / folder)


RECORDER_ENDS = expect_end("record", text="cause reported, exit code not 0; the recording so far is readable")
ENDS = ExpectedOutcome(
    "the run ends and reports it, exit code not 0", ends_within=END_TIMEOUT_S, exit_codes=None, keeps_files=False
)
REJECTED = ExpectedOutcome(
    "one sentence, exit code 2, nothing is started", ends_within=END_TIMEOUT_S, exit_codes=(2,), keeps_files=False
)
NOT_STARTED = RunConfig(starts=False, out="/dev/null/run")
FILE_FAULTS = (
    FaultKind("files/disk_full", "no space for the recording", RECORDER_ENDS, _fill_disk),
    FaultKind("files/no_room_for_logs", "no space for the nodes' logs", expect_crawl(), _block_logs),
    FaultKind("files/no_room_for_summary", "no space for summary and plot", ENDS, _block_summary),
    FaultKind("files/out_removed", "removal of the run's folder", ENDS, _remove("")),
    FaultKind("files/recording_removed", "removal of the recording's folder", ENDS, _remove("recording")),
    FaultKind("files/out_impossible", "--out below a device", REJECTED, lambda _run: None, run_config=NOT_STARTED),
)

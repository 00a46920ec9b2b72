"""Corrupted files: each command that reads one reads it, or rejects it by one sentence, soon and in little memory.

`./crawler fuzz --files` does the same with as many files as one wants.
"""

import json
import os
import signal
import subprocess

import pytest

from crawler_core.errors import UserError
from crawler_testing.file_fuzz import file_campaign, reader_process
from crawler_testing.file_fuzz.file_campaign import FileKind, file_kinds, fuzz_files, make_file
from crawler_testing.marked_page import BEGIN, END

SEED = 11
COUNTS = {"recording for film": 4, "recording for rerun": 6, "robot file": 8, "parameter file": 30, "study file": 100}
MANY = 100  # of each kind


@pytest.mark.parametrize("name", COUNTS)
def test_corrupted_files_are_read_or_rejected(name):
    outcome = fuzz_files(name, COUNTS[name], SEED)
    assert outcome.ok, outcome.problems
    assert outcome.files == COUNTS[name]


@pytest.mark.exhaustive  # whose quicker sibling is the one above
@pytest.mark.parametrize("name", file_kinds())
def test_many_corrupted_files_are_read_or_rejected(name):
    outcome = fuzz_files(name, MANY, SEED + 1)
    assert outcome.ok, outcome.problems


def fuzz_with(monkeypatch, read, count=2):
    kind = FileKind(".sqlite", read, file_campaign._studies)
    monkeypatch.setattr(file_campaign, "file_kinds", lambda: {"it": kind})
    return fuzz_files("it", count, SEED)


def reject(*_):
    raise UserError("no.")


def hold_memory(*_):
    try:
        bytearray(2**40)  # quickly refused where memory is not limited
    except MemoryError:
        raise UserError("it is too large.") from None


def hang(*_):
    while True:
        pass


def hang_in_compiled_code(*_):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGVTALRM})
    hang()


FAULTS = {
    "KeyError": lambda *_: dict[str, int]()["x"],
    "more than 0.3 s, in test_file_fuzz.py": hang,
    "more than 0.3 s, in compiled code": hang_in_compiled_code,
    "more than 1024 MB, in test_file_fuzz.py": hold_memory,
    "it left elsewhere": lambda file, _: (file.parent / "elsewhere").touch(),
    "it wrote to /dev/full": lambda *_: open("/dev/full", "w").close(),
    "it started a process": lambda *_: subprocess.run(["true"], check=True),
    "it ran code of": lambda file, _: exec(compile("1", str(file), "exec")),
    "signal 9": lambda *_: os.kill(os.getpid(), signal.SIGKILL),
}


@pytest.mark.parametrize("words", FAULTS)
def test_what_a_command_must_not_do_is_found(monkeypatch, words):
    monkeypatch.setattr(reader_process, "MAX_SECONDS", 0.3)
    outcome = fuzz_with(monkeypatch, FAULTS[words])
    assert [words in problem for problem in outcome.problems] == [True], outcome.problems  # each kind once
    assert outcome.problems[0].startswith("file 1: ")
    assert list(outcome.crashes.values()) == [outcome.files] == [2]


def test_a_rejection_is_no_problem_and_the_seed_determines_the_files(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr(file_campaign, "_check_folder", lambda _, file, __: [seen.append(file.read_bytes())] * 0)
    outcome = fuzz_with(monkeypatch, reject, 3)
    assert outcome.ok
    assert (outcome.files, outcome.accepted) == (3, 0)
    assert [make_file("it", number, SEED) for number in (1, 2, 3)] == seen
    assert len(set(seen)) > 1


def test_the_command_reports_each_kind_and_adds_up(call, tmp_path):
    words = ("fuzz", "--files", "--only", "study", "--count", "20", "--json")
    code, out, _ = call(*words, "--keep", "last.sqlite")
    assert code == 0
    (outcome,) = json.loads(out)["outcomes"]
    assert (outcome["kind"], outcome["files"], outcome["ok"]) == ("study file", 20, True)
    assert (tmp_path / "last.sqlite").read_bytes() == make_file("study file", 20, 0)
    (tmp_path / "0.json").write_text(out)
    (tmp_path / "1.json").write_text(call(*words, "--seed", "1")[1])
    (tmp_path / "page.md").write_text(f"a\n{BEGIN.format(command='fuzz --files')}\n{END}\n")
    code, out, _ = call("fuzz", "--files", "--from", "0.json", "1.json", "--write", "page.md")
    assert code == 0
    assert "40 files, 0 of them recordings, 0 problems." in out
    assert "| study file | 0, 1 | 40 | " in (tmp_path / "page.md").read_text()


def test_after_an_interruption_the_files_so_far_are_counted(monkeypatch):
    def check():
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(1)

    made = []
    monkeypatch.setattr(
        file_campaign, "file_kinds", lambda: {"it": FileKind(".sqlite", reject, file_campaign._studies)}
    )
    outcome = fuzz_files("it", 10, SEED, check)
    assert (outcome.files, outcome.interrupted) == (2, True)

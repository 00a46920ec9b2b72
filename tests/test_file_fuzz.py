"""Corrupted files: each command that reads one reads it, or rejects it by one sentence, soon and in little memory.

`./crawler fuzz --files` does the same with as many files as one wants.
"""

import json

import pytest

from crawler_core.errors import UserError
from crawler_testing.file_fuzz import file_campaign, file_readers
from crawler_testing.file_fuzz.file_campaign import FileKind, file_kinds, fuzz_files, make_file

SEED = 11
COUNTS = {"recording for plot": 3, "recording for film": 5, "robot file": 10, "parameter file": 40, "study file": 300}
COUNT = 8  # of other kinds


@pytest.mark.parametrize("name", file_kinds())
def test_corrupted_files_are_read_or_rejected(name):
    count = COUNTS.get(name, COUNT)
    outcome = fuzz_files(name, count, SEED)
    assert outcome.ok, outcome.problems
    assert outcome.files == count


@pytest.mark.exhaustive  # whose quicker sibling is the one above
@pytest.mark.parametrize("name", file_kinds())
def test_many_corrupted_files_are_read_or_rejected(name):
    outcome = fuzz_files(name, 20 * COUNTS.get(name, COUNT), SEED + 1)
    assert outcome.ok, outcome.problems


def fuzz_with(monkeypatch, read, count=3):
    kind = FileKind(".sqlite", read, file_campaign._studies)
    monkeypatch.setattr(file_campaign, "file_kinds", lambda: {"it": kind})
    return fuzz_files("it", count, SEED)


def reject(sentence):
    def read(file, _):
        raise UserError(sentence)

    return read


def fail(*_):
    raise KeyError("x")


def hang(*_):
    while True:
        pass


def litter(file, _):
    (file.parent / "elsewhere").touch()


@pytest.mark.parametrize(
    ("read", "words"), [(fail, "KeyError"), (hang, "more than 0.2 s"), (litter, "it left elsewhere")]
)
def test_what_a_command_must_not_do_is_found(monkeypatch, read, words):
    monkeypatch.setattr(file_campaign, "MAX_SECONDS", 0.2)
    outcome = fuzz_with(monkeypatch, read)
    assert not outcome.ok
    assert words in outcome.problems[0]
    assert len(outcome.problems) == 1  # each kind once


def test_a_rejection_is_no_problem(monkeypatch):
    outcome = fuzz_with(monkeypatch, reject("no."))
    assert outcome.ok
    assert (outcome.files, outcome.accepted) == (3, 0)


def test_the_seed_determines_the_files(monkeypatch):
    seen = []
    fuzz_with(monkeypatch, lambda file, _: seen.append(file.read_bytes()))
    assert [make_file("it", number, SEED) for number in (1, 2, 3)] == seen
    assert len(set(seen)) > 1


def test_the_command_reports_each_kind(call):
    code, out, _ = call("fuzz", "--files", "--only", "study", "--count", "20", "--json", "--keep", "last.sqlite")
    assert code == 0
    (outcome,) = json.loads(out)["outcomes"]
    assert (outcome["kind"], outcome["files"], outcome["ok"]) == ("study file", 20, True)
    assert file_readers.STUDY_COLUMNS
    with open("last.sqlite", "rb") as file:
        assert file.read() == make_file("study file", 20, 0)

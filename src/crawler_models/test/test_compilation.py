"""Compiled code where the disk is full, and where its files are damaged."""

import errno
import os
import subprocess
import sys

import pytest
from numba.core.caching import FunctionCache, NullCache

from crawler_models import compilation

PROGRAM = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
from crawler_models.bolt.compiled.reduced import dot
print(dot(1.0 + 2.0j, 3.0 + 4.0j))
"""


@pytest.fixture(autouse=True)
def _warnings():
    compilation._warn.cache_clear()


def function():
    """Do nothing."""


def fail(error):
    def raise_it(*_):
        raise error

    return raise_it


def test_a_full_disk_is_said_once(monkeypatch, capsys):
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(FunctionCache, "save_overload", fail(full))
    cache = compilation._make_cache(function)
    for _ in range(2):
        cache.save_overload((), None)
    err = capsys.readouterr().err
    assert err.count("compiled code cannot be kept") == 1
    assert "No space left on device" in err


def test_a_damaged_file_is_written_again(monkeypatch):
    monkeypatch.setattr(FunctionCache, "load_overload", fail(EOFError("Ran out of input")))
    flushed = []
    monkeypatch.setattr(FunctionCache, "flush", lambda self: flushed.append(self))
    cache = compilation._make_cache(function)
    assert cache.load_overload((), None) is None
    assert flushed == [cache]


def test_without_a_folder_nothing_is_kept(monkeypatch, capsys):
    monkeypatch.setattr(FunctionCache, "__init__", fail(RuntimeError("cannot cache function: no locator available")))
    assert isinstance(compilation._make_cache(function), NullCache)
    assert compilation.NO_FOLDER in capsys.readouterr().err


@pytest.mark.exhaustive
def test_a_process_that_may_write_no_file_computes_the_same(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == "11.0\n"
    assert done.stderr.count("File too large") == 1

"""Directory of the compiled code, one for each state of the sources.

numba notices a changed file, but not a changed function in another file that it calls, and would use the old one. So
the name of the cache directory has a digest of all compiled sources: those in folders `compiled`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import dispatcher
from numba.core.caching import FunctionCache, NullCache

NO_FOLDER = "no folder can be written"


class OptionalCache(FunctionCache):
    """Compiled code of one function on the disk. A full disk or a damaged file costs time, and is no error."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # numba unpickles the files, and damaged ones can raise any error
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn(error.strerror or str(error))


def keep_compiled_code() -> None:
    """Point numba to this version's directory: beside the sources, or in the user's cache where those are read-only.

    The `__init__` of a folder `compiled` calls it before it imports compiled code.
    """
    here = Path(__file__).resolve().parent
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sorted(here.glob("*/compiled/*.py")))).hexdigest()[
        :16
    ]
    if os.environ.get("NUMBA_CACHE_DIR"):
        home = Path(os.environ["NUMBA_CACHE_DIR"])
    elif os.access(here, os.W_OK):
        home = here / "__pycache__"
        for old in home.glob("compiled-*"):
            if old.name != f"compiled-{digest}":
                shutil.rmtree(old, ignore_errors=True)
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crawler"
    numba.config.CACHE_DIR = str(home / f"compiled-{digest}")  # type: ignore[attr-defined]
    dispatcher.FunctionCache = _make_cache  # type: ignore[attr-defined]


def _make_cache(function: Any) -> OptionalCache | NullCache:
    try:
        return OptionalCache(function)
    except RuntimeError:  # numba tries this folder, that beside the sources and the user's cache
        _warn(NO_FOLDER)
        return NullCache()


@cache
def _warn(reason: str) -> None:
    """Print once that compiled code is not kept."""
    folder = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    print(
        f"crawler: compiled code cannot be kept in {folder}: {reason}. It is compiled again at every start: make room, "
        "or set NUMBA_CACHE_DIR to a folder that can be written.",
        file=sys.stderr,
    )

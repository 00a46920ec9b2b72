"""Where the compiled code is kept.

numba notices that a file has changed, but not that a function it calls, in another file, has: it would go on with the
old one. So the directory of the cache bears a digest of all sources that are compiled: those in folders `fast`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import numba


def keep_compiled_code() -> None:
    """Point numba to this version's directory: beside the sources, or in the user's cache where those are read-only.

    To be called by the `__init__` of a folder `fast`, before it imports anything that is compiled.
    """
    here = Path(__file__).resolve().parent
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sorted(here.glob("*/fast/*.py")))).hexdigest()[:16]
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

"""Directory of the compiled code, one for each state of the sources.

numba notices a changed file, but not a changed function in another file that it calls, and would use the old one. So
the name of the cache directory has a digest of all compiled sources: those in folders `compiled`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import numba


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

"""How far something is: a line every two seconds, on standard error."""

from __future__ import annotations

import math
import sys
import time

EVERY = 2.0  # s


class ProgressLine:
    """Called with what is done of `total`; the first line comes after two seconds, and none where it is `quiet`."""

    def __init__(self, what: str, total: float, quiet: bool, said: str = "{:.1f} of {:.1f} s") -> None:
        self._what, self._total, self._said = what, total, said
        self._next = math.inf if quiet else time.monotonic() + EVERY

    def __call__(self, done: float) -> None:
        if (now := time.monotonic()) >= self._next:
            self._next = now + EVERY
            print(f"{self._what}: {self._said.format(done, self._total)}", file=sys.stderr, flush=True)

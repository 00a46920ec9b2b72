"""Print progress on stderr, a line now and then."""

from __future__ import annotations

import sys
import time


class ProgressLine:
    """Prints a line at most every `period_s`; sooner, every `news_period_s`, when `news` changes."""

    def __init__(self, quiet: bool, period_s: float = 2.0, news_period_s: float | None = None) -> None:
        self._quiet = quiet
        self._period_s = period_s
        self._news_period_s = period_s if news_period_s is None else news_period_s
        self._printed_at = time.monotonic()
        self._news: object = None

    def __call__(self, text: str, news: object = None) -> None:
        period_s = self._period_s if news == self._news else self._news_period_s
        if self._quiet or time.monotonic() - self._printed_at < period_s:
            return
        self._printed_at, self._news = time.monotonic(), news
        print(text, file=sys.stderr, flush=True)

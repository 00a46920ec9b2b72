"""The signals that ask a process to end."""

from __future__ import annotations

import signal


def end_signals() -> tuple[signal.Signals, ...]:
    """Return these signals: of Ctrl-C, of `kill`, and of a terminal that goes away, unless nohup ignores that one."""
    hang_up = () if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else (signal.SIGHUP,)
    return (signal.SIGINT, signal.SIGTERM, *hang_up)

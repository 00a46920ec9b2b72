"""Starting the bare processes of a benchmark."""

from __future__ import annotations

import json
import subprocess
import sys


def bare_process(*words: object) -> subprocess.Popen[str]:
    """One side of the bare ping-pong; ends with the context."""
    return _Ending(
        [sys.executable, "-m", "crawler_testing.bench.ping_pong", *map(str, words)], stdout=subprocess.PIPE, text=True
    )


class _Ending(subprocess.Popen):
    def __exit__(self, *_: object) -> None:
        self.terminate()
        self.wait()


def bare(seconds: float) -> dict[str, float]:
    """The bare ping-pong, as fast as it goes."""
    with bare_process("pong"), bare_process("ping", seconds) as ping:
        output, _ = ping.communicate()
        return json.loads(output)

"""What the live page costs the ring: state to command with a browser's connection open, beside no page at all.

`python -m crawler_testing.bench.page PORT SECONDS` is the browser: it reads all that it is sent, and prints what it got.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from tornado.websocket import WebSocketClientConnection, websocket_connect

from crawler_bringup.stack.stack import Options
from crawler_testing.bench.benchmark_part import Part
from crawler_testing.bench.control_loop import LONG_AGO, PACED, Latency
from crawler_testing.fixtures.running_stack import RunningStack
from crawler_view.server.web_server import listen

HOST = "127.0.0.1"


def latency(seconds: float, open_page: bool) -> dict[str, float]:
    """Percentiles (us) of a ring at real time; with the page also the frames a second that its browser was sent."""
    port = _free_port()
    options = Options(settings={"backend": {"rate": PACED}}, view=open_page, view_port=port)
    measured = Latency("joint_states", "joint_commands")
    with RunningStack(options, measured.topics, logged=False) as ring:
        ring.watch(lambda: measured.microseconds, LONG_AGO)
        if not open_page:
            return _watch(ring, measured, seconds)
        words = [sys.executable, "-m", __spec__.name, str(port), str(seconds)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as browser:
            assert browser.stdout is not None
            browser.stdout.readline()  # the first frame has come
            found = _watch(ring, measured, seconds)
            return {**found, **json.loads(browser.communicate()[0])}


def _watch(ring: RunningStack, measured: Latency, seconds: float) -> dict[str, float]:
    ring.watch(lambda: False, 0.2)  # what has piled up
    measured.microseconds.clear()
    ring.watch(lambda: False, seconds)
    return {name[1:]: value for name, value in measured.percentiles("").items()}


def _free_port() -> int:
    sockets = listen(HOST, 0)
    port = int(sockets[0].getsockname()[1])
    for sock in sockets:
        sock.close()
    return port


def measure(seconds: float, rounds: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Closed and open in turns; each number is the median of its rounds."""
    found: dict[str, list[float]] = {}
    for i in range(1, rounds + 1):
        for how in ("closed", "open"):
            say(f"round {i} of {rounds}: the ring with the page {how}")
            for key, value in latency(seconds, how == "open").items():
                found.setdefault(f"page_{how}_{key}", []).append(value)
    result: dict[str, Any] = {key: float(np.median(values)) for key, values in found.items()}
    for p in ("p50", "p99"):
        result[f"page_open_over_closed_{p}"] = result[f"page_open_{p}_us"] / result[f"page_closed_{p}_us"]
    return result


def add_rows(table: Any, result: dict[str, Any]) -> None:
    """What was measured, for the table of `crawler bench`."""
    for p in ("p50", "p99"):
        table.add_row(
            f"state to command, live page open, {p}",
            f"{result[f'page_open_{p}_us']:.0f} us",
            f"closed {result[f'page_closed_{p}_us']:.0f} us",
            f"{result[f'page_open_over_closed_{p}']:.2f}",
        )
    table.add_row("frames to that page", f"{result['page_open_frames_per_s']:.1f}/s", "", "")


async def _look(port: int, seconds: float) -> float:
    """Frames a second, from the first one on."""
    page = await _opened(port)
    await next_frame(page)
    print("looking", flush=True)
    begin, frames = time.monotonic(), 0
    while (lasted := time.monotonic() - begin) < seconds:
        await next_frame(page)
        frames += 1
    return frames / lasted


async def _opened(port: int) -> WebSocketClientConnection:
    end = time.monotonic() + LONG_AGO
    while True:
        try:
            return await websocket_connect(f"ws://{HOST}:{port}/live")
        except OSError:  # the page is not served yet
            if time.monotonic() > end:
                raise
            await asyncio.sleep(0.1)


async def next_frame(page: WebSocketClientConnection) -> None:
    while (text := await page.read_message()) is not None:
        if "frame" in json.loads(text):
            return
    raise ConnectionError("the page has gone")


PART = Part(measure, add_rows)

if __name__ == "__main__":
    print(json.dumps({"frames_per_s": asyncio.run(_look(int(sys.argv[1]), float(sys.argv[2])))}))

"""Cost of the live page: latency from state to command with a browser's connection, beside none.

`python -m crawler_testing.bench.page PORT SECONDS` is the browser: it reads all messages, and prints their rate.
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

from crawler_bringup.stack.options import Options
from crawler_testing.bench.control_loop import REAL_TIME_RATE_HZ, START_TIMEOUT_S
from crawler_testing.bench.latency import Latency
from crawler_testing.fixtures.running_stack import RunningStack
from crawler_view.server.web_server import open_sockets

HOST = "127.0.0.1"
BACKLOG_S = 0.2  # after the start, to read the messages that have queued up
RETRY_S = 0.1


def measure_latency(seconds: float, open_page: bool) -> dict[str, float]:
    """Return percentiles (us) in real time; with the page also the frames per second that its browser received."""
    port = _free_port()
    options = Options(settings={"backend": {"rate": REAL_TIME_RATE_HZ}}, view=open_page, view_port=port)
    latency = Latency("joint_states", "joint_commands")
    with RunningStack(options, latency.topics, logged=False) as stack:
        stack.wait_until(lambda: latency.microseconds, START_TIMEOUT_S)
        if not open_page:
            return _measure_percentiles(stack, latency, seconds)
        words = [sys.executable, "-P", "-m", __spec__.name, str(port), str(seconds)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as browser:
            assert browser.stdout is not None
            browser.stdout.readline()  # the first frame has come
            found = _measure_percentiles(stack, latency, seconds)
            return {**found, **json.loads(browser.communicate()[0])}


def _measure_percentiles(stack: RunningStack, latency: Latency, seconds: float) -> dict[str, float]:
    stack.wait(BACKLOG_S)
    latency.microseconds.clear()
    stack.wait(seconds)
    return latency.percentiles()


def _free_port() -> int:
    sockets = open_sockets(HOST, 0)
    port = int(sockets[0].getsockname()[1])
    for sock in sockets:
        sock.close()
    return port


def measure(seconds: float, rounds: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Measure without and with the page in turns; each number is the median of its rounds."""
    found: dict[str, list[float]] = {}
    for i in range(1, rounds + 1):
        for state in ("closed", "open"):
            log(f"round {i} of {rounds}: the stack with the page {state}")
            for key, value in measure_latency(seconds, state == "open").items():
                found.setdefault(f"page_{state}_{key}", []).append(value)
    result: dict[str, Any] = {key: float(np.median(values)) for key, values in found.items()}
    for p in ("p50", "p99"):
        result[f"page_open_over_closed_{p}"] = result[f"page_open_{p}_us"] / result[f"page_closed_{p}_us"]
    return result


def add_rows(table: Any, result: dict[str, Any]) -> None:
    for p in ("p50", "p99"):
        opened, closed = f"{result[f'page_open_{p}_us']:.0f} us", f"closed {result[f'page_closed_{p}_us']:.0f} us"
        ratio = f"{result[f'page_open_over_closed_{p}']:.2f}"
        table.add_row(f"state to command, live page open, {p}", opened, closed, ratio)
    table.add_row("frames to that page", f"{result['page_open_frames_per_s']:.1f}/s")


async def _measure_frames(port: int, seconds: float) -> float:
    """Return frames per second, from the first one on."""
    page = await _connect(port)
    await next_frame(page)
    print("ready", flush=True)
    start, frames = time.monotonic(), 0
    while (passed := time.monotonic() - start) < seconds:
        await next_frame(page)
        frames += 1
    return frames / passed


async def _connect(port: int) -> WebSocketClientConnection:
    end = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            return await websocket_connect(f"ws://{HOST}:{port}/live")
        except OSError:  # the server has not started yet
            if time.monotonic() > end:
                raise
            await asyncio.sleep(RETRY_S)


async def next_frame(page: WebSocketClientConnection) -> None:
    """Read messages up to the next frame. Raises ConnectionError if the page closes."""
    while (text := await page.read_message()) is not None:
        if "frame" in json.loads(text):
            return
    raise ConnectionError("the page has gone")


if __name__ == "__main__":
    print(json.dumps({"frames_per_s": asyncio.run(_measure_frames(int(sys.argv[1]), float(sys.argv[2])))}))

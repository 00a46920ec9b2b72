"""A headless browser, controlled through the DevTools protocol."""

import asyncio
import json
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import asynccontextmanager, contextmanager

import pytest
from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import websocket_connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
DEADLINE_S = 60.0  # s, a deadline that only a broken page misses
WORDS = (
    "--headless=new",
    "--no-sandbox",  # which root cannot have
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-port=0",
    "--window-size=1280,760",
)
needed = pytest.mark.skipif(BROWSER is None, reason=f"no browser is installed: one of {', '.join(NAMES)}")


class Page:
    """One page, and its network requests."""

    def __init__(self, line):
        self._line, self._count, self._answers = line, 0, {}
        self.requests, self.errors = [], []
        self._reader = asyncio.create_task(self._read())

    async def _read(self):
        while (text := await self._line.read_message()) is not None:
            message = json.loads(text)
            if "id" in message:
                self._answers.pop(message["id"]).set_result(message)
            elif message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                params = message["params"]
                self.requests.append(params.get("url") or params["request"]["url"])
            elif message["method"] in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.errors.append(json.dumps(message["params"]))

    async def call(self, method, **params):
        self._count += 1
        answer = self._answers[self._count] = asyncio.get_running_loop().create_future()
        await self._line.write_message(json.dumps({"id": self._count, "method": method, "params": params}))
        return (await asyncio.wait_for(answer, DEADLINE_S))["result"]

    async def value(self, expression):
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    async def until(self, expression):
        """Wait until an expression is true."""
        end = time.monotonic() + DEADLINE_S
        while not await self.value(f"Boolean({expression})"):
            assert time.monotonic() < end, f"{expression} did not come true; errors: {self.errors}"
            await asyncio.sleep(0.05)


@contextmanager
def _started():
    """Start a browser; return the port of its protocol."""
    with tempfile.TemporaryDirectory(prefix="crawler-browser-", ignore_cleanup_errors=True) as home:
        words = [str(BROWSER), *WORDS, f"--user-data-dir={home}", "about:blank"]
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            for line in process.stderr:
                if match := re.search(rb"DevTools listening on ws://127\.0\.0\.1:(\d+)/", line):
                    yield int(match[1])
                    break
            else:
                pytest.fail(f"{BROWSER} did not start")
        finally:
            process.kill()
            process.communicate()


@asynccontextmanager
async def opened(url):
    """Open a page at this address."""
    with _started() as port:
        found = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{port}/json/list", request_timeout=60.0)
        target = next(one for one in json.loads(found.body) if one["type"] == "page")
        page = Page(await websocket_connect(target["webSocketDebuggerUrl"], max_message_size=10**8))
        for domain in ("Network", "Runtime", "Log", "Page"):
            await page.call(f"{domain}.enable")
        await page.call("Page.navigate", url=url)
        await page.until(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")
        yield page

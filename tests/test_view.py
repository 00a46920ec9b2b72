"""The live page of a running stack shows the topics, and its commands reach the robot."""

import asyncio
import json
import math
import os
import signal
import threading
import time

import browser
import pytest
from crawler_interfaces.msg import ContactStateArray
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from stack_helpers import DEADLINE_S, LOW_RATE_HZ, lockstep_settings
from tornado.websocket import websocket_connect

from crawler_bringup.stack.options import Options
from crawler_nodes.messages.header import stamp_ns
from crawler_nodes.topics import Topic
from crawler_testing.fixtures.running_stack import RunningStack
from crawler_view.server.web_server import open_sockets


class ShownStack:
    """A stack with a page, in a thread that keeps the messages of its topics by stamp."""

    def __init__(self, robot="three_link", backend="model", **settings):
        (sock,) = open_sockets("127.0.0.1", 0)
        self.port = sock.getsockname()[1]
        sock.close()
        self.messages = {"joint_states": {}, "contact_states": {}}
        kinds = {"joint_states": JointState, "contact_states": ContactStateArray}
        topics = [(Topic(name, kind, depth=5000), self.keep(name, kind)) for name, kind in kinds.items()]
        chosen = {**lockstep_settings(1.0, rate=LOW_RATE_HZ), **settings}
        options = Options(
            robot=robot, backend=backend, settings=chosen, namespace="shown", view=True, view_port=self.port
        )
        self.stack = RunningStack(options, topics)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.read_topics)
        self.broken = None

    def keep(self, name, kind):
        def note(data, _info):
            message = deserialize_message(data, kind)
            self.messages[name][stamp_ns(message.header.stamp)] = message

        return note

    def read_topics(self):
        try:
            while not self.over.is_set():
                self.stack.wait_until(self.over.is_set, 0.2)
        except BaseException as error:
            self.broken = error

    def __enter__(self):
        self.stack.__enter__()
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.over.set()
        self.thread.join()
        self.stack.__exit__(*error)
        if self.broken is not None:
            raise self.broken

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    @property
    def motion(self):
        return self.stack.log.status.motion

    async def until(self, condition):
        end = time.monotonic() + DEADLINE_S
        while not condition():
            assert self.broken is None, self.broken
            assert time.monotonic() < end, "it did not come in time"
            await asyncio.sleep(0.02)

    async def connect(self, headers=None):
        """Return the address once the page is served."""
        end = time.monotonic() + DEADLINE_S
        while True:
            try:
                return await websocket_connect(f"ws://127.0.0.1:{self.port}/live")
            except OSError:
                assert time.monotonic() < end, "the page is not served"
                await asyncio.sleep(0.1)

    def message(self, name, seconds):
        return self.messages[name].get(round(seconds * 1e9))


async def receive(live, wanted):
    """Return the next message of that kind to the page."""
    while (text := await asyncio.wait_for(live.read_message(), DEADLINE_S)) is not None:
        kind, what = next(iter(json.loads(text).items()))
        if kind == wanted:
            return what
    pytest.fail("the page was closed")


def test_frames_have_the_values_of_the_topics_and_commands_act_as_services():
    async def check(shown):
        live = await shown.connect()
        assert await receive(live, "stack") == {"namespace": "shown", "view_only": False}
        assert (await receive(live, "scene"))["robot"] == "three_link"
        parameters = []
        while not parameters:
            parameters = await receive(live, "parameters")
        (omega,) = [one for one in parameters if one["name"] == "omega"]
        assert (omega["node"], omega["unit"], omega["low"], omega["high"]) == ("gait", "rad/s", 0.05, 40.0)
        for _ in range(10):
            frame = await receive(live, "frame")
            await shown.until(lambda f=frame: shown.message("joint_states", f["t"]))
            state = shown.message("joint_states", frame["t"])
            assert frame["names"] == list(state.name)
            assert frame["position"] == pytest.approx(list(state.position), abs=1e-6)
        assert {foot["foot"] for foot in frame["feet"]} == {"foot_1", "foot_2"}
        assert {sensor["name"] for sensor in frame["sensors"]} >= {"imu"}
        await live.write_message(json.dumps({"do": "set", "node": "gait", "name": "omega", "value": 400}))
        messages = await receive(live, "answer")
        assert not messages["done"]
        assert "0.05 to 40 rad/s" in messages["text"]
        await live.write_message(json.dumps({"do": "set", "node": "gait", "name": "omega", "value": 2}))
        assert (await receive(live, "answer"))["done"]
        while omega["value"] != 2:
            (omega,) = [one for one in await receive(live, "parameters") if one["name"] == "omega"]
        for command, motion in (
            ("estop", "e-stopped"),
            ("reset", "disabled"),
            ("enable", "active"),
            ("stop", "disabled"),
        ):
            await live.write_message(json.dumps({"do": command}))
            assert (await receive(live, "answer"))["done"]
            await shown.until(lambda m=motion: shown.motion == m)
        for nonsense in ({"do": "fly"}, {"do": "set", "node": "backend", "name": "rate", "value": 1}, {}):
            await live.write_message(json.dumps(nonsense))
            assert not (await receive(live, "answer"))["done"]

    with ShownStack(gait={"omega": 4.0}) as shown:
        asyncio.run(asyncio.wait_for(check(shown), 3 * DEADLINE_S))


def test_a_page_that_stops_or_dies_does_not_stop_the_stack():
    """In lockstep the stack waits a minute for each node that it needs, and does not need the page."""

    def goes_on(shown, for_seconds=2.0):
        begin = shown.stack.log.time
        return shown.until(lambda: shown.stack.log.time > begin + for_seconds)

    async def check(shown):
        live = await shown.connect()
        await receive(live, "frame")
        page = shown.stack.processes.children["view"]
        os.kill(page.pid, signal.SIGSTOP)
        await goes_on(shown)
        os.kill(page.pid, signal.SIGCONT)
        await receive(live, "frame")
        shown.stack.expected_to_end.add("view")
        page.kill()
        await goes_on(shown)

    with ShownStack(gait={"omega": 4.0}) as shown:
        asyncio.run(asyncio.wait_for(check(shown), 3 * DEADLINE_S))


ESTOP_IS_IN_SIGHT = """(() => [document.scrollingElement, document.querySelector('aside')].every((area) => {
    for (let y = 0; y <= area.scrollHeight; y += 100) {
        area.scrollTop = y;
        const box = document.getElementById('estop').getBoundingClientRect();
        if (document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.id !== 'estop') return false;
    }
    return true;
}))()"""


@browser.needed
def test_in_a_browser_the_page_shows_steers_and_stops_the_robot():
    async def check(shown):
        live = await shown.connect()
        await receive(live, "frame")
        live.close()
        async with browser.opened(shown.url) as page:
            await page.until("document.body.dataset.stamp && document.querySelector('#sliders input[type=range]')")
            assert await page.value("document.getElementById('robot').textContent") == "three_link"
            # what is shown is what the topic says for that very stamp
            stamp, angles = await page.value(
                "[Number(document.body.dataset.stamp), [...document.getElementById('joints').rows].map("
                "row => [row.cells[0].textContent, parseFloat(row.cells[1].textContent)])]"
            )
            await shown.until(lambda: shown.message("joint_states", stamp))
            state = shown.message("joint_states", stamp)
            degrees = {name: math.degrees(angle) for name, angle in zip(state.name, state.position, strict=True)}
            assert dict(angles) == pytest.approx(degrees, abs=0.0051)  # two digits are shown
            # the picture is drawn: the robot's colours are in it
            await page.until(
                "(() => { const c = document.getElementById('scene'), gl = c.getContext('webgl');"
                "  const n = c.width * c.height,"
                "  p = new Uint8Array(4 * n); gl.readPixels(0, 0, c.width, c.height, gl.RGBA, gl.UNSIGNED_BYTE, p);"
                "  return new Set(new Uint32Array(p.buffer)).size > 50; })()"
            )
            # a slider changes the gait
            was = await page.value("document.getElementById('gait.omega').value")
            assert float(was) == 4.0
            await page.value(
                "(() => { const s = document.getElementById('gait.omega').closest('.parameter').querySelector("
                "'input[type=range]'); s.value = 0.5; s.dispatchEvent(new Event('input'));"
                "s.dispatchEvent(new Event('change')); })()"
            )
            await page.until("document.getElementById('answer').textContent.startsWith('gait.omega = ')")
            chosen = float(await page.value("document.getElementById('gait.omega').value"))
            assert chosen == pytest.approx(math.sqrt(0.05 * 40.0), rel=0.01)  # the middle of a slider by ratios
            period = 2.0 * math.pi / chosen
            await page.until(
                f"[...document.getElementById('reports').rows].some(row => row.cells[0].textContent"
                f" === 'gait.period' && Math.abs(Number(row.cells[1].textContent) - {period}) < 1e-3)"
            )
            # a refused value goes back, with its reason
            await page.value(
                "(() => { const n = document.getElementById('gait.omega'); n.value = 400;"
                "n.dispatchEvent(new Event('change')); })()"
            )
            await page.until("document.querySelector('.note.bad')?.textContent.includes('0.05 to 40 rad/s')")
            assert float(await page.value("document.getElementById('gait.omega').value")) == chosen
            # the emergency stop: in sight wherever one has scrolled, and on a key
            for width, height in ((1440, 900), (390, 844)):
                await page.call(
                    "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
                )
                assert await page.value(ESTOP_IS_IN_SIGHT)
            for kind in ("keyDown", "keyUp"):
                await page.call("Input.dispatchKeyEvent", type=kind, key="Escape", code="Escape")
            await shown.until(lambda: shown.motion == "e-stopped")
            await page.until("document.getElementById('motion').textContent === 'e-stopped'")
            assert "emergency stop" in await page.value("document.getElementById('warnings').textContent")
            await page.until("!document.getElementById('reset').disabled")
            await page.value("document.getElementById('reset').click()")
            await page.until("!document.getElementById('enable').disabled")
            await page.value("document.getElementById('enable').click()")
            await shown.until(lambda: shown.motion == "active")
            # nothing came from elsewhere
            own = tuple(f"{scheme}://127.0.0.1:{shown.port}/" for scheme in ("http", "ws"))
            assert len(page.requests) > 5
            assert [url for url in page.requests if not url.startswith((*own, "data:"))] == []
            assert page.errors == []

    with ShownStack(gait={"omega": 4.0}) as shown:
        asyncio.run(asyncio.wait_for(check(shown), 4 * DEADLINE_S))

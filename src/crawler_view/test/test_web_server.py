"""The web server alone: files, rejected requests, and slow browsers."""

import asyncio
import json
import re
import socket
from contextlib import asynccontextmanager

import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from crawler_core.errors import UserError
from crawler_view.server.access import Access
from crawler_view.server.web_clients import MAX_CLIENTS, MAX_UNREAD_MESSAGES, WebClients
from crawler_view.server.web_server import PAGE_DIRECTORY, open_sockets, start_server

UPGRADE = "\r\n".join(
    (
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    )
)


@asynccontextmanager
async def served(token="", command=None):
    """Start a server; yield its port and its clients."""
    sockets, clients = open_sockets("127.0.0.1", 0), WebClients()
    server = start_server(
        sockets, Access.for_host("127.0.0.1", token), clients, lambda: [("stack", {"namespace": ""})], command
    )
    try:
        yield sockets[0].getsockname()[1], clients
    finally:
        for browser in list(clients.clients):
            browser.close()
        server.stop()
        await server.close_all_connections()


async def until(condition):
    while not condition():
        await asyncio.sleep(0.001)


async def received(live):
    text = await live.read_message()
    assert text is not None
    return json.loads(text)


async def get(port, path, **headers):
    request = HTTPRequest(f"http://127.0.0.1:{port}{path}", headers=headers, request_timeout=60.0)
    return await AsyncHTTPClient().fetch(request, raise_error=False)


def test_the_page_is_served_and_may_load_nothing_from_elsewhere():
    async def check():
        async with served() as (port, _):
            page = await get(port, "/")
            assert page.code == 200
            assert "default-src 'self'" in page.headers["Content-Security-Policy"]
            assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
            for file in PAGE_DIRECTORY.iterdir():
                found = await get(port, f"/{file.name}")
                assert found.body == file.read_bytes()
                assert not re.search(rb"https?://(?!www\.w3\.org)", found.body), file.name
                assert "Content-Security-Policy" in found.headers
            assert (await get(port, "/../server.py")).code == 404
            assert (await get(port, "/%2e%2e/server.py")).code == 404

    asyncio.run(check())


def test_foreign_pages_and_names_and_missing_tokens_are_rejected():
    async def refused(port, query="", **headers):
        request = HTTPRequest(f"ws://127.0.0.1:{port}/live{query}", headers=headers)
        with pytest.raises(HTTPClientError) as error:
            await websocket_connect(request)
        return error.value.code

    async def check():
        async with served() as (port, clients):
            assert await refused(port, Origin="http://elsewhere.example") == 403
            assert await refused(port, Origin="null") == 403
            assert await refused(port, Host=f"elsewhere.example:{port}") == 403
            assert (await get(port, "/", Host=f"elsewhere.example:{port}")).code == 403
            assert not clients.clients
        async with served(token="secret") as (port, clients):
            assert await refused(port) == 403
            assert await refused(port, "?token=wrong") == 403
            live = await websocket_connect(f"ws://127.0.0.1:{port}/live?token=secret")
            assert await received(live) == {"stack": {"namespace": ""}}
            assert len(clients.clients) == 1

    asyncio.run(check())


def test_commands_are_passed_on_and_a_page_that_only_views_gets_an_answer():
    commands = []

    async def command(one):
        commands.append(one)

    async def check():
        async with served(command=command) as (port, _):
            live = await websocket_connect(f"ws://127.0.0.1:{port}/live")
            await live.write_message('{"do": "estop"}')
            await until(lambda: commands)
            await live.write_message("[1]")  # no command: the connection is closed
            while await live.read_message() is not None:
                pass
        async with served() as (port, _):
            live = await websocket_connect(f"ws://127.0.0.1:{port}/live")
            await live.read_message()
            await live.write_message('{"do": "estop"}')
            assert (await received(live))["answer"]["text"] == "this page can only view"

    asyncio.run(asyncio.wait_for(check(), 60.0))
    assert commands == [{"do": "estop"}]


def test_a_browser_that_does_not_read_misses_frames_and_is_disconnected_while_others_get_theirs():
    async def check():
        async with served() as (port, clients):
            stalled = socket.create_connection(("127.0.0.1", port))
            stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stalled.sendall(f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{UPGRADE}\r\n\r\n".encode())
            await until(lambda: clients.clients)
            (slow,) = clients.clients
            live = await websocket_connect(f"ws://127.0.0.1:{port}/live")
            await live.read_message()
            (quick,) = clients.clients - {slow}
            big = "x" * 200_000
            for k in range(100):  # frames: 20 MB, which no socket's buffers hold
                await until(lambda: not quick.unread)
                clients.send_nowait("frame", [k, big])
                assert (await received(live))["frame"][0] == k
            assert slow.unread == 1  # one frame is on its way, and no other was begun
            for k in range(MAX_UNREAD_MESSAGES + 3):  # what must not be missed
                clients.send_nowait("answer", [k, big])
                assert (await received(live))["answer"][0] == k
            assert clients.clients == {quick}
            stalled.close()

    asyncio.run(asyncio.wait_for(check(), 120.0))


def test_the_number_of_browsers_is_limited():
    async def check():
        async with served() as (port, clients):
            lives = [await websocket_connect(f"ws://127.0.0.1:{port}/live") for _ in range(MAX_CLIENTS)]
            with pytest.raises(HTTPClientError, match="403"):
                await websocket_connect(f"ws://127.0.0.1:{port}/live")
            assert len(clients.clients) == len(lives) == MAX_CLIENTS

    asyncio.run(asyncio.wait_for(check(), 60.0))


def test_a_used_port_and_an_address_of_another_machine_are_one_sentence():
    (taken,) = open_sockets("127.0.0.1", 0)
    port = taken.getsockname()[1]
    with taken, pytest.raises(UserError, match=f"port {port}.*give another port"):
        open_sockets("127.0.0.1", port)
    with pytest.raises(UserError, match="give another port, or an address of this machine"):
        open_sockets("203.0.113.7", 0)

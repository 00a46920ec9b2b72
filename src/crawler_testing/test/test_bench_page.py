"""The browser of the benchmark counts frames, and raises an error when the page closes."""

import asyncio
import json
from typing import Any

import pytest

from crawler_testing.bench.page import next_frame


class FakePage:
    """A page that sends these messages, then closes."""

    def __init__(self, *kinds):
        self.texts = [json.dumps({kind: {}}) for kind in kinds]

    async def read_message(self):
        return self.texts.pop(0) if self.texts else None


def test_other_messages_than_frames_are_skipped():
    page: Any = FakePage("stack", "scene", "frame", "parameters", "frame", "answer")
    for left in (3, 1):
        asyncio.run(next_frame(page))
        assert len(page.texts) == left
    with pytest.raises(ConnectionError, match="gone"):
        asyncio.run(next_frame(page))

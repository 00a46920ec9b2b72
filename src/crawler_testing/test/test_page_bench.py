"""The browser of the benchmark counts frames, and says so when the page goes."""

import asyncio
import json
from typing import Any

import pytest

from crawler_testing.bench.page import next_frame


class Said:
    """A page that says these things, then closes."""

    def __init__(self, *kinds):
        self.texts = [json.dumps({kind: {}}) for kind in kinds]

    async def read_message(self):
        return self.texts.pop(0) if self.texts else None


def test_what_is_no_frame_is_passed_over():
    page: Any = Said("ring", "scene", "frame", "parameters", "frame", "said")
    for left in (3, 1):
        asyncio.run(next_frame(page))
        assert len(page.texts) == left
    with pytest.raises(ConnectionError, match="gone"):
        asyncio.run(next_frame(page))

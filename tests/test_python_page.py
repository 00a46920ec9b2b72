"""The blocks of docs/python.md run from top to bottom, and what it trains moves forward."""

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("mujoco")

PAGE = Path(__file__).parents[1] / "docs/python.md"
SHORTER = {"EPISODES, SECONDS = 100, 4.0": "EPISODES, SECONDS = 3, 0.3", "robot.run(2.0, ": "robot.run(0.1, "}


def run_page(text: str) -> dict[str, Any]:
    """Run all blocks in one namespace, and return it."""
    namespace: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 6
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), namespace)
    return namespace


def test_every_block_runs(tmp_path, monkeypatch):
    """A short search: no block fails."""
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text()
    for long, short in SHORTER.items():
        assert long in text
        text = text.replace(long, short)
    namespace = run_page(text)
    assert len(namespace["returns"]) == 3
    assert (tmp_path / "studies/learned.png").stat().st_size > 10_000


@pytest.mark.exhaustive
def test_the_search_finds_a_gait_that_the_control_loop_runs_ten_times_as_far(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = run_page(PAGE.read_text())["runs"]
    way = {name: states[-1].base.position[0] for name, states in runs.items()}
    assert way["learned, in physics"] == pytest.approx(way["learned, by the equations"], rel=0.02)
    assert way["learned, in physics"] > 10.0 * way["before, in physics"]

"""The benchmark of Python without ROS: every measure has a rate, and the table compares them."""

import pytest
from rich.table import Table

from crawler_testing.bench import backend_ticks
from crawler_testing.bench.three_link import in_process
from sim_bridge.physics.engines import installed_engines


@pytest.mark.exhaustive
def test_every_measure_has_a_rate_beside_the_others(monkeypatch):
    monkeypatch.setattr(in_process, "measure_lockstep", lambda _backend, _seconds: 100.0)
    monkeypatch.setattr(in_process, "measure_world", lambda _engine, _seconds: 8000.0)
    monkeypatch.setattr(in_process, "CHECK_TICKS", 2)
    monkeypatch.setattr(backend_ticks, "MAX_MOTION_S", 3.0)
    result = in_process.measure(1e-3, 1, lambda _: None)
    for backend in ("model", *installed_engines()):
        for name in ("steps", "run", "environment", "alone", "nodes"):
            assert result[f"python_{backend}_{name}_per_s"] > 0.0
    for engine in installed_engines():
        assert result[f"python_{engine}_world_per_s"] == 8000.0
        assert result[f"python_{engine}_steps_per_tick"] >= 4
    table = Table("", "here", "beside", "ratio")
    in_process.add_rows(table, result)
    assert table.row_count == 4 + 5 * len(installed_engines())

"""Entry points of the simulation backends as nodes."""

from functools import partial

from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.registry import LazyRegistry
from crawler_nodes.backend_node.node import run_backend
from sim_bridge.physics.engines import ENGINE_ENTRIES

SIMULATIONS: LazyRegistry[BackendEntry] = LazyRegistry(
    "simulation backend",
    {
        **ENGINE_ENTRIES,
        "model": "sim_bridge.model_backend:BACKEND_ENTRY",
        "mock": "sim_bridge.mock.mock_backend:BACKEND_ENTRY",
    },
)


def _run(name: str) -> None:
    entry = SIMULATIONS[name]
    run_backend(entry.backend, entry.settings)


run_pybullet, run_mujoco, run_model, run_mock = (
    partial(_run, name) for name in ("pybullet", "mujoco", "model", "mock")
)

"""The backends by name. A new backend is one line here (docs/add_a_backend.md)."""

from __future__ import annotations

from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.registry import LazyRegistry
from sim_bridge.physics.engines import ENGINE_ENTRIES

BACKENDS: LazyRegistry[BackendEntry] = LazyRegistry(
    "backend",
    {
        **ENGINE_ENTRIES,
        "model": "sim_bridge.model_backend:BACKEND_ENTRY",
        "mock": "sim_bridge.mock.mock_backend:BACKEND_ENTRY",
        "hardware": "hw_drivers.backend.hardware_backend:BACKEND_ENTRY",
        "emulated": "hw_drivers.emulation.emulated_backend:BACKEND_ENTRY",
    },
)
EMULATED_BACKENDS = {"hardware": "emulated", "emulated": "emulated"}  # the backend that emulates another one's motors

"""The conformance suite: tests of every backend, for any package to run against its own.

    class TestMyBackend(BackendConformance):
        def make_spec(self): return load_robot("my_robot")
        def make_backend(self, spec, dt): return MyBackend(spec, MySettings(), dt)

pytest finds the methods by their names; nothing here imports it. See docs/add_a_backend.md.
"""

from __future__ import annotations

from crawler_core.conformance.command_checks import CommandChecks
from crawler_core.conformance.lifecycle_checks import LifecycleChecks
from crawler_core.conformance.observation_checks import ObservationChecks


class BackendConformance(LifecycleChecks, ObservationChecks, CommandChecks):
    """All checks. A subclass overrides `make_spec`, `make_backend`, and the tolerances of its device."""

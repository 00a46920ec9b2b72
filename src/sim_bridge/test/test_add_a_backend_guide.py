"""The backend that docs/add_a_backend.md writes must do what the guide promises."""

import re
import sys
import types
from pathlib import Path
from typing import Any

from bridge_robots import three_link

from crawler_core.conformance.backend_conformance import BackendConformance
from crawler_core.loop.backend import Backend
from crawler_core.robot.robot_spec import RobotSpec

GUIDE = Path(__file__).parents[3] / "docs/add_a_backend.md"


def guides_backend() -> Any:
    """The module of the guide's first Python block."""
    (block, *_) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    module = types.ModuleType("gizmo_backend")
    sys.modules[module.__name__] = module  # dataclasses look their module up
    exec(block, module.__dict__)
    return module


class TestGuide(BackendConformance):
    def make_spec(self) -> RobotSpec:
        return three_link()

    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        gizmo = guides_backend()
        return gizmo.GizmoBackend(spec, gizmo.GizmoSettings(), dt)

"""One connection to PyBullet."""

from __future__ import annotations

import os
import sys
from functools import partial
from inspect import isbuiltin
from typing import Any

from crawler_core.errors import UserError
from sim_bridge.physics.engines import import_engine


class BulletClient:
    """PyBullet's functions and constants, with the functions bound to this connection."""

    def __init__(self, gui: bool) -> None:
        """Raises UserError where PyBullet, or with `gui` a screen, is missing."""
        self._bullet = import_engine("pybullet")
        if gui and sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
            raise UserError("gui = true needs a screen, but DISPLAY is not set: leave gui false, or watch in RViz.")
        self._client = self._bullet.connect(self._bullet.GUI if gui else self._bullet.DIRECT)
        if self._client < 0:
            raise UserError("PyBullet cannot open its window, one other may be open: close it, or leave gui false.")
        if gui:
            self.configureDebugVisualizer(self.COV_ENABLE_GUI, 0)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._bullet, name)
        if isbuiltin(attribute):
            attribute = partial(attribute, physicsClientId=self._client)
        setattr(self, name, attribute)  # the next access takes it from the instance
        return attribute

    def close(self) -> None:
        """Disconnect. May be called twice."""
        if self.isConnected():
            self.disconnect()

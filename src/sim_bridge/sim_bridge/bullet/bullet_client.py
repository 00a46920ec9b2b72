"""One connection to PyBullet."""

from __future__ import annotations

import os
import sys
from functools import partial
from inspect import isbuiltin
from typing import Any

from crawler_core.errors import UserError


def import_pybullet() -> Any:
    """Return the pybullet module. Raises UserError where it is not installed."""
    try:
        import pybullet
    except ImportError:
        raise UserError(
            "PyBullet is not installed: it has wheels for CPython up to 3.11, and this is "
            f"{sys.version_info.major}.{sys.version_info.minor}: `pip install pybullet` there, or use "
            "MuJoCo or the model."
        ) from None
    return pybullet


class BulletClient:
    """PyBullet's functions and constants, with the functions bound to this connection."""

    def __init__(self, gui: bool) -> None:
        """Raises UserError where PyBullet, or with `gui` a screen, is missing."""
        self._bullet = import_pybullet()
        self._client = _connect(self._bullet, gui)

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


def _connect(p: Any, gui: bool) -> int:
    if not gui:
        return p.connect(p.DIRECT)
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        raise UserError("gui = true needs a screen, but DISPLAY is not set: leave gui false, or watch in RViz.")
    client = p.connect(p.GUI)
    if client < 0:
        raise UserError("PyBullet cannot open its window, one other may be open: close it, or leave gui false.")
    p.configureDebugVisualizer(p.COV_ENABLE_GUI, 0, physicsClientId=client)
    return client

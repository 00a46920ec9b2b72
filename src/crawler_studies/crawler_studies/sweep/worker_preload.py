"""Loaded by the processes of a sweep's own cluster: silences their libraries."""

from __future__ import annotations

import os
from typing import Any


def dask_setup(worker: Any) -> None:
    """Discard all that the process prints, such as PyBullet's greeting. Exceptions travel another way."""
    null_device = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(null_device, descriptor)
    os.close(null_device)

"""Loaded by the processes of a sweep's own cluster: their libraries must not write between what the command says."""

from __future__ import annotations

import os
from typing import Any


def dask_setup(worker: Any) -> None:
    """Send what the process prints nowhere: PyBullet greets on standard error. Exceptions travel another way."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)

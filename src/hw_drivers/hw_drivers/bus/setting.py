"""The keys of buses and joints in the robot file: parameters that are read once, when the bus opens."""

from __future__ import annotations

from functools import partial

from crawler_core.parameters import parameter

setting = partial(parameter, constant=True)

"""Which network of ROS nodes this process belongs to."""

from __future__ import annotations

import os

from crawler_core.errors import UserError, shown

DOMAIN = "ROS_DOMAIN_ID"
LAST = 232  # whose ports are the last that there are


def domain_id() -> int:
    """The domain of this environment. Raises UserError where there is no such one: the middleware would only abort."""
    said = os.environ.get(DOMAIN, "").strip() or "0"
    if not (said.isascii() and said.isdigit() and len(said) <= 3 and int(said) <= LAST):
        raise UserError(f"{DOMAIN} = {shown(said)} is no domain: give it a whole number from 0 to {LAST}, or unset it.")
    return int(said)

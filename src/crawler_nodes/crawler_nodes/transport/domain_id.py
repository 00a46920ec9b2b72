"""The ROS domain of this process."""

from __future__ import annotations

import os

from crawler_core.errors import UserError, quoted

DOMAIN_VARIABLE = "ROS_DOMAIN_ID"
RANGE_VARIABLE, RANGES = "ROS_AUTOMATIC_DISCOVERY_RANGE", ("LOCALHOST", "SUBNET", "SYSTEM_DEFAULT")
MAX_DOMAIN_ID = 232  # the ports of higher domains would be above 65535


def domain_id() -> int:
    """Return the domain of this environment. Raises UserError for a bad one, where the middleware would abort."""
    text = os.environ.get(DOMAIN_VARIABLE, "").strip() or "0"
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and int(text) <= MAX_DOMAIN_ID):
        raise UserError(
            f"{DOMAIN_VARIABLE} = {quoted(text)} is not allowed: it must be a whole number from 0 to {MAX_DOMAIN_ID}, "
            "or be unset."
        )
    discovery = os.environ.get(RANGE_VARIABLE, "").strip()
    if discovery and discovery.upper() not in RANGES:
        raise UserError(
            f"{RANGE_VARIABLE} = {quoted(discovery)} is not allowed: the nodes of a stack would not discover each "
            f"other. It must be one of {', '.join(RANGES)}, or be unset."
        )
    return int(text)

"""The ROS domain of this process."""

from __future__ import annotations

import os

from crawler_core.errors import UserError, quoted

DOMAIN_VARIABLE = "ROS_DOMAIN_ID"
MAX_DOMAIN_ID = 232  # the ports of higher domains would be above 65535


def domain_id() -> int:
    """Return the domain of this environment. Raises UserError for a bad one, where the middleware would abort."""
    text = os.environ.get(DOMAIN_VARIABLE, "").strip() or "0"
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and int(text) <= MAX_DOMAIN_ID):
        raise UserError(
            f"{DOMAIN_VARIABLE} = {quoted(text)} is not allowed: it must be a whole number from 0 to {MAX_DOMAIN_ID}, "
            "or be unset."
        )
    return int(text)

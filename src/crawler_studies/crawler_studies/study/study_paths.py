"""Default paths of a study's files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError

STUDIES_DIRECTORY = Path("studies")


def default_study_path(parts: Sequence[str], identity: Mapping[str, Any], suffix: str) -> Path:
    """Return a path in studies/ that depends on `identity`, so that the same command finds its study again.

    Creates the directory. Raises UserError where that fails.
    """
    try:
        STUDIES_DIRECTORY.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(f"{STUDIES_DIRECTORY} cannot be made: {error.strerror}; give a file elsewhere.") from None
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:8]
    return STUDIES_DIRECTORY / f"{'_'.join([*parts, digest])}{suffix}"

"""Where the files of a study go that the user gave no name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError

DIRECTORY = Path("studies")


def default_study_path(parts: Sequence[str], identity: Mapping[str, Any], suffix: str) -> Path:
    """In studies/, the same for the same study and no other, so that the same command finds it again.

    Raises UserError where there can be no such directory.
    """
    try:
        DIRECTORY.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(f"{DIRECTORY} cannot be made: {error.strerror}; give a file elsewhere.") from None
    said = json.dumps(identity, sort_keys=True).encode()
    return DIRECTORY / f"{'_'.join([*parts, hashlib.sha256(said).hexdigest()[:8]])}{suffix}"

"""Check what a run has left of its recording."""

from __future__ import annotations

from pathlib import Path

from crawler_core.errors import UserError


def check_recording(directory: str) -> tuple[str | None, str]:
    """Return the recording's path, or None if there is none, and a sentence if it is incomplete."""
    from crawler_studies.recordings.recording import find_recording, reading
    from crawler_studies.recordings.truncated_mcap import ends

    try:
        _, file = find_recording(Path(directory))
        if ends(file):
            return directory, ""
        with reading(file) as reader:
            seconds = reader.duration * 1e-9 if reader.message_count else 0.0
    except UserError as error:
        return None, f"nothing was recorded: {error}"
    return str(file), f"{file} was not closed: it holds the first {seconds:.2f} s, and can be read as it is."

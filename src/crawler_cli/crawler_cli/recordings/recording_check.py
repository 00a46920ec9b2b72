"""Check what a run has left of its recording."""

from __future__ import annotations

from pathlib import Path

from crawler_core.errors import UserError


def check_recording(directory: str) -> tuple[str | None, str]:
    """Return the recording's path, or None if there is none, and a sentence if it is incomplete."""
    from crawler_studies.recordings.recording_reader import find_recording, open_recording
    from crawler_studies.recordings.truncated_mcap import has_end

    try:
        _, file = find_recording(Path(directory))
        if has_end(file):
            return directory, ""
        with open_recording(file) as reader:
            seconds = reader.duration * 1e-9 if reader.message_count else 0.0
    except UserError as error:
        return None, f"nothing was recorded: {error}"
    return str(file), f"{file} was not closed: it holds the first {seconds:.2f} s, and can be read as it is."

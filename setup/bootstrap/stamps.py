"""Remember finished steps: a small file each with the digest of the step's inputs, written after the step."""

import os
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that it has either the old or the new content, even if the process or the machine stops."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    with open(partial, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


class Stamps:
    """The stamps in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def finished(self, step: str, digest: str) -> bool:
        """Return whether `step` was finished with exactly these inputs."""
        try:
            return (self._folder / step).read_text(encoding="utf-8") == digest
        except OSError:
            return False

    def finish(self, step: str, digest: str) -> None:
        write_atomically(self._folder / step, digest)

    def forget(self, step: str) -> None:
        (self._folder / step).unlink(missing_ok=True)

    def names(self, prefix: str) -> list[str]:
        """Return the finished steps whose names start with `prefix`, for any inputs."""
        if not self._folder.is_dir():
            return []
        return sorted(p.name for p in self._folder.iterdir() if p.name.startswith(prefix) and p.suffix != ".partial")

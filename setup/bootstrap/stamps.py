"""One small file per finished step: the step's inputs as a digest, written only after the step is done."""

import os
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Either the old content or all of the new is there, whenever the process or the machine stops."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    with open(partial, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


class Stamps:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def finished(self, step: str, digest: str) -> bool:
        """Whether `step` was finished with exactly these inputs."""
        try:
            return (self._folder / step).read_text(encoding="utf-8") == digest
        except OSError:
            return False

    def finish(self, step: str, digest: str) -> None:
        write_atomically(self._folder / step, digest)

    def forget(self, step: str) -> None:
        (self._folder / step).unlink(missing_ok=True)

    def names(self, prefix: str) -> list[str]:
        """The finished steps whose names start with `prefix`, whatever their inputs were."""
        if not self._folder.is_dir():
            return []
        return sorted(p.name for p in self._folder.iterdir() if p.name.startswith(prefix) and p.suffix != ".partial")

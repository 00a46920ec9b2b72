"""Digests of the inputs of each set-up step: when a digest changes, the step runs again."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

# read by colcon, CMake or setuptools while they build, so their content counts
BUILD_FILES = {"package.xml", "setup.py", "setup.cfg", "pyproject.toml", "CMakeLists.txt"}
BUILD_SUFFIXES = (".msg", ".srv", ".action", ".idl", ".cmake", ".in", ".c", ".cpp", ".h", ".hpp")
NOT_BUILT = {"test", "tests", "__pycache__", "build", "install", "log"}


def of_texts(*parts: str) -> str:
    sha = hashlib.sha256()
    for part in parts:
        sha.update(f"{len(part)}:{part}".encode())
    return sha.hexdigest()


def of_files(files: Iterable[Path]) -> str:
    """Return the digest of names and contents of `files`; a missing one counts as empty."""
    return of_texts(*(part for file in files for part in (file.name, _content(file))))


def of_package(folder: Path) -> str:
    """Return the digest of all inputs of a build of the ROS package in `folder`.

    With --symlink-install, built packages point back into the source tree. So content counts only in files that a
    build tool reads. Of everything else that is installed (launch files, robots, configuration) the names count.
    Modules inside a Python package need neither: their folder is linked as a whole.
    """
    python = folder / folder.name if (folder / "setup.py").is_file() else None
    parts: list[str] = []
    for path in _files(folder):
        name = os.path.basename(path)
        if name in BUILD_FILES or name.endswith(BUILD_SUFFIXES):
            parts += [path, _content(Path(path))]
        elif not (python and path.endswith(".py") and name != "__init__.py" and path.startswith(f"{python}{os.sep}")):
            parts.append(path)
    return of_texts(*parts)


def _files(folder: Path) -> Iterator[str]:
    for at, dirs, files in os.walk(folder):
        dirs[:] = sorted(
            d for d in dirs if d not in NOT_BUILT and not d.startswith(".") and not d.endswith(".egg-info")
        )
        yield from (
            os.path.join(at, f) for f in sorted(files) if not f.startswith(".") and not f.endswith((".pyc", "~"))
        )


def _content(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""

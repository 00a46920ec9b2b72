"""What the modules say of themselves: a page for each folder of a package, from the docstrings."""

from __future__ import annotations

import re
from pathlib import Path

# reStructuredText's marks, which docstrings mean as they stand but for `code`, which may have letters right behind it
MARKS = re.compile(r"(`[^`\n]*`)(?=\w)|`[^`\n]*`|([\\*|]|(?<=\w)_(?!\w))")


def packages_of(root: Path) -> dict[str, list[str]]:
    """The modules of each package of the checkout that has any, by the package's name."""
    found: dict[str, list[str]] = {}
    for folder in sorted((root / "src").iterdir()):
        inner = folder / folder.name
        modules = sorted(path.relative_to(folder) for path in inner.rglob("*.py") if path.name != "__main__.py")
        if modules:
            found[folder.name] = [".".join(_parts(path)) for path in modules]
    return found


def _parts(path: Path) -> tuple[str, ...]:
    return path.parent.parts if path.name == "__init__.py" else path.with_suffix("").parts


def write_pages(packages: dict[str, list[str]], into: Path) -> None:
    """Write api/: one page for each folder of modules, and the list of them."""
    into.mkdir(parents=True, exist_ok=True)
    tops = []
    for package, modules in packages.items():
        folders: dict[str, list[str]] = {}
        for module in modules:
            inside = any(other.startswith(module + ".") for other in modules)
            folders.setdefault(module if inside or module == package else module.rpartition(".")[0], []).append(module)
        for folder, members in folders.items():
            deeper = [name for name in folders if name.rpartition(".")[0] == folder]
            (into / f"{folder}.rst").write_text(_page(folder, members, deeper), encoding="utf-8")
        tops.append(package)
    (into / "index.rst").write_text(_title("Modules") + _toctree(tops), encoding="utf-8")


def _page(folder: str, members: list[str], deeper: list[str]) -> str:
    text = _title(folder) + (_toctree(deeper) if deeper else "")
    for module in sorted(members):
        text += "" if module == folder else "\n" + _title(module.rpartition(".")[2], "-")
        text += f"\n.. automodule:: {module}\n   :members:\n   :show-inheritance:\n"
    return text


def _title(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n"


def _toctree(entries: list[str]) -> str:
    return "\n.. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   {entry}\n" for entry in entries) + "\n"


def as_it_stands(lines: list[str]) -> None:
    """Rewrite a docstring, in place, so that reStructuredText shows it as it was written."""
    lines[:] = [MARKS.sub(_as_it_stands, line) for line in lines]


def _as_it_stands(found: re.Match[str]) -> str:
    return f"{found[1]}\\ " if found[1] else f"\\{found[2]}" if found[2] else found[0]

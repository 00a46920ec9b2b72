"""The pages of the checkout as Sphinx reads them: where they stand, with links into the source that lead to modules."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from crawler_core.errors import UserError

CONTENTS = Path("docs/README.md")  # lists every page, in order, under the headings of the site's sidebar
START = Path("README.md")
ENTRY = r"^- \[[^\]]*\]\(([^)#]+\.md)\)"
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)")  # to another file of the checkout


@dataclass(frozen=True)
class Chapter:
    """A heading of the list of contents, with its pages."""

    title: str
    pages: tuple[Path, ...]  # in the checkout


def read_contents(root: Path) -> list[Chapter]:
    """The chapters of the documentation. Raises UserError where this is no checkout."""
    try:
        text = (root / CONTENTS).read_text(encoding="utf-8")
    except OSError as error:
        said = f"{root / CONTENTS} cannot be read ({error.strerror}): the documentation is in a checkout."
        raise UserError(said) from None
    folder = (root / CONTENTS).parent
    parts = re.split(r"^## +(.+?) *$", text, flags=re.MULTILINE)
    return [
        Chapter(title, tuple(_in_checkout(folder, link, root) for link in re.findall(ENTRY, body, re.MULTILINE)))
        for title, body in zip(parts[1::2], parts[2::2], strict=True)
    ]


def _in_checkout(folder: Path, link: str, root: Path) -> Path:
    return Path(os.path.relpath(folder / link, root))


def collect(root: Path, into: Path, modules: set[str]) -> None:
    """Copy every page and picture into the folder `into`, which becomes Sphinx's source; `modules` have pages there."""
    shutil.copytree(root / "docs", into / "docs", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.py"))
    for name in ("LICENSE", "CITATION.cff"):
        if (root / name).exists():
            shutil.copy(root / name, into)
    chapters = read_contents(root)
    pages = {START, CONTENTS, *(page for chapter in chapters for page in chapter.pages)}
    for page in pages:
        text = (root / page).read_text(encoding="utf-8")

        def lead(found: re.Match[str], page: Path = page) -> str:
            goal = _in_checkout(root / page.parent, found[2], root)
            there = goal in pages or (into / goal).exists() or not (root / goal).exists()
            return found[0] if there else _to_module(found[1], goal, modules)

        (into / page).parent.mkdir(parents=True, exist_ok=True)
        (into / page).write_text(LINK.sub(lead, text), encoding="utf-8")
    with (into / START).open("a", encoding="utf-8") as start:
        for chapter in chapters:
            start.write(_toctree(chapter.title, [str(page.with_suffix("")) for page in chapter.pages if page != START]))
        start.write(_toctree("Modules", ["api/index"]))
        start.write(_toctree("", [str(CONTENTS.with_suffix(""))]))


def _to_module(text: str, path: Path, modules: set[str]) -> str:
    """A link into the source as one to that module's place on the site; as words where it has none."""
    name = ".".join(path.with_suffix("").parts[2:])  # src/<package>/…
    return f"{{py:mod}}`{text.replace('`', '')} <{name}>`" if name in modules else text


def _toctree(caption: str, entries: list[str]) -> str:
    head = f":caption: {caption}\n" if caption else ""
    return "\n```{toctree}\n:hidden:\n" + head + "\n" + "\n".join(entries) + "\n```\n"

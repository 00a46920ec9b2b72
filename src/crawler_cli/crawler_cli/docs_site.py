"""Build the documentation site with Sphinx: the pages of the checkout, and a page for each room of modules."""

from __future__ import annotations

import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from crawler_core.errors import UserError

CONTENTS = Path("docs/README.md")  # lists every page, in order, under the headings of the sidebar
START = Path("README.md")
ENTRY_PATTERN = r"^- \[[^\]]*\]\(([^)#]+\.md)\)"
LINK_PATTERN = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)")  # to another file of the checkout
# marks of reStructuredText that docstrings mean literally; `code` may have letters right behind it
MARKUP_PATTERN = re.compile(r"(`[^`\n]*`)(?=\w)|`[^`\n]*`|([\\*|]|(?<=\w)_(?!\w))")
SETTINGS: dict[str, Any] = {
    "project": "crawler",
    "html_title": "crawler",
    "html_theme": "furo",
    "extensions": ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.apidoc"],
    "root_doc": str(START.with_suffix("")),
    "myst_heading_anchors": 4,  # as GitHub makes them
    "default_role": "literal",
    "apidoc_module_first": True,
    "apidoc_automodule_options": {"members", "show-inheritance"},
    "autodoc_typehints": "signature",
    "autodoc_member_order": "bysource",
    "autodoc_preserve_defaults": True,
    "autodoc_default_options": {"ignore-module-all": True},  # each name on the page of its own module
    "autodoc_mock_imports": ["launch", "launch_ros"],  # only a ROS 2 install has these
    "suppress_warnings": ["ref.python", "toc.not_included"],  # names in several modules; pages outside the sidebar
    "html_show_sourcelink": False,
    "html_copy_source": False,
}


def build_site(root: Path, out: Path, status: IO[str] | None) -> list[str]:
    """Build the site of the checkout `root` in `out`, with progress on `status`. Return the warnings of Sphinx."""
    try:
        from sphinx.application import Sphinx  # installed by the first ./crawler docs
    except ImportError:
        raise UserError("Sphinx is not installed: './crawler docs' in a checkout installs it.") from None
    chapters = read_chapters(root)
    pages = {START, CONTENTS, *(page for _, chapter in chapters for page in chapter)}
    packages = python_packages(root)
    settings = SETTINGS | {
        "include_patterns": [*map(str, pages), "docs/**", "api/**"],
        "apidoc_modules": [{"path": root / "src" / name / name, "destination": f"api/{name}"} for name in packages],
        "apidoc_exclude_patterns": [f"{root}/**/__main__.py"],
    }
    chapters += [("Modules", [Path(f"api/{name}/{name}.rst") for name in packages]), ("", [CONTENTS])]
    toctrees = "".join(_toctree(title, [page for page in chapter if page != START]) for title, chapter in chapters)

    def on_source_read(_app: Any, name: str, text: list[str]) -> None:
        page = Path(f"{name}.md")
        if page in pages:
            text[0] = link_modules(text[0], page) + (toctrees if page == START else "")

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pages"
        shutil.copytree(root / "docs", source / "docs", ignore=shutil.ignore_patterns("*.py"))
        for path in {path for page in pages for path in (page, *_linked_files(root, page))}:
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / path, source / path)
        warnings = io.StringIO()
        app = Sphinx(source, None, out, Path(folder) / "trees", "html", settings, status=status, warning=warnings)
        app.connect("source-read", on_source_read)
        app.connect("autodoc-process-docstring", lambda *event: escape_marks(event[-1]))
        app.connect("autodoc-skip-member", _skip_foreign)
        app.build()
    return [line.replace(f"{source}/", "") for line in warnings.getvalue().splitlines() if line]


def python_packages(root: Path) -> list[str]:
    """Return the names of the Python packages in src/."""
    return [folder.name for folder in sorted((root / "src").iterdir()) if (folder / folder.name).is_dir()]


def read_chapters(root: Path) -> list[tuple[str, list[Path]]]:
    """Return the chapters of the contents and their pages. Raises UserError outside of a checkout."""
    try:
        text = (root / CONTENTS).read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"{root / CONTENTS} cannot be read ({error.strerror}): the documentation is in a checkout."
        ) from None
    parts = re.split(r"^## +(.+?) *$", text, flags=re.MULTILINE)
    return [
        (title, [_resolve(CONTENTS, link) for link in re.findall(ENTRY_PATTERN, body, re.MULTILINE)])
        for title, body in zip(parts[1::2], parts[2::2], strict=True)
    ]


def link_modules(text: str, page: Path) -> str:
    """Return the text of a page with links into the Python source replaced by links to module pages."""

    def replace(found: re.Match[str]) -> str:
        path = _resolve(page, found[2])
        parts = path.with_suffix("").parts
        if path.suffix not in (".py", "") or len(parts) < 3 or parts[0] != "src" or parts[1] != parts[2]:
            return found[0]
        module = ".".join(part for part in parts[2:] if part != "__init__")
        return f"{{py:mod}}`{found[1].replace('`', '')} <{module}>`"

    return LINK_PATTERN.sub(replace, text)


def escape_marks(lines: list[str]) -> None:
    """Change a docstring, in place, so that reStructuredText shows it as it was written."""
    lines[:] = [MARKUP_PATTERN.sub(_escape, line) for line in lines]


def _escape(found: re.Match[str]) -> str:
    return f"{found[1]}\\ " if found[1] else f"\\{found[2]}" if found[2] else found[0]


def _resolve(page: Path, link: str) -> Path:
    """Return the path in the checkout that a page links to."""
    return Path(os.path.normpath(page.parent / link))


def _linked_files(root: Path, page: Path) -> Iterator[Path]:
    for _, link, _ in LINK_PATTERN.findall((root / page).read_text(encoding="utf-8")):
        if (root / (path := _resolve(page, link))).is_file():
            yield path


def _toctree(caption: str, pages: list[Path]) -> str:
    head = f":caption: {caption}\n" if caption else ""
    entries = "\n".join(str(page.with_suffix("")) for page in pages)
    return f"\n```{{toctree}}\n:hidden:\n{head}\n{entries}\n```\n"


def _skip_foreign(_app: Any, _what: str, _name: str, member: Any, _skip: bool, _options: Any) -> bool | None:
    """Skip members from scipy under names of ours. None leaves the decision to Sphinx."""
    module = getattr(member, "__globals__", {}).get("__name__", "")
    return True if module.startswith("scipy.") else None

"""The documentation's site: which pages it has, where its links lead, and that all of it can be built."""

import re
from pathlib import Path

import pytest

from crawler_cli import docs_site
from crawler_core.errors import UserError

ROOT = Path(__file__).parents[3]


def test_the_contents_list_every_page_once():
    listed = [page for _, pages in docs_site.read_chapters(ROOT) for page in pages]
    there = {path.relative_to(ROOT) for path in (ROOT / "docs").glob("*.md")} - {docs_site.CONTENTS}
    there |= {Path("README.md"), Path("CONTRIBUTING.md"), Path("CHANGELOG.md")}
    there |= {path.relative_to(ROOT) for path in (ROOT / "src").rglob("README.md") if ".pytest_cache" not in path.parts}
    assert sorted(listed) == sorted(there)


def test_links_into_the_source_lead_to_modules_and_others_stay():
    others = "[file](../src/alpha/robot.yaml), [test](../src/alpha/test/test_one.py), [up](../README.md#two), `a[0](b)`"
    text = f"[`one.py`](../src/alpha/alpha/one.py), [room](../src/alpha/alpha/two), {others}\n"
    linked = docs_site.link_modules(text, Path("docs/page.md"))
    assert linked == f"{{py:mod}}`one.py <alpha.one>`, {{py:mod}}`room <alpha.two>`, {others}\n"


def test_a_folder_without_the_documentation_is_told_so(tmp_path):
    with pytest.raises(UserError, match="the documentation is in a checkout"):
        docs_site.read_chapters(tmp_path)


@pytest.mark.parametrize(
    ("said", "shown"),
    [("x * y of `a*b`", r"x \* y of `a*b`"), ("`parameter`s", r"`parameter`\ s"), ("gait_ and q_1", r"gait\_ and q_1")],
)
def test_docstrings_are_shown_as_they_were_written(said, shown):
    lines = [said]
    docs_site.escape_marks(lines)
    assert lines == [shown]


@pytest.mark.exhaustive
def test_the_site_is_built_without_a_warning_and_fetches_nothing(tmp_path):
    pytest.importorskip("sphinx", reason="./crawler docs installs it")
    assert docs_site.build_site(ROOT, tmp_path, None) == []
    front = (tmp_path / "README.html").read_text()
    assert "docs/three_link_paper.html" in front
    modules = {re.sub(r"\.__init__$", "", ".".join(path.with_suffix("").parts[2:])) for path in _python_files()}
    pages = "".join(page.read_text() for page in (tmp_path / "api").rglob("*.html"))
    assert sorted(name for name in modules if f'id="module-{name}"' not in pages) == []
    for page in tmp_path.rglob("*.html"):
        assert not re.search(r"<(?:script|link|img)[^>]*(?:src|href)=\"(?:https?:)?//", page.read_text()), page


def _python_files():
    """The modules of every package, as paths in the checkout."""
    for folder in (ROOT / "src").iterdir():
        for path in (folder / folder.name).rglob("*.py"):
            if path.name != "__main__.py":
                yield path.relative_to(ROOT)

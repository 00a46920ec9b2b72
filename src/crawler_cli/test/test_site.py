"""The documentation's site: which pages it has, where its links lead, and that all of it can be built."""

import re
from pathlib import Path

import pytest

from crawler_cli.site import api, pages
from crawler_cli.site.build import build
from crawler_core.errors import UserError

ROOT = Path(__file__).parents[3]


def test_the_contents_list_every_page_once():
    listed = [page for chapter in pages.read_contents(ROOT) for page in chapter.pages]
    there = {path.relative_to(ROOT) for path in (ROOT / "docs").glob("*.md")} - {pages.CONTENTS}
    there |= {Path("README.md"), Path("CONTRIBUTING.md"), Path("CHANGELOG.md")}
    there |= {path.relative_to(ROOT) for path in (ROOT / "src").rglob("README.md") if ".pytest_cache" not in path.parts}
    assert sorted(listed) == sorted(there)


def test_links_into_the_source_lead_to_modules_and_others_stay(tmp_path):
    root, into = tmp_path / "checkout", tmp_path / "site"
    (root / "docs").mkdir(parents=True)
    (root / "src/alpha/alpha").mkdir(parents=True)
    (root / "src/alpha/alpha/one.py").touch()
    (root / "src/alpha/robot.yaml").touch()
    (root / "README.md").write_text("[all](docs/README.md)\n")
    (root / "docs/README.md").write_text("# All\n\n## First\n\n- [a page](page.md): of words\n")
    page = "[`one.py`](../src/alpha/alpha/one.py), [file](../src/alpha/robot.yaml), [up](../README.md#two), `a[0](b)`\n"
    (root / "docs/page.md").write_text(page)
    into.mkdir()
    pages.collect(root, into, {"alpha.one"})
    written = (into / "docs/page.md").read_text()
    assert written == "{py:mod}`one.py <alpha.one>`, file, [up](../README.md#two), `a[0](b)`\n"
    assert re.search(r":caption: First\n\ndocs/page\n", (into / "README.md").read_text())


def test_a_folder_without_the_documentation_is_told_so(tmp_path):
    with pytest.raises(UserError, match="the documentation is in a checkout"):
        pages.read_contents(tmp_path)


def test_every_module_has_its_place_on_one_page(tmp_path):
    packages = api.packages_of(ROOT)
    api.write_pages(packages, tmp_path)
    told = re.findall(r"automodule:: (\S+)", "".join(path.read_text() for path in tmp_path.iterdir()))
    assert sorted(told) == sorted(module for modules in packages.values() for module in modules)
    assert {"crawler_core.robot.robot_spec", "crawler_core", "crawler_models.miniaq.fast"} <= set(told)


@pytest.mark.parametrize(
    ("said", "shown"),
    [("x * y of `a*b`", r"x \* y of `a*b`"), ("`parameter`s", r"`parameter`\ s"), ("gait_ and q_1", r"gait\_ and q_1")],
)
def test_docstrings_are_shown_as_they_were_written(said, shown):
    lines = [said]
    api.as_it_stands(lines)
    assert lines == [shown]


@pytest.mark.exhaustive
def test_the_site_is_built_without_a_warning_and_fetches_nothing(tmp_path):
    pytest.importorskip("sphinx", reason="./crawler docs installs it")
    assert build(ROOT, tmp_path, None) == []
    front = (tmp_path / "README.html").read_text()
    assert "docs/three_link_paper.html" in front
    for page in tmp_path.rglob("*.html"):
        assert not re.search(r"<(?:script|link|img)[^>]*(?:src|href)=\"(?:https?:)?//", page.read_text()), page

"""The site, built with Sphinx in a folder of its own: nothing in it is fetched from elsewhere."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import IO, Any

from crawler_cli.site import api, pages
from crawler_core.errors import UserError

SETTINGS: dict[str, Any] = {
    "project": "crawler",
    "html_title": "crawler",
    "html_theme": "furo",
    "extensions": ["myst_parser", "sphinx.ext.autodoc"],
    "root_doc": str(pages.START.with_suffix("")),
    "myst_heading_anchors": 4,  # as GitHub makes them
    "default_role": "literal",
    "autodoc_typehints": "signature",
    "autodoc_member_order": "bysource",
    "autodoc_preserve_defaults": True,
    "autodoc_default_options": {"ignore-module-all": True},  # each name on the page of its own module
    "autodoc_mock_imports": ["launch", "launch_ros"],  # which are there on a ROS 2 install alone
    "suppress_warnings": ["ref.python", "toc.not_included"],  # names that several modules have; tables by themselves
    "html_show_sourcelink": False,
    "html_copy_source": False,
}


def build(root: Path, out: Path, status: IO[str] | None) -> list[str]:
    """Make the site of the checkout `root` in the folder `out`; returns what Sphinx warns of, a line each.

    Sphinx tells `status` how far it is.
    """
    try:
        from sphinx.application import Sphinx  # which only who makes the site has
    except ImportError:
        raise UserError("Sphinx is not installed: './crawler docs' of the checkout installs it.") from None
    packages = api.packages_of(root)
    with tempfile.TemporaryDirectory() as folder:
        source, kept = Path(folder) / "pages", Path(folder) / "kept"
        source.mkdir()
        pages.collect(root, source, {module for modules in packages.values() for module in modules})
        api.write_pages(packages, source / "api")
        warnings = io.StringIO()
        app = Sphinx(source, None, out, kept, "html", SETTINGS, status=status, warning=warnings)
        app.connect("autodoc-process-docstring", lambda *given: api.as_it_stands(given[-1]))
        app.connect("autodoc-skip-member", _not_ours)
        app.build()
    return [line.replace(f"{source}/", "") for line in warnings.getvalue().splitlines() if line]


def _not_ours(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Whether a member came from elsewhere under a name that hides it; None: as Sphinx thinks."""
    module = getattr(member, "__globals__", {}).get("__name__", "")
    return True if module.startswith("scipy.") else None

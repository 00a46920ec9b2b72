"""Every folder of modules says what is in it and who imports it, and names and sentences are plain."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = sorted(file.parent.name for file in ROOT.glob("src/*/setup.py"))
DOCSTRING = re.compile(r"[A-Z`][^\n]*\.\n\nNot here: .*\.\nImported by: (?P<importers>[^:]*)\.\n?", re.DOTALL)
MAX_TOP_MODULES = {"crawler_core": 6, "crawler_nodes": 5}  # of other packages: 4


@cache
def parse(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def modules() -> dict[str, Path]:
    """Return every module of the packages outside of tests, and every room, by dotted name."""
    found = {}
    for package in PACKAGES:
        for file in sorted((ROOT / "src" / package / package).rglob("*.py")):
            parts = file.relative_to(ROOT / "src" / package).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = file
    return found


ROOMS = sorted(name for name, file in modules().items() if file.name == "__init__.py")


def room_of(module: str) -> str:
    return module if module in ROOMS else module.rpartition(".")[0]


def imported_modules(file: Path) -> Iterator[str]:
    """Yield the names of the packages' modules that a file imports anywhere in it."""
    for node in ast.walk(parse(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom) and node.module in modules():
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in modules() else str(node.module)


@cache
def importers() -> dict[str, set[str]]:
    """Return the rooms that import a module of each room; for a package, those of others that import any of its rooms.

    A launch file counts for its package.
    """
    found: dict[str, set[str]] = {room: set() for room in ROOMS}
    launch = ((file.parents[1].name, file) for file in ROOT.glob("src/*/launch/*.py"))
    for name, file in chain(modules().items(), launch):
        importer = room_of(name)
        for module in imported_modules(file):
            package, room = module.split(".")[0], room_of(module)
            if room not in (importer, package):
                found[room].add(importer)
            if not stands_for(package, importer):
                found[package].add(importer)
    return found


def stands_for(name: str, room: str) -> bool:
    return room == name or room.startswith(f"{name}.")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_is_in_it_and_who_imports_it(room):
    file = modules()[room].relative_to(ROOT)
    match = DOCSTRING.fullmatch(ast.get_docstring(parse(modules()[room])) or "")
    assert match, f"{file}: its docstring needs a sentence, an empty line, 'Not here: ...' and 'Imported by: ...'"
    listed = re.split(r",\s+", match["importers"].strip())
    real = importers()[room]
    if listed == ["any package"]:
        return
    listed = [] if listed == ["none"] else listed
    missing = sorted(name for name in real if not any(stands_for(one, name) for one in listed))
    too_many = [one for one in listed if not any(stands_for(one, name) for name in real)]
    assert not missing, f"{file}: 'Imported by:' lacks {', '.join(missing)}"
    assert not too_many, f"{file}: 'Imported by:' lists {', '.join(too_many)}, which do not import it"


@pytest.mark.parametrize("package", PACKAGES)
def test_most_modules_of_a_package_are_in_rooms(package):
    names = [file.name for file in modules()[package].parent.glob("*.py") if not file.name.startswith("__")]
    most = MAX_TOP_MODULES.get(package, 4)
    assert len(names) <= most, f"src/{package}/{package} has {len(names)} modules, {most} are allowed: {sorted(names)}"


# names and sentences


def place(file: Path, node: ast.AST) -> str:
    return f"{file.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


def test_a_constant_of_one_word_has_few_meanings():
    places = defaultdict(list)
    for file in modules().values():
        for node in parse(file).body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id.strip("_")
                if re.fullmatch("[A-Z]+", name):
                    places[name].append(place(file, node))
    found = {name: where for name, where in places.items() if len(where) >= 4}
    assert not found, f"name quantity and unit, such as POLL_PERIOD_S: {found}"


OPENERS = {"what", "whether", "how", "where", "who", "whom", "whose", "that", "those", "of"}


def test_docstrings_open_with_a_verb_or_a_noun():
    count, found = 0, []
    for file in modules().values():
        for node in ast.walk(parse(file)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
                docstring = ast.get_docstring(node)
                count += docstring is not None
                if docstring and re.findall(r"\w+", docstring)[0].lower() in OPENERS:
                    found.append(f"{place(file, node)}: {docstring.splitlines()[0]}")
    assert len(found) < 0.02 * count, "\n".join(found)


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def test_most_modules_with_a_class_are_named_after_one():
    count, found = 0, []
    for file in modules().values():
        classes = [snake_case(node.name) for node in parse(file).body if isinstance(node, ast.ClassDef)]
        count += bool(classes)
        if classes and not any(file.stem == name.split("_")[-1] or name.startswith(file.stem) for name in classes):
            found.append(f"{file.relative_to(ROOT)}: {', '.join(classes)}")
    assert len(found) <= 0.15 * count, "\n".join(found)


# metaphors for parts of the software and for messages; docs/glossary.md has the words to use
METAPHOR = re.compile(
    r"""rings?|told|tells|telling|heard|hears?|strangers?|wishes|kept|demands|questions|seat|company|crowd|ears|audience|
    overseer|turnstile|lookout|lonely|loneliness|remains|weather|witness|waylaid|gasp|hasten|anew|pretended|pretence|
    nobody|somebody|whoever|besides|likewise""",
    re.VERBOSE,
)


def metaphors_in(text: str) -> list[str]:
    return [word for word in re.findall("[a-z]+", snake_case(text)) if METAPHOR.fullmatch(word)]


def test_source_has_few_metaphors():
    found = [
        f"{file.relative_to(ROOT)}:{number}: {word}"
        for file in modules().values()
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        for word in metaphors_in(line)
    ]
    assert len(found) < 60, "\n".join(found)


def test_documentation_has_few_metaphors():
    found: Counter[str] = Counter()
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r"^(\||    ).*$", "", text, flags=re.MULTILINE)  # tables and indented blocks quote
        found.update(f"{page.relative_to(ROOT)}: {word}" for word in metaphors_in(text))
    assert found.total() < 10, "\n".join(f"{place} ({count})" for place, count in found.items())

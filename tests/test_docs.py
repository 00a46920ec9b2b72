"""The documentation agrees with the code: parameters, robots, backends, links, examples, and the guide's robot."""

import argparse
import ast
import dataclasses
import json
import math
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image, ImageSequence

from crawler_bringup.stack.backend_choice import RESERVED_BACKEND_PARAMETERS
from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.settings import parse_assignments
from crawler_bringup.stack.stack import RESERVED_PARAMETERS, make_stack
from crawler_cli.__main__ import COMMANDS, load_command
from crawler_cli.commands import doctor, gait_analysis, model, run
from crawler_cli.run.run_watch import RunOutcome
from crawler_cli.run.summary import summarise
from crawler_core.description.urdf import build_urdf
from crawler_core.loop.backend_settings import BackendSettings, own_robot_settings
from crawler_core.parameters import check_value, describe
from crawler_core.robot.robot_file import load_robot, parameter_infos, robot_names
from crawler_models.model_registry import model_of, predict
from crawler_nodes.run_log.log import RunLog
from crawler_studies.snake import figures as snake_figures
from crawler_studies.three_link import figures as three_link_figures
from crawler_studies.three_link.figures import gaits
from crawler_testing.faults.catalogue import FAULT_KINDS
from gait_generators.kinds.gait_registry import GAITS, gait_defaults, make_gait
from gait_generators.kinds.limit_check import check_limits
from gait_generators.node.gait_settings import GaitSettings
from hybrid_controller.laws.law_registry import LAWS, law_defaults
from hybrid_controller.node.controller_settings import ControllerSettings
from sim_bridge.physics.engines import ENGINES, installed_engines

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PARAMETERS = ROOT / "docs/parameters.md"
RELIABILITY = ROOT / "docs/reliability.md"
GUIDE = ROOT / "docs/add_a_robot.md"
TROUBLE = ROOT / "docs/troubleshooting.md"
FOURIER = ROOT / "docs/fourier_gait.md"
PAGES = sorted(page for page in ROOT.rglob("*.md") if not any(part[0] == "." for part in page.relative_to(ROOT).parts))


def in_page(page):
    return str(page.relative_to(ROOT))


def without_blocks(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def sections(page):
    """Return the text under each heading of a page, down to the next heading of any level."""
    parts = re.split(r"^#+ +(.+?) *$", without_blocks(page.read_text()), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(text):
    """Return the rows of the table in a text, by the columns' titles; empty without a table."""
    lines = [line.strip().strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]] if cells else []


# parameters


def settable(cls, given=()):
    return [info for info in describe(cls) if info.name not in given]


def documented_parameters():
    """Return, for each section of parameters.md, its parameters and their values in each robot file."""
    robots = {name: load_robot(name) for name in robot_names()}
    expected: dict[str, Any] = {
        "Every backend": (settable(BackendSettings, RESERVED_BACKEND_PARAMETERS), {}),
        "Every gait": (settable(GaitSettings, RESERVED_PARAMETERS), {}),
        "Every law": (settable(ControllerSettings, RESERVED_PARAMETERS), {}),
    }
    for name, entry in BACKENDS.items():
        kept_of = {robot: own_robot_settings(spec, name, entry.settings) for robot, spec in robots.items()}
        expected[f"Backend `{name}`"] = settable(entry.settings), kept_of
    for name, gait in GAITS.items():
        own = {robot: gait_defaults(spec, name) for robot, spec in robots.items()}
        expected[f"Gait `{name}`"] = settable(gait.parameters), own
    for name, law in LAWS.items():
        own = {robot: law_defaults(spec, name) for robot, spec in robots.items()}
        expected[f"Law `{name}`"] = settable(law.parameters), own
    for name, spec in robots.items():
        expected[f"Robot `{name}`"] = list(parameter_infos(spec).values()), {}
    return expected


DOCUMENTED = documented_parameters()


def value_in(cell, kind):
    return cell.strip('"') if kind is str else yaml.safe_load(cell) if kind is bool else kind(cell)


def test_every_backend_gait_law_and_robot_has_its_section_of_parameters():
    documented = {name for name in sections(PARAMETERS) if re.match(r"(Every|Backend|Gait|Law|Robot) ", name)}
    assert documented == set(DOCUMENTED)


@pytest.mark.parametrize("section", DOCUMENTED)
def test_parameters_are_documented_with_their_defaults_and_ranges(section):
    infos, robots = DOCUMENTED[section]
    table = rows(sections(PARAMETERS)[section])
    assert [row["name"] for row in table] == [f"`{info.name}`" for info in infos]
    for row, info in zip(table, infos, strict=True):
        assert value_in(row["default"], info.type) == info.default, info.name
        assert row["range"] == info.range_text(), info.name
        assert row["set"] == ("at start" if info.constant else "any time"), info.name
        assert row["meaning"], info.name
        for robot, own in robots.items():
            if own:
                assert value_in(row[f"`{robot}`"], info.type) == own.get(info.name, info.default), info.name


def first_column(page, heading):
    return {next(iter(row.values())).strip("`") for row in rows(sections(page)[heading])}


def test_the_readme_lists_the_robots():
    assert first_column(README, "Robots") == set(robot_names())


def test_the_readme_lists_the_backends():
    assert first_column(README, "Backends") == set(BACKENDS)


def test_the_reliability_page_lists_every_kind_of_fault():
    listed = [
        (row["fault"], row["intervention"], row["expected outcome"])
        for row in rows(sections(RELIABILITY)["Every kind"])
    ]
    assert listed == [(f"`{kind.name}`", kind.action, kind.expected.text) for kind in FAULT_KINDS]


# troubleshooting


def texts_of_the_source():
    """Every text in the source, with … for what is filled in."""
    for file in (file for folder in ("src", "setup") for file in (ROOT / folder).rglob("*.*")):
        if file.suffix in (".js", ".txt"):
            yield file.read_text()
        elif file.suffix == ".py" and "test" not in file.parts:
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value
                elif isinstance(node, ast.JoinedStr):
                    yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)


def test_troubleshooting_quotes_real_messages():
    quoted = [
        quote
        for text in sections(TROUBLE).values()
        for row in rows(text)
        for quote in re.findall(r"`([^`]+)`", row["it says"])
        if quote != "doctor"
    ]
    assert len(quoted) > 40
    source = "\n".join(texts_of_the_source())
    unsaid = [quote for quote in quoted if not re.search(".*".join(map(re.escape, quote.strip().split("…"))), source)]
    assert unsaid == []


# links


def anchors(page):
    """Return the link fragments of a page's headings, as GitHub makes them."""
    words = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in sections(page)]
    return {word.strip().replace(" ", "-") for word in words}


LINKS = r"\]\(\s*<?([^)>\s]+)|^\[[^\]]+\]:\s*(\S+)|(?:src|href)=\"([^\"]+)\""


@pytest.mark.parametrize("page", PAGES, ids=in_page)
def test_no_relative_link_is_dead(page):
    for match in re.finditer(LINKS, re.sub(r"`[^`\n]*`", "``", without_blocks(page.read_text())), re.MULTILINE):
        target = next(filter(None, match.groups()))
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue  # another site
        path, _, fragment = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        assert goal.exists(), f"{in_page(page)} links to {target}"
        if fragment and goal.suffix == ".md":
            assert fragment in anchors(goal), f"{in_page(page)} links to {target}"


def test_the_readme_opens_with_a_film_of_every_robot_and_they_load_quickly():
    films = re.findall(r"docs/images/film_(\w+)\.gif", README.read_text().partition("\n## ")[0])
    assert sorted(films) == sorted(robot_names())
    for robot in films:
        film = ROOT / f"docs/images/film_{robot}.gif"
        assert film.stat().st_size < 10**6  # bytes
        with Image.open(film) as pictures:
            assert sum(1 for _ in ImageSequence.Iterator(pictures)) > 40


def test_the_pages_about_the_three_link_crawler_lead_from_one_to_the_next():
    entry = ROOT / "docs/three_link.md"
    way = re.findall(r"^\d+\. \[.*?\]\((\w+\.md)\)", entry.read_text(), re.MULTILINE)
    assert set(way) == {f"{page}.md" for page in ("three_link_paper", "sweeps", "tuning", "fourier_gait", "feedback")}
    for number, (page, follower) in enumerate(zip(way, [*way[1:], "three_link.md"], strict=True), start=1):
        text = (ROOT / "docs" / page).read_text()
        assert f"*[The three-link crawler](three_link.md), {number} of {len(way)}" in text, page
        assert f"({follower})" in text.splitlines()[-1], page


# tables that commands make


def table_lines(text):
    return [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| ---")]


@pytest.mark.parametrize("name", ["table1", "table2", "rates", "links"])
def test_the_snake_page_has_the_tables_of_crawler_figures(name, tmp_path):
    (made,) = snake_figures.PAPER_FIGURES.figures[name](
        snake_figures.PAPER_FIGURES.make_data(load_robot("snake"))
    ).save(tmp_path)
    documented = table_lines((ROOT / "docs/snake.md").read_text())
    made_lines = table_lines(made.read_text())
    begin = documented.index(made_lines[0])
    assert documented[begin : begin + len(made_lines)] == made_lines


@pytest.mark.exhaustive  # a minute of searches; those at 8 rad/s are a test of crawler_studies in every run
def test_the_fourier_gait_page_has_the_best_gaits_of_crawler_figures():
    found = {
        tuple(row[:2]): row[2:]
        for row in gaits.make_gaits(three_link_figures.PAPER_FIGURES.make_data(load_robot("three_link"))).rows
    }
    columns = ("(5), worst", "(8), nominal", "(8), worst", "fourier, nominal", "fourier, worst")
    for library, text in re.findall(
        r"^\*\*(`\w+`)\*\*.*?\n\n(.*?)\n\n", sections(FOURIER)["How far it goes"], re.M | re.S
    ):
        for row in rows(text):
            made = [float(cell) for cell in found.pop((library, row["omega, rad/s"]))]
            # what a search on another machine's last digits may lose on a hill's top
            assert [float(row[name]) for name in columns] == pytest.approx(made, rel=0.01, abs=0.1)
    assert not found


# the command line


def keys_in_help(epilog):
    """The keys that an epilog lists after "keys of --json:", each with what it explains in brackets left out."""
    (text,) = re.findall(r"^keys of --json: (.*)", epilog, flags=re.DOTALL | re.MULTILINE)
    return [item.split()[0] for item in re.sub(r"\([^)]*\)", "", text).split(",")]


def module_of(command):
    return load_command(command)


def parser_of(command):
    module = module_of(command)
    parser = argparse.ArgumentParser(prog=f"crawler {command}")
    module.add_arguments(parser)
    return parser


@pytest.mark.parametrize("robot", robot_names())
def test_model_prints_the_keys_that_its_help_lists_and_the_columns_of_the_equations(robot, capsys):
    assert model.run(parser_of("model").parse_args([robot, "--json"])) == 0
    own = {column.key for column in model_of(load_robot(robot)).columns}
    assert set(json.loads(capsys.readouterr().out)) == set(keys_in_help(model.HELP_TEXT)) | own


def test_model_shows_a_table_without_json(capsys):
    assert model.run(parser_of("model").parse_args(["three_link"])) == 0
    assert "134.55" in capsys.readouterr().out  # mm, the step of the default gait


def test_run_prints_the_keys_that_its_help_lists(tmp_path):
    stack = make_stack(run.options(parser_of("run").parse_args(["--backend", "model"]), tmp_path))
    nothing = RunOutcome(RunLog.of(stack.spec))  # as after a run in which nothing came
    assert set(summarise(stack, nothing, tmp_path)) == set(keys_in_help(run.HELP_TEXT))


def test_doctor_prints_the_keys_that_its_help_lists(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "CHECKS", {})
    assert doctor.run(parser_of("doctor").parse_args(["--json"])) == 0
    assert set(json.loads(capsys.readouterr().out)) == set(keys_in_help(doctor.HELP_TEXT))
    (listed,) = re.findall(r"findings \(a list of ([^)]*)\)", doctor.HELP_TEXT)
    assert listed.split(", ") == [field.name for field in dataclasses.fields(doctor.Finding)]


def test_gait_analysis_prints_the_keys_that_its_help_lists(tmp_path, capsys):
    words = ["--set", "gait.omega=8", "--seconds", "4", "--out", str(tmp_path), "--json"]
    assert gait_analysis.run(parser_of("gait-analysis").parse_args(words)) == 0
    predicted = json.loads(capsys.readouterr().out)
    assert set(predicted) == set(keys_in_help(gait_analysis.HELP_TEXT))
    (listed,) = re.findall(r"feet \(of each: ([^)]*)\)", gait_analysis.HELP_TEXT)
    assert all(set(foot) == set(re.split(r",\s+", listed)) for foot in predicted["feet"].values())


EXAMPLE = rf"(?:\./)?crawler ((?:{'|'.join(COMMANDS)})\b[^`\n]*)"


def examples():
    """Every command line of the pages and epilogs that calls the front door, up to what explains or follows it."""
    texts = {in_page(page): page.read_text() for page in PAGES}
    for command in COMMANDS:
        texts[f"crawler {command} --help"] = module_of(command).HELP_TEXT
    for where, text in texts.items():
        for line in re.findall(rf"(?:^[ $]*|`){EXAMPLE}", text, re.MULTILINE):
            words = re.split(r" {2,}| [#|>&]|;", line)[0].strip()
            if not re.search(r"<\w|\.\.\.|\[", words):  # a placeholder is no example
                yield pytest.param(words, id=f"{where}: {words}")


@pytest.mark.parametrize("line", list(examples()))
def test_example_commands_are_valid(line, capsys):
    command, *words = shlex.split(line)
    if "--help" in words:
        return
    try:
        arguments = parser_of(command).parse_args(words)
    except SystemExit:
        pytest.fail(f"'{line}' is refused: {capsys.readouterr().err.splitlines()[-1]}")
    settings = parse_assignments(getattr(arguments, "set", []))
    for section, names in settings.items():
        known = {info.name for heading, (infos, _) in DOCUMENTED.items() if about(heading, section) for info in infos}
        assert set(names) <= known, line


def about(heading, section):
    """Return True if a heading of parameters.md belongs to a section of the settings."""
    kinds = {"backend": ("backend", "Backend"), "gait": ("gait", "Gait"), "controller": ("law", "Law")}
    return any(word in heading.split() for word in kinds.get(section, ("Robot",)))


# the guide to a new robot


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture
def guides_robot(tmp_path):
    """Write the guide's robot file and xacro; return the path of the first."""
    (robot_file,), (xacro,) = blocks(GUIDE, "yaml"), blocks(GUIDE, "xml")
    directory = tmp_path / "stubby"
    directory.mkdir()
    (directory / "robot.yaml").write_text(robot_file)
    (directory / "stubby.urdf.xacro").write_text(xacro)
    return str(directory / "robot.yaml")


def keys_used(document, path=()):
    """The keys of a robot file in the spelling of the guide's table, where names that are the robot's own are <...>."""
    own = {"parameters": "<name>", "joints": "<name>", "feet": "<link>", "backends": "<backend>", "loops": "<name>"}
    own |= {"sensors": "<name>", "reality": "<profile>"}
    for key, value in document.items():
        deeper = (*path, own.get(path[0], key) if len(path) == 1 else key)
        if path in (("gait",), ("controller",)) and isinstance(value, dict):
            deeper = (*path, "<gait>" if path == ("gait",) else "<law>")
        if path == ("estimator",) and isinstance(value, dict):
            deeper = (*path, "<estimator>")
        free = ("gait", "controller", "estimator", "backends", "hardware", "sensors", "reality")
        ends = deeper[0] in free and len(deeper) == 2
        if isinstance(value, dict) and not ends:
            yield from keys_used(value, deeper)
        else:
            yield ".".join(deeper)


def test_the_guide_explains_every_key_that_robot_files_have(guides_robot):
    table = rows(sections(GUIDE)["1. Write the robot file"])
    explained = {name for row in table for name in re.findall(r"`([^`]+)`", row["key"])}
    for robot in (*robot_names(), guides_robot):
        assert set(keys_used(load_robot(robot).document)) <= explained, robot


def test_the_guides_robot_is_sound_and_its_gait_fits(guides_robot):
    spec = load_robot(guides_robot)
    for info in parameter_infos(spec).values():
        check_value(info, info.default, label=info.name)
    for joint in spec.joints:
        assert joint.lower <= joint.home <= joint.upper
    check_limits(spec, make_gait(spec, None, {}))
    assert "foot_2" in build_urdf(spec)


def test_the_guides_robot_has_the_step_length_of_the_guide(guides_robot):
    path = Path(guides_robot)
    path.write_text(path.read_text() + "\nequations: three_link\n")  # as the guide says
    spec = load_robot(guides_robot)
    (promised,) = re.findall(r"The equations say ([\d.]+) mm", GUIDE.read_text())
    predicted = predict(spec, make_gait(spec, None, {}))
    assert predicted["step_length_m"] * 1e3 == pytest.approx(float(promised), abs=0.005)


@pytest.mark.parametrize("engine", installed_engines())
def test_the_guides_robot_stands_in_physics_with_its_weight_on_its_feet(guides_robot, engine):
    spec = load_robot(guides_robot)
    backend = ENGINES[engine].backend(spec, ENGINES[engine].settings(), 0.005)
    backend.open()
    try:
        for _ in range(10):
            backend.advance(0.005)
        seen = backend.observe()
    finally:
        backend.close()
    weight = spec.parameters["gravity"] * sum(spec.parameters[name] for name in ("central_mass", "mass_1", "mass_2"))
    assert sum(contact.force[2] for contact in seen.contacts) == pytest.approx(weight, rel=1e-3)  # at rest, solved
    assert all(math.isfinite(angle) for angle in seen.position)


@pytest.mark.parametrize("backend", ["pybullet", "mujoco", "mock"])
def test_a_robot_runs_by_its_path_and_without_equations(guides_robot, tmp_path, backend):
    words = ["--robot", guides_robot, "--backend", backend]
    stack = make_stack(run.options(parser_of("run").parse_args(words), tmp_path))
    assert stack.spec.name == "stubby"
    assert stack.prediction.numbers is None
    assert all(node.parameters["robot"] == guides_robot for node in stack.nodes)

"""The identity of a study has everything that its evaluations depend on, and nothing that it varies."""

import shutil
from pathlib import Path

import pytest
import yaml

from crawler_core.robot import load_robot
from crawler_studies.study.study_case import Subject
from crawler_studies.study.study_file import differences
from crawler_studies.study.study_identity import identity_of


def apart(first: Subject, second: Subject, varied: tuple[str, ...] = ()) -> list[str]:
    return differences(identity_of(first, varied), identity_of(second, varied))


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A robot file of one's own, the same as the installed one."""
    directory = tmp_path / "three_link"
    shutil.copytree(load_robot("three_link").directory, directory)
    return directory / "robot.yaml"


def test_the_same_robot_at_another_place_is_the_same(copied: Path) -> None:
    assert apart(Subject("three_link"), Subject(str(copied))) == []


@pytest.mark.parametrize("path", [("joints", "joint_1", "upper_deg"), ("parameters", "mass_1", "value")])
def test_another_number_in_the_robot_file_makes_another_study(copied: Path, path: tuple[str, ...]) -> None:
    document = yaml.safe_load(copied.read_text())
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = 0.9 * place[path[-1]]
    copied.write_text(yaml.safe_dump(document))
    (said,) = apart(Subject("three_link"), Subject(str(copied)))
    assert path[1] in said


def test_a_setting_counts_and_the_default_written_out_does_not() -> None:
    plain = Subject("three_link")
    assert apart(plain, Subject("three_link", settings={"gait": {"psi": 20}})) == []
    assert apart(plain, Subject("three_link", settings={"gait": {"psi": 21}})) == [
        "gait.psi is 20.0 in the file and 21 here"
    ]
    assert apart(plain, Subject("three_link", "harmonic")) == []


def test_what_varies_is_no_part_of_it() -> None:
    first = Subject("three_link", settings={"gait": {"psi": 20}, "robot": {"friction": 0.2}})
    second = Subject("three_link", settings={"gait": {"psi": 30}, "robot": {"friction": 0.3}})
    assert apart(first, second, ("gait.psi", "robot.friction")) == []
    assert len(apart(first, second)) == 2


def test_the_shapes_of_a_gait_count_too(copied: Path) -> None:
    assert apart(Subject("three_link", "fourier"), Subject(str(copied), "fourier")) == []
    library = sorted((copied.parent / "gaits").rglob("*.yaml"))[0]
    library.write_text(library.read_text() + "\n# another one\n")
    (said,) = apart(Subject("three_link", "fourier"), Subject(str(copied), "fourier"))
    assert said.startswith("shapes is ")
    assert apart(Subject("three_link"), Subject(str(copied))) == []  # the harmonic gait has none

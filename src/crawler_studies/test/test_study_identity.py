"""The identity of a study has everything that its evaluations depend on, and nothing that it varies."""

import shutil
from pathlib import Path

import pytest
import yaml

from crawler_core.robot.robot_file import load_robot
from crawler_studies.study.study_case import StudyCase
from crawler_studies.study.study_file import differences
from crawler_studies.study.study_identity import study_identity


def apart(first: StudyCase, second: StudyCase, varied: tuple[str, ...] = ()) -> list[str]:
    return differences(study_identity(first, varied), study_identity(second, varied))


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A robot file of one's own, the same as the installed one."""
    directory = tmp_path / "three_link"
    shutil.copytree(load_robot("three_link").directory, directory)
    return directory / "robot.yaml"


def test_the_same_robot_at_another_place_is_the_same(copied: Path) -> None:
    assert apart(StudyCase("three_link"), StudyCase(str(copied))) == []


@pytest.mark.parametrize("path", [("joints", "joint_1", "upper_deg"), ("parameters", "mass_1", "value")])
def test_another_number_in_the_robot_file_makes_another_study(copied: Path, path: tuple[str, ...]) -> None:
    document = yaml.safe_load(copied.read_text())
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = 0.9 * place[path[-1]]
    copied.write_text(yaml.safe_dump(document))
    (said,) = apart(StudyCase("three_link"), StudyCase(str(copied)))
    assert path[1] in said


def test_a_setting_counts_and_the_default_written_out_does_not() -> None:
    plain = StudyCase("three_link")
    assert apart(plain, StudyCase("three_link", settings={"gait": {"psi": 20}})) == []
    assert apart(plain, StudyCase("three_link", settings={"gait": {"psi": 21}})) == [
        "gait.psi is 20.0 in the file and 21 here"
    ]
    assert apart(plain, StudyCase("three_link", "harmonic")) == []


def test_what_varies_is_no_part_of_it() -> None:
    first = StudyCase("three_link", settings={"gait": {"psi": 20}, "robot": {"friction": 0.2}})
    second = StudyCase("three_link", settings={"gait": {"psi": 30}, "robot": {"friction": 0.3}})
    assert apart(first, second, ("gait.psi", "robot.friction")) == []
    assert len(apart(first, second)) == 2


def test_the_shapes_of_a_gait_count_too(copied: Path) -> None:
    assert apart(StudyCase("three_link", "fourier"), StudyCase(str(copied), "fourier")) == []
    library = sorted((copied.parent / "gaits").rglob("*.yaml"))[0]
    library.write_text(library.read_text() + "\n# another one\n")
    (said,) = apart(StudyCase("three_link", "fourier"), StudyCase(str(copied), "fourier"))
    assert said.startswith("shapes is ")
    assert apart(StudyCase("three_link"), StudyCase(str(copied))) == []  # the harmonic gait has none

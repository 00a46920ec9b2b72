"""Files in which a value is of another kind than was meant: each is read, or refused with one sentence, and soon.

Every value of each file is replaced by each wrong one: by chance in every run, all of them in exhaustive ones.
"""

import copy
import math
import random
import time
from pathlib import Path

import pytest
import yaml

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.settings import read_settings
from crawler_bringup.stack.stack import make_stack
from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.files import read_yaml
from crawler_core.robot.robot_file import load_robot, robot_names, robots_directory
from gait_generators.shapes.shape_file import read_shape
from gait_generators.shapes.shape_library import for_joints
from hw_drivers.backend.calibration import read_calibration
from hw_drivers.backend.hardware_map import hardware_map

WRONG = [None, True, "x", "", -1, 0, 0.5, 10**9, 1e308, math.nan, -math.inf, [], {}, [[1, [2]]], {"a": {"b": 1}}]
WRONG += ["y" * 100_000, "../../../x", "a\nb", "/etc/passwd"]
SOME = 20  # of the thousands, in every run
LONGEST = 60.0  # s of this process's own work that one file may take; they take milliseconds
JOINTS = ("joint_1", "joint_2")
THREE_LINK = load_robot("three_link")


def robot(file):
    spec = load_robot(str(file))
    if spec.section("hardware"):
        hardware_map(spec)
    make_stack(Options(robot=str(file), backend="mock", settings={"backend": {"estimator": "none"}}))  # without a URDF
    (file.parent / f"{spec.name}.urdf.xacro").touch()
    build_urdf(spec)


def shape(file):
    for_joints(read_shape(file), JOINTS)


def calibration(file):
    read_calibration(file, THREE_LINK)


def settings(file):
    make_stack(Options(robot="three_link", backend="mock", settings=read_settings(str(file))))


def documents():
    """Return, for each kind of file, how it is read and a valid document."""
    folder = robots_directory()
    found = {name: (robot, read_yaml(folder / name / "robot.yaml")) for name in robot_names()}
    found["shape"] = (shape, read_yaml(folder / "three_link" / "gaits" / "swing_18" / "omega_8.yaml"))
    found["calibration"] = (calibration, {"robot": "three_link", "zero_deg": {"joint_1": 70.0, "joint_2": 290.0}})
    sections: dict[str, dict[str, object]] = {"robot": {"friction": 0.3}, "gait": {"omega": 2.0, "horizon": 0.3}}
    sections |= {"controller": {"state_rate": 20.0}, "backend": {"rate": 100.0, "lockstep": False, "fail": "none"}}
    found["settings"] = (settings, sections)
    return found


DOCUMENTS = documents()


def places(document, at=()):
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items:
        yield (*at, key)
        if isinstance(value, (dict, list)):
            yield from places(value, (*at, key))


def with_value(document, at, value):
    changed = copy.deepcopy(document)
    inner = changed
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = copy.deepcopy(value)
    return changed


def check(name, folder, monkeypatch, cases):
    read, document = DOCUMENTS[name]
    file = Path(folder) / "robot.yaml"
    for at, wrong in cases:
        changed = with_value(document, at, wrong)
        if read is robot:  # whose file is read again and again, as it is large
            monkeypatch.setattr(
                "crawler_core.robot.robot_file.read_yaml", lambda _, changed=changed: copy.deepcopy(changed)
            )
        else:
            file.write_text(yaml.safe_dump(changed))
        case = f"{name}: {'.'.join(map(str, at))} = {wrong!r:.40}"
        before = time.process_time()
        try:
            read(file)
        except UserError:
            pass
        except Exception as error:
            raise AssertionError(f"{case} ends in a {type(error).__name__}") from error
        assert time.process_time() - before < LONGEST, case


def all_cases(name):
    return [(at, wrong) for at in places(DOCUMENTS[name][1]) for wrong in WRONG]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_wrong_value_is_refused_with_a_sentence(name, tmp_path, monkeypatch):
    check(name, tmp_path, monkeypatch, random.Random(name).sample(all_cases(name), SOME))


@pytest.mark.exhaustive  # whose quicker sibling is the one above
@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_wrong_value_is_refused_with_a_sentence(name, tmp_path, monkeypatch):
    check(name, tmp_path, monkeypatch, all_cases(name))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_file_that_they_are_made_of_is_read(name, tmp_path):
    read, document = DOCUMENTS[name]
    file = tmp_path / "robot.yaml"
    file.write_text(yaml.safe_dump(document, sort_keys=False))
    if read is robot:  # whose xacro is not there
        with pytest.raises(UserError, match="cannot be expanded"):
            read(file)
    else:
        read(file)

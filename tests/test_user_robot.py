"""A user's robot with its own equations works by its path, without any change of the source.

It is the robot of docs/add_a_robot.md, with the package that the guide writes, made from the guide's own blocks.
"""

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from crawler_core.robot.robot_file import load_robot
from crawler_models.model_registry import predict
from gait_generators.kinds.gait_registry import make_gait

ROOT = Path(__file__).resolve().parents[1]
GUIDE = (ROOT / "docs/add_a_robot.md").read_text()
SLOW = ("--set", "gait.omega=0.1")  # rad/s, where only weight and friction count


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)


def block(language, about):
    (found,) = [text for text in blocks(language) if about in text.split("\n", 2)[0] + text]
    return found


@pytest.fixture
def stubby(tmp_path, monkeypatch):
    """Write the guide's robot file and its package; return the path of the first."""
    folder = tmp_path / "stubby"
    package = folder / "stubby_equations"
    package.mkdir(parents=True)
    (equations,) = re.findall(r"`equations: (stubby_equations[\w.]*:\w+)`", GUIDE)
    robot = block("yaml", "name: stubby")
    (folder / "robot.yaml").write_text(robot.replace("\nparameters:", f"\nequations: {equations}\n\nparameters:", 1))
    (folder / "stubby.urdf.xacro").write_text(block("xml", 'robot name="stubby"'))
    (package / "__init__.py").write_text("")
    for name, about in (("statics", "class Pose"), ("model", "MODEL = Model("), ("figures", "FIGURES = PaperFigures(")):
        (package / f"{name}.py").write_text(block("python", about))
    before = list(sys.path)
    yield str(folder / "robot.yaml")
    sys.path[:] = before
    for name in [name for name in sys.modules if name.split(".")[0] == "stubby_equations"]:
        del sys.modules[name]


def full_dynamics(spec, **values):
    """Return the step in m of the same robot on the first equations of the guide."""
    spec = dataclasses.replace(spec, equations="three_link")
    return predict(spec, make_gait(spec, None, values))["step_length_m"]


def test_its_equations_are_close_to_the_full_dynamics_where_it_is_slow(stubby, call):
    code, out, err = call("model", stubby, *SLOW, "--json")
    assert (code, err) == (0, "")
    output = json.loads(out)
    assert output["robot"] == "stubby"
    assert 0.0 < output["lightest_foot"] < 0.5
    expected = full_dynamics(load_robot(stubby), omega=0.1)
    assert output["step_length_m"] == pytest.approx(expected, rel=0.02)  # as the guide says
    code, out, _ = call("model", stubby, *SLOW)
    assert code == 0
    assert "least share of the weight on a foot" in out


def test_it_is_swept_with_its_own_column(stubby, call, tmp_path):
    code, out, err = call("sweep", stubby, "--vary", "gait.psi=0:180:19", *SLOW, "--json", "--out", "map.csv")
    assert code == 0, err
    output = json.loads(out)
    assert (output["points"], output["valid"]) == (19, 19)
    head, *lines = (tmp_path / "map.csv").read_text().splitlines()
    names = [name.strip('"') for name in head.split(",")]
    assert names == ["gait.psi", "step_length_m", "speed_m_s", "valid", "reason", "lightest_foot"]
    spec = load_robot(stubby)
    expected = predict(spec, make_gait(spec, None, {"omega": 0.1, "psi": 90.0}))
    row = dict(zip(names, lines[9].split(","), strict=True))
    assert float(row["gait.psi"]) == 90.0
    assert float(row["step_length_m"]) == pytest.approx(expected["step_length_m"], rel=1e-9)
    assert float(row["lightest_foot"]) == pytest.approx(expected["lightest_foot"], rel=1e-9)


def test_it_is_tuned_to_the_best_of_a_grid(stubby, call):
    code, out, err = call("tune", stubby, "--over", "gait.psi", *SLOW, "--budget", "15", "--json")
    assert code == 0, err
    output = json.loads(out)
    spec = load_robot(stubby)
    grid = [predict(spec, make_gait(spec, None, {"omega": 0.1, "psi": float(psi)})) for psi in range(0, 181, 5)]
    assert output["best_value"] >= 0.99 * max(found["step_length_m"] for found in grid)
    assert f"--robot {stubby}" in output["command"]


def test_missing_equations_are_one_sentence(stubby, call):
    code, out, err = call("tune", stubby, "--gait", "fourier", "--over", "gait.shape")
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert "gait.shape cannot be varied: it is not a number" in err


def test_its_figures_are_drawn(stubby, call, tmp_path):
    code, out, err = call("figures", stubby, "--only", "1,robot", "--out", "drawn", "--json")
    assert code == 0, err
    names = ["fig01.png", "fig01.csv", "robot.png", "robot.csv"]
    assert [Path(file).name for file in json.loads(out)["files"]] == names
    assert (tmp_path / "drawn/fig01.csv").read_text().startswith("phase,distance_mm,on_front")


def test_a_stack_crawls_by_its_equations(long_timeouts, stubby, crawler, tmp_path):
    words = ["run", "--robot", stubby, "--backend", "model", "--lockstep", "--set", "gait.omega=4", "--duration", "9"]
    words += ["--set", "backend.lockstep_timeout=60", "--set", "controller.reference_timeout=60"]
    done = subprocess.run(
        [*crawler, *words, "--json", "--no-picture", "--out", str(tmp_path / "run")],
        capture_output=True,
        text=True,
        timeout=200,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    output = json.loads(done.stdout)
    assert output["step_length_m"] == pytest.approx(output["predicted_step_length_m"], rel=0.01)  # 200 ticks a second
    assert output["step_length_m"] > 0.05
    assert output["prediction"] == "equations"
    assert output["robot"] == "stubby"


@pytest.mark.parametrize("backend", ["mock", "hardware"])
def test_a_stack_is_made_for_its_joints_and_motors(stubby, backend):
    # emulated motors need a robot file that assigns a motor to each joint
    if backend == "hardware":
        with Path(stubby).open("a") as file:
            file.write(
                "\nhardware:\n"
                "  buses: {servos: {kind: dynamixel, port: /dev/ttyUSB0, baud: 1000000}}\n"
                "  joints:\n"
                "    joint_1: {bus: servos, id: 1, model: XM430-W210, direction: 1, zero_deg: 75, velocity: 8.0}\n"
                "    joint_2: {bus: servos, id: 2, model: XM430-W210, direction: -1, zero_deg: 285, velocity: 8.0}\n"
            )
    stack = make_stack(Options(robot=stubby, backend=backend, emulate=backend == "hardware"))
    assert stack.spec.name == "stubby"
    assert all(node.parameters["robot"] == stubby for node in stack.nodes)


def test_invalid_equations_are_one_sentence(stubby, call):
    path = Path(stubby)
    equations = path.read_text()
    for wrong, output in (
        ("no_such_package:MODEL", "cannot be imported"),
        ("stubby_equations.model:MODLE", "has no 'MODLE'"),
        ("stubby_equations.model:SAMPLES", "not a crawler_models.interface.model.Model"),
        ("tree_link", "did you mean 'three_link'"),
    ):
        path.write_text(equations.replace("stubby_equations.model:MODEL", wrong))
        code, out, err = call("model", stubby)
        assert (code, out) == (2, "")
        assert len(err.strip().splitlines()) == 1
        assert output in err

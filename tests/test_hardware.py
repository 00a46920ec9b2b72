"""The hardware backend as a whole: real processes, real bytes through a pseudo-terminal, motors that are emulated."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import yaml
from crawler_interfaces.msg import ContactState, ContactStateArray
from diagnostic_msgs.msg import DiagnosticArray
from hw_robots import three_link_on_a_board
from rclpy.serialization import deserialize_message
from stack_helpers import DEADLINE_S, LOW_RATE_HZ, child_pids, is_alive, wait_for, wait_until_held
from std_srvs.srv import SetBool, Trigger

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from crawler_core.errors import UserError
from crawler_core.parameters import describe
from crawler_core.robot.robot_file import load_robot, robot_names, robots_directory
from crawler_nodes.topics import Topic
from crawler_testing.fixtures.running_stack import RunningStack
from hw_drivers.backend.hardware_map import hardware_map
from hw_drivers.bus.bus_kinds import KINDS

BUSES = {"dynamixel": {}, "board": {"hardware": dict(three_link_on_a_board().section("hardware"))}}
PATIENT = {"patience": 5.0}  # for what is not about silence, on a machine that may be busy

pytestmark = pytest.mark.usefixtures("long_timeouts")  # none of this is about how fast a run or a backend must end


class Motors:
    """An emulated robot in a process of its own, which outlives its driver and reports what it received."""

    def __init__(self, crawler, robot):
        self.process = subprocess.Popen(
            [*crawler, "hw", "emulate", "--json", "--robot", str(robot)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.reports = []
        threading.Thread(target=self._read, daemon=True).start()
        wait_for(lambda: self.latest("ports"))
        (self.port,) = self.latest("ports").values()

    def _read(self):
        for line in self.process.stdout:
            self.reports.append(json.loads(line))

    def latest(self, key):
        return next((line[key] for line in reversed(self.reports) if key in line), None)

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def state(self):
        before = sum("state" in line for line in self.reports)
        self.tell("state")
        wait_for(lambda: sum("state" in line for line in self.reports) > before)
        return self.latest("state")

    def moving(self):
        return any(abs(joint["rate_deg_s"]) > 0.5 for joint in self.state().values())

    def come_to_rest(self, seconds=1.0):
        """Wait until the angles have been the same for so long that no gait would leave them so."""
        seen = [(time.monotonic(), self.state())]

        def resting():
            now, state = time.monotonic(), self.state()
            if any(abs(joint["angle_deg"] - seen[0][1][name]["angle_deg"]) > 0.05 for name, joint in state.items()):
                seen[0] = (now, state)
            return now - seen[0][0] > seconds

        wait_for(resting)

    def torque(self):
        return set((self.latest("torque") or {}).values())


def robot_file(directory, name="three_link", **changes):
    """A robot's directory, copied, with parts of its sections replaced; the path of its robot.yaml."""
    source = load_robot(name).directory
    target = directory / name
    target.mkdir(exist_ok=True)
    for file in (f"{name}.urdf.xacro", f"{name}.rviz"):
        (target / file).write_text((source / file).read_text())
    document = yaml.safe_load((source / "robot.yaml").read_text())
    # timeouts for a busy machine, which delays emulated servos and their driver
    document["hardware"]["buses"]["servos"].update(reply_timeout=0.25, watchdog=2.5)
    # nor is it one that does not follow, and its commands may be late
    document["safety"].update(tracking_time=60.0, relax_after=3600.0)
    for section, values in changes.items():
        document[section].update(values)
    (target / "robot.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    return target / "robot.yaml"


@pytest.fixture
def motors(crawler, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))  # the user may have calibrated a robot
    started = []

    def start(robot):
        started.append(Motors(crawler, robot))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()


class Crawl(RunningStack):
    """A stack on hardware, with its diagnostics and contacts."""

    def __init__(self, robot="three_link", emulate=False, **backend):
        self.diagnostics, self.contacts = [], []
        topics = [
            (Topic("diagnostics", DiagnosticArray), self.keep(self.diagnostics, DiagnosticArray)),
            (Topic("contact_states", ContactStateArray), self.keep(self.contacts, ContactStateArray)),
        ]
        settings = {"rate": LOW_RATE_HZ, **backend}
        super().__init__(
            Options(robot=str(robot), backend="hardware", emulate=emulate, settings={"backend": settings}), topics
        )

    @staticmethod
    def keep(kept, kind):
        return lambda data, _info: kept.append(deserialize_message(data, kind))

    def wait_until_held(self, condition):
        wait_until_held(self, condition)

    def motion(self):
        return self.log.status.backend.get("motion", "")

    def trigger(self, name):
        return self.call(Trigger, f"backend/{name}", Trigger.Request())

    def enable(self):
        return self.call(SetBool, "backend/enable", SetBool.Request(data=True))


def test_emulated_motors_crawl_end_to_end(tmp_path):
    with Crawl(robot_file(tmp_path), emulate=True, **PATIENT) as stack:
        stack.wait_until_held(lambda: stack.log.base.distance > 0.02)
        modes = {contact.mode for message in stack.contacts for contact in message.contacts}
        assert modes - {ContactState.UNKNOWN}  # the model's contacts, under motors that lag
        stack.wait_until_held(lambda: float(stack.log.status.backend.get("joint_2.temperature", 0)) == 31.0)
        assert stack.motion() == "active"


@pytest.mark.exhaustive  # two servos crawl end to end in every run
def test_the_snakes_seven_emulated_servos_crawl(tmp_path):
    with Crawl(robot_file(tmp_path, "snake"), emulate=True, **PATIENT) as stack:
        stack.wait_until_held(lambda: stack.log.base.distance > 0.05)
        seen = {contact.foot for message in stack.contacts for contact in message.contacts}
        assert seen == {f"foot_{i}" for i in range(9)}
        stack.wait_until_held(lambda: float(stack.log.status.backend.get("joint_7.temperature", 0)) == 31.0)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"backend": "mock", "emulate": True}, "emulate is about motors"),
        ({"backend": "hardware", "settings": {"backend": {"fail": "dead"}}}, "there is no parameter 'backend.fail'"),
        ({"backend": "hardware", "emulate": True, "settings": {"backend": {"port": "/dev/x"}}}, "there is no param"),
    ],
)
def test_options_of_emulated_and_of_real_motors_do_not_mix(chosen, words):
    with pytest.raises(UserError, match=words):
        make_stack(Options(**chosen))


def rearm(stack, bench):
    assert not stack.enable().success  # a stop latches
    stack.wait_until_held(lambda: stack.trigger("reset").success)
    assert bench.torque() == {False}
    assert stack.enable().success
    stack.wait_until_held(lambda: stack.motion() == "active" and bench.torque() == {True})
    stack.wait_until_held(bench.moving)


def until_it_is_a_fault(stack, bench, failure, words):
    """Let motors fail until that has stopped the robot: so does a busy machine that misses ticks for a second."""
    for _ in range(5):
        bench.tell(failure)
        stack.wait_until_held(lambda: stack.motion() == "faulted" and bench.torque() == {False})
        if words in stack.log.status.warnings["backend"]:
            return
        bench.tell("none")
        bench.state()
        rearm(stack, bench)


# the conformance suite tests the stops of a board without a stack in every run
@pytest.mark.parametrize("kind", ["dynamixel", pytest.param("board", marks=pytest.mark.exhaustive)])
def test_every_stop_takes_the_torque_off_and_needs_a_reset_and_an_enable(motors, crawler, tmp_path, kind):
    robot = robot_file(tmp_path, **BUSES[kind])
    bench = motors(robot)
    with Crawl(robot, port=bench.port, patience=3.0) as stack:
        stack.wait_until_held(bench.moving)

        done = hw(crawler, "estop", "--robot", str(robot), "--port", bench.port)  # the run has the port
        assert done.returncode == 0, done.stderr
        stack.wait_until_held(lambda: stack.motion() == "e-stopped" and bench.torque() == {False})
        rearm(stack, bench)

        silent = "joint_2" if kind == "dynamixel" else "joint_1"  # on a board all joints are: the first is named
        until_it_is_a_fault(stack, bench, "dead joint_2", silent)
        assert stack.log.status.backend["joint"] == silent, stack.log.status.warnings
        assert f"power of {silent}" in stack.log.status.backend["remedy"]
        bench.tell("none")
        bench.state()
        rearm(stack, bench)

        bench.tell("gone")
        stack.wait_until_held(lambda: stack.motion() == "faulted")
        stack.wait_until_held(lambda: "is gone" in stack.log.status.warnings["backend"])
        assert not stack.trigger("reset").success
        bench.tell("none")
        stack.wait_until_held(lambda: bench.torque() == {False})  # as soon as the servos answer again
        assert stack.motion() == "faulted"
        rearm(stack, bench)


def test_a_board_that_restarts_in_a_run_is_a_fault_and_moves_nothing_until_its_zeros_are_known_again(motors, tmp_path):
    robot = robot_file(tmp_path, **BUSES["board"])
    bench = motors(robot)
    with Crawl(robot, port=bench.port, **PATIENT) as stack:
        stack.wait_until_held(bench.moving)
        until_it_is_a_fault(stack, bench, "reboot", "has restarted")
        assert "has restarted" in stack.log.status.warnings["backend"]
        answer = stack.trigger("reset")
        assert not answer.success
        assert "has not found the index of joint_1" in answer.message
        bench.tell("none")  # both are turned past their index
        bench.state()
        rearm(stack, bench)


def test_without_the_controller_the_torque_goes_off_on_the_wire(motors, tmp_path):
    robot = robot_file(tmp_path, safety={"relax_after": 2.0})
    bench = motors(robot)
    with Crawl(robot, port=bench.port, **PATIENT) as stack:
        stack.wait_until_held(bench.moving)
        stack.expected_to_end.add("controller")
        stack.processes.children["controller"].kill()
        stack.wait_until_held(lambda: stack.motion() == "relaxed")
        stack.wait_until_held(lambda: bench.torque() == {False})


@pytest.mark.parametrize("kind", ["dynamixel", pytest.param("board", marks=pytest.mark.exhaustive)])
def test_without_the_backend_the_motors_own_watchdog_stops_them(motors, tmp_path, kind):
    robot = robot_file(tmp_path, **BUSES[kind])
    bench = motors(robot)
    with Crawl(robot, port=bench.port, **PATIENT) as stack:
        stack.wait_until_held(bench.moving)
        stack.expected_to_end.add("backend")
        stack.processes.children["backend"].kill()
        if kind == "board":
            wait_for(lambda: bench.torque() == {False})
            return
        bench.come_to_rest()
        assert bench.torque() == {True}  # they stop where they are: the X series cannot let go by itself


@pytest.mark.parametrize(
    ("number", "on_exit"),
    [
        (signal.SIGINT, "rest_then_release"),
        pytest.param(signal.SIGKILL, "rest_then_release", marks=pytest.mark.exhaustive),
        pytest.param(signal.SIGTERM, "hold", marks=pytest.mark.exhaustive),
    ],
)
def test_every_end_of_the_run_leaves_the_torque_as_configured(motors, crawler, tmp_path, number, on_exit):
    robot = robot_file(tmp_path, safety={"on_exit": on_exit})
    bench = motors(robot)
    settings = ["--set", f"backend.port={bench.port}", "--set", "backend.patience=5.0"]
    process = subprocess.Popen(
        [*crawler, "run", "--robot", str(robot), "--backend", "hardware", "--duration", "0", *settings]
        + ["--no-picture", "--out", str(tmp_path / "run")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: bench.torque() == {True} and bench.moving())
    nodes = child_pids(process.pid)
    os.kill(process.pid, number)
    _, errors = process.communicate(timeout=DEADLINE_S)
    wait_for(lambda: not any(is_alive(pid) for pid in nodes))  # the stack of the next test would be a second one
    if on_exit == "hold":
        bench.come_to_rest()
        assert bench.torque() == {True}
        # nothing holds the port any more: the next test may use it
        assert hw(crawler, "estop", "--robot", str(robot), "--port", bench.port).returncode == 0
    wait_for(lambda: bench.torque() == {False})
    assert "Traceback" not in errors
    log = tmp_path / "run" / "logs" / "backend.log"
    assert "Traceback" not in log.read_text()


def test_after_a_fault_the_run_lasts_until_motors_that_did_not_read_have_lost_their_torque(motors, crawler, tmp_path):
    robot = robot_file(tmp_path)
    bench = motors(robot)
    process = subprocess.Popen(
        [*crawler, "run", "--robot", str(robot), "--backend", "hardware", "--duration", "0", "--json", "--no-picture"]
        + ["--set", f"backend.port={bench.port}", "--set", "backend.patience=5.0", "--out", str(tmp_path / "run")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: bench.torque() == {True} and bench.moving())
    bench.tell("gone")
    assert any("Trying on for 10 s." in line for line in process.stderr)
    assert bench.torque() == {True}
    bench.tell("none")
    wait_for(lambda: bench.torque() == {False})
    out, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 1
    assert "is gone" in json.loads(out)["fault"]
    assert "Traceback" not in errors


def hw(crawler, *arguments, **more):
    return subprocess.run([*crawler, "hw", *arguments], capture_output=True, text=True, timeout=200, **more)


def test_a_robot_that_is_not_as_its_file_says_is_refused_in_one_sentence_before_torque(motors, crawler, tmp_path):
    bench = motors("three_link")
    hardware = json.loads(json.dumps(load_robot("three_link").document["hardware"]))
    hardware["joints"]["joint_2"]["id"] = 7
    hardware["buses"]["servos"]["reply_timeout"] = 0.25
    robot = robot_file(tmp_path, hardware=hardware)
    arguments = ["run", "--robot", str(robot), "--backend", "hardware", "--set", f"backend.port={bench.port}"]
    done = subprocess.run(
        [*crawler, *arguments, "--out", str(tmp_path / "run")], capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 2
    *_, last = done.stderr.splitlines()
    assert last.startswith("crawler: the servo of joint_2, id 7, does not answer")
    assert last.endswith("there are ids 1, 2: set its id, or hardware.joints.joint_2.id.")
    assert True not in bench.torque()


def test_a_port_that_is_not_there_is_refused_in_one_sentence(crawler, tmp_path):
    port = str(tmp_path / "ttyNothing")
    for arguments in (
        ["hw", "monitor", "--port", port],
        ["run", "--backend", "hardware", "--set", f"backend.port={port}", "--out", str(tmp_path / "run")],
    ):
        done = subprocess.run([*crawler, *arguments], capture_output=True, text=True, timeout=200)
        assert done.returncode == 2
        assert done.stderr.splitlines()[-1].startswith(f"crawler: there is no port {port}: ")
        assert "Traceback" not in done.stderr


@pytest.fixture
def hw_on(call, monkeypatch):
    """The command hw on the motors of a bench, in this process, with what is `typed`: exit code, stdout, stderr."""

    def on(robot, bench):
        def hw(action, *more, typed=""):
            monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
            return call("hw", action, "--robot", str(robot), "--port", bench.port, *more)

        return hw

    return on


@pytest.mark.exhaustive  # the drivers' tests search for an index in every run, in virtual time
def test_the_hw_command_finds_a_cranks_index_on_its_board_moves_it_and_lets_it_go(motors, hw_on, tmp_path):
    shutil.copytree(robots_directory() / "bolt", tmp_path / "bolt")
    file = tmp_path / "bolt" / "robot.yaml"
    document = yaml.safe_load(file.read_text())
    document["hardware"]["buses"]["board"] |= {"watchdog": 1.0, "reply_timeout": 0.25}
    document["safety"]["approach_velocity"] = 3.0
    file.write_text(yaml.safe_dump(document, sort_keys=False))
    home = document["parameters"]["start_crank"]["value"]
    bench = motors(file)
    hw = hw_on(file, bench)
    (found,) = json.loads(hw("scan", "--json")[1])["devices"]
    assert (found["id"], found["joint"], found["model"]) == (0, "crank", "emulated")
    bench.tell("reboot")
    bench.state()
    code, _, err = hw("jog", "--joint", "crank", "--by", "20")
    assert code == 2
    assert "has not found the index of crank since it started: run 'crawler hw home'" in err
    code, out, err = hw("home", "--speed", "150")
    assert code == 0, err
    assert "crank: its zero was not known, and is found" in out
    (angle,) = re.findall(r"crank is at (\S+) degrees", out)
    # its friction holds it off by 0.4 degrees; without torque the weight of the leg moves it
    assert float(angle) == pytest.approx(home, abs=1.5)
    wait_for(lambda: bench.torque() == {False})
    hangs = home + 140.0  # about where the leg hangs without torque
    code, out, err = hw("jog", "--joint", "crank", "--to", f"{hangs}", "--speed", "150", "--json")
    assert code == 0, err
    assert json.loads(out)["joints"]["crank"]["angle_deg"] == pytest.approx(hangs, abs=1.5)
    bench.come_to_rest()
    code, _, err = hw("calibrate", typed="\n")
    assert code == 0, err
    seen = json.loads(hw("monitor", "--json")[1])["joints"]["crank"]
    assert seen["angle_deg"] == pytest.approx(home, abs=1.0)  # who sets it so says that it stands there
    assert hw("estop")[0] == 0


def test_the_hw_command_finds_moves_calibrates_and_stops(motors, hw_on, tmp_path):
    robot = robot_file(tmp_path)
    bench = motors(robot)
    hw = hw_on(robot, bench)
    found = json.loads(hw("scan", "--json")[1])["devices"]
    assert [(one["id"], one["joint"], one["model"]) for one in found] == [
        (1, "joint_1", "XM430-W210"),
        (2, "joint_2", "XM430-W210"),
    ]
    assert hw("jog", "--joint", "joint_1", "--by", "5", "--speed", "50")[0] == 0
    wait_for(lambda: {True} in [set(line["torque"].values()) for line in bench.reports if "torque" in line])
    wait_for(lambda: bench.torque() == {False})
    state = bench.state()
    assert state["joint_1"]["angle_deg"] == pytest.approx(115.0, abs=0.2)
    assert state["joint_2"]["angle_deg"] == pytest.approx(110.0, abs=0.2)

    # joint_1 stands 5 degrees beyond its home: who says that this is its home has a horn that is mounted so
    code, out, err = hw("calibrate", "--json", typed="\n\n")
    assert code == 0, err
    assert json.loads(out)["zero_deg"] == pytest.approx({"joint_1": 75.0, "joint_2": 290.0}, abs=0.2)
    seen = json.loads(hw("monitor", "--json")[1])["joints"]
    assert seen["joint_1"]["angle_deg"] == pytest.approx(110.0, abs=0.2)
    assert hw("calibrate", typed="\n")[0] == 2  # the input ended before the second joint

    bench.tell("dead joint_2")
    bench.state()
    code, _, err = hw("scan")
    assert code == 1
    assert "the motor of joint_2, id 2 on 'servos', does not answer" in err


@pytest.mark.parametrize("robot", robot_names())
def test_every_robots_hardware_section_is_sound(robot):
    spec = load_robot(robot)
    if spec.section("hardware"):
        joints = [joint.joint for bus in hardware_map(spec) for joint in bus.joints]
        assert sorted(joints) == sorted(spec.actuated_names)


def test_the_robot_files_example_in_the_documentation_is_the_robots_own():
    text = Path(__file__).parents[1].joinpath("docs/hardware.md").read_text()
    example = yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])
    assert example["hardware"] == load_robot("three_link").section("hardware")


def test_the_documentations_joint_that_is_driven_by_effort_is_one_of_a_robot_that_runs():
    root = Path(__file__).parents[1]
    example = yaml.safe_load((root / "docs/hardware.md").read_text().split("```yaml\n")[2].split("```")[0])
    (file,) = root.glob("src/*/test/robots/gymnast/robot.yaml")
    robot = load_robot(str(file)).document
    assert example["joints"]["flywheel"].items() <= robot["joints"]["flywheel"].items()
    assert example["hardware"]["buses"] == robot["hardware"]["buses"]
    assert example["hardware"]["joints"]["flywheel"] == robot["hardware"]["joints"]["flywheel"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_a_bus_and_its_joints_is_documented_with_its_default(kind):
    text = Path(__file__).parents[1].joinpath("docs/hardware.md").read_text()
    _, _, section = text.partition(f"### Kind `{kind}`")
    rows = [line for line in section.partition("\n#")[0].splitlines() if line.startswith("| `")]
    made = KINDS[kind]
    for info in (*describe(made.bus_settings), *describe(made.joint_settings)):
        (row,) = [row for row in rows if f"`{info.name}`" in row.split("|")[1]]
        names, defaults = (cell.split(", ") for cell in (row.split("|")[1].strip(), row.split("|")[2].strip()))
        reports = defaults[names.index(f"`{info.name}`")] if len(names) == len(defaults) else defaults[0]
        if not reports:
            continue  # it has to be given
        if info.type in (int, float):
            assert float(int(reports, 0) if reports.startswith("0x") else reports) == info.default, info.name
        elif info.type is str:
            assert reports.strip("`") == info.default, info.name


def test_servos_that_tell_no_angle_are_not_calibrated(crawler, tmp_path):
    robot = tmp_path / "robot"
    shutil.copytree(robots_directory() / "three_link", robot)
    file = robot / "robot.yaml"
    document = yaml.safe_load(file.read_text())
    joint = {"bus": "pwm", "zero_deg": -110, "rest_deg": 110}
    document["hardware"] = {
        "buses": {"pwm": {"kind": "pca9685"}},
        "joints": {"joint_1": {**joint, "id": 0}, "joint_2": {**joint, "id": 1}},
    }
    file.write_text(yaml.safe_dump(document))
    done = hw(crawler, "calibrate", "--robot", str(file), "--emulate", "--calibration", str(tmp_path / "zeros.yaml"))
    assert done.returncode == 2
    assert "joint_1 cannot be calibrated" in done.stderr
    assert not (tmp_path / "zeros.yaml").exists()

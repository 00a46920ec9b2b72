"""The front door: what it decides to do, and what it says where it cannot. Nothing is downloaded here."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "setup"))

from bootstrap import digest, environment, interpreter, machine, packages, plan, stamps, testing, workspace  # noqa: E402
from bootstrap.errors import SetupError  # noqa: E402
from bootstrap.layout import Layout  # noqa: E402
from bootstrap.progress import Step  # noqa: E402
from bootstrap.ros_install import RosInstall, sourced_ros  # noqa: E402

PYTHON = f"python3.{sys.version_info.minor}"

DEBIAN = 'ID=debian\nVERSION_ID="12"\n'
MINT = 'ID=linuxmint\nID_LIKE="ubuntu debian"\n'
FEDORA = "ID=fedora\n"


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The front door, its lists, and two small packages."""
    root = tmp_path / "checkout"
    root.mkdir()
    for name in ("crawler", "colcon.meta"):
        shutil.copy2(ROOT / name, root / name)
    for name in ("setup", "requirements"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (
        "package.xml",
        "setup.py",
        "alpha/__init__.py",
        "alpha/one.py",
        "launch/a.launch.py",
        "test/test_one.py",
    ):
        write(root / "src" / "alpha" / name)
    for name in ("package.xml", "CMakeLists.txt", "msg/Beta.msg"):
        write(root / "compat" / "beta" / name)
    return root


@pytest.fixture
def finished(checkout: Path) -> Layout:
    """The same, looking as if its set-up had just ended."""
    layout = Layout(checkout, ros=None)
    done, kept = plan.make(layout), stamps.Stamps(layout.stamps)
    write(layout.python).chmod(0o755)
    write(layout.environment, '{"prepend": {}, "set": {}}')
    kept.finish("venv", done.venv)
    kept.finish("packages", done.packages)
    for name, value in done.built.items():
        kept.finish(f"built-{name}", value)
        (layout.build / name).mkdir(parents=True)
        (layout.install / name).mkdir(parents=True)
    kept.finish("environment", done.environment)
    return layout


def todo(layout: Layout, extra: str = "") -> list[str]:
    return plan.make(layout, extra).todo()


# --- what there is to do


def test_a_fresh_checkout_needs_every_step(checkout: Path) -> None:
    layout = Layout(checkout, ros=None)
    assert todo(layout) == ["venv", "packages", "workspace", "environment"]
    assert todo(layout, "dev") == ["venv", "packages", "dev", "workspace", "environment"]


def test_a_finished_set_up_needs_nothing_and_the_tests_only_their_tools(finished: Layout) -> None:
    assert todo(finished) == []
    assert todo(finished, "dev") == ["dev"]


def test_the_documentation_needs_its_own_tools_alone(finished: Layout) -> None:
    assert todo(finished, "docs") == ["docs"]


def test_editing_or_adding_modules_and_tests_builds_nothing(finished: Layout) -> None:
    package = finished.root / "src" / "alpha"
    write(package / "alpha" / "one.py", "changed = True")
    write(package / "alpha" / "two.py")
    write(package / "test" / "test_two.py")
    write(package / "alpha" / "__pycache__" / "one.cpython-311.pyc")
    assert todo(finished) == []


@pytest.mark.parametrize(
    "change", ["src/alpha/launch/b.launch.py", "src/alpha/alpha/sub/__init__.py", "src/gamma/package.xml"]
)
def test_a_new_data_file_subpackage_or_package_is_built(finished: Layout, change: str) -> None:
    write(finished.root / change)
    assert todo(finished) == ["workspace", "environment"]


@pytest.mark.parametrize(
    "change", ["src/alpha/setup.py", "src/alpha/package.xml", "compat/beta/msg/Beta.msg", "colcon.meta"]
)
def test_a_changed_build_file_is_built(finished: Layout, change: str) -> None:
    write(finished.root / change, "changed")
    assert todo(finished) == ["workspace", "environment"]


@pytest.mark.parametrize("folder", ["build", "install/alpha"])
def test_a_deleted_folder_is_built_again(finished: Layout, folder: str) -> None:
    shutil.rmtree(finished.home / folder)
    assert todo(finished) == ["workspace", "environment"]


def test_an_unfinished_build_is_repeated_with_unchanged_sources(
    finished: Layout,
) -> None:
    stamps.Stamps(finished.stamps).finish(f"{workspace.STARTED}alpha", "")
    assert todo(finished) == ["workspace", "environment"]


def test_a_deleted_package_leaves_the_environment(finished: Layout) -> None:
    shutil.rmtree(finished.root / "compat" / "beta")
    assert todo(finished) == ["workspace", "environment"]


def test_only_the_changed_package_counts_as_outdated(finished: Layout) -> None:
    before = plan.make(finished).built
    write(finished.root / "compat" / "beta" / "msg" / "Beta.msg", "float64 x")
    after = plan.make(finished).built
    assert before["alpha"] == after["alpha"]
    assert before["beta"] != after["beta"]


@pytest.mark.parametrize("name", ["ros", "app", "build", "lock"])
def test_a_changed_requirement_is_installed_and_built_upon(finished: Layout, name: str) -> None:
    write(finished.root / "requirements" / f"{name}.txt", "numpy==1.0")
    assert todo(finished) == ["packages", "workspace", "environment"]


def test_a_moved_checkout_starts_over_since_environments_hold_absolute_paths(finished: Layout) -> None:
    moved = finished.root.rename(finished.root.with_name("elsewhere"))
    assert todo(Layout(moved, ros=None))[0] == "venv"


def test_an_environment_whose_python_is_gone_starts_over(finished: Layout) -> None:
    finished.python.unlink()
    assert todo(finished)[0] == "venv"


def test_a_stamp_cut_short_does_not_count(finished: Layout) -> None:
    stamp = finished.stamps / "packages"
    stamp.write_text(stamp.read_text(encoding="utf-8")[:10], encoding="utf-8")
    assert "packages" in todo(finished)


def test_every_test_module_is_run_once() -> None:
    words = [word for word in testing.every_test(Layout(ROOT, ros=None), []) if word.endswith(".py")]
    there = [path.relative_to(ROOT) for top in ("src", "tests") for path in (ROOT / top).rglob("test_*.py")]
    assert sorted(map(Path, words)) == sorted(there)


def test_names_and_contents_cannot_be_confused() -> None:
    assert digest.of_texts("ab", "c") != digest.of_texts("a", "bc")


def test_pip_repeats_an_unfinished_installation(checkout: Path) -> None:
    layout = Layout(checkout, ros=None)
    site = layout.venv / "lib" / "python3.11" / "site-packages"
    write(site / "whole-1.0.dist-info" / "RECORD")
    write(site / "half-1.0.dist-info" / "METADATA")
    write(site / "~ld-1.0.dist-info" / "METADATA")
    packages.forget_half_installed(layout)
    assert [p.name for p in site.iterdir()] == ["whole-1.0.dist-info"]


# --- which ROS 2


def ros_prefix(path: Path) -> Path:
    write(path / "share" / "ament_index" / "resource_index" / "packages" / "rclpy")
    return path


def test_a_sourced_install_is_used_and_gets_a_folder_of_its_own(checkout: Path, tmp_path: Path) -> None:
    overlay, ros = tmp_path / "overlay", ros_prefix(tmp_path / "ros")
    found = sourced_ros({"ROS_DISTRO": "kilted", "AMENT_PREFIX_PATH": f"{overlay}:{ros}"}, checkout)
    assert found is not None
    assert found.prefix == ros
    assert Layout(checkout, found).home == checkout / ".crawler" / "ros-kilted"


def test_compat_packages_are_never_built_on_a_ros_install(checkout: Path, tmp_path: Path) -> None:
    ros = ros_prefix(tmp_path / "ros")
    found = sourced_ros({"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": str(ros)}, checkout)
    assert [p.name for p in Layout(checkout, found).package_dirs()] == ["alpha"]
    assert [p.name for p in Layout(checkout, None).package_dirs()] == ["beta", "alpha"]


def test_no_install_counts_without_rclpy_or_when_it_is_our_own(checkout: Path, tmp_path: Path) -> None:
    own = ros_prefix(checkout / ".crawler" / "venv")
    for env in (
        {},
        {"ROS_DISTRO": "jazzy"},
        {"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": str(tmp_path)},
        {"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": str(own)},
        {"AMENT_PREFIX_PATH": str(ros_prefix(tmp_path / "ros"))},
    ):
        assert sourced_ros(env, checkout) is None


def test_an_install_older_than_jazzy_is_refused_by_name(checkout: Path, tmp_path: Path) -> None:
    env = {"ROS_DISTRO": "humble", "AMENT_PREFIX_PATH": str(ros_prefix(tmp_path / "ros"))}
    with pytest.raises(SetupError, match=r"humble is sourced.*jazzy or newer"):
        sourced_ros(env, checkout)


def test_the_installs_own_python_version_is_taken_though_another_comes_first(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ros = ros_prefix(tmp_path / "ros")
    (ros / "lib" / "python3.12" / "site-packages" / "rclpy").mkdir(parents=True)
    for name, minor in (("python3", 11), ("python3.12", 12)):
        fields = f'"path": "/bin/{name}", "base": "/bin/{name}", "version": [3, {minor}]'
        answer = f'{{{fields}, "headers": true, "venv": true, "rclpy": true}}'
        write(tmp_path / "bin" / name, f"#!/bin/sh\necho '{answer}'\n").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    found = sourced_ros({"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": str(ros)}, checkout)
    assert found is not None
    assert interpreter.find_ros(found).version == (3, 12)
    shutil.rmtree(ros / "lib")
    (ros / "lib" / "python3.13" / "site-packages" / "rclpy").mkdir(parents=True)
    with pytest.raises(SetupError, match=r"none of the Pythons on the PATH \(python3.13, python3\)"):
        interpreter.find_ros(found)


# --- what the stack starts with


def test_nodes_stay_on_this_machine_unless_the_user_decided_otherwise(finished: Layout) -> None:
    assert environment.for_start(finished, {})["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    chosen = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}
    assert environment.for_start(finished, chosen)["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SUBNET"


def test_what_python_compiled_is_kept_where_a_container_says_otherwise(finished: Layout) -> None:
    assert "PYTHONDONTWRITEBYTECODE" not in environment.for_start(finished, {"PYTHONDONTWRITEBYTECODE": "1"})


def test_starting_from_inside_the_environment_changes_it_no_further(finished: Layout) -> None:
    write(finished.environment, '{"prepend": {"PATH": "/e/bin", "LD_LIBRARY_PATH": "/e/lib:/e/x"}, "set": {"A": "1"}}')
    once = environment.for_start(finished, {"PATH": "/usr/bin", "PYTHONPATH": "/foreign"})
    assert once["PATH"] == "/e/bin:/usr/bin"
    assert "PYTHONPATH" not in once
    assert environment.for_start(finished, once) == once


# --- error messages


@pytest.mark.parametrize(
    ("os_release", "command"),
    [
        (DEBIAN, "sudo apt install g++ cmake python3.11-dev"),
        (MINT, "sudo apt install g++ cmake python3.11-dev"),
        (FEDORA, "sudo dnf install gcc-c++ cmake python3.11-devel"),
    ],
)
def test_everything_missing_is_named_at_once_with_its_command(os_release: str, command: str) -> None:
    sentence = machine.missing_sentence([machine.COMPILER, machine.CMAKE, machine.HEADERS], "python3.11", os_release)
    assert "lacks a C++ compiler, cmake and python3.11's header files" in sentence
    assert sentence.endswith(command)


def test_pips_output_becomes_a_sentence_with_the_log_named(tmp_path: Path) -> None:
    full = write(
        tmp_path / "full.log", "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    )
    assert "The disk is full" in str(packages.pip_error(full))
    none = write(tmp_path / "none.log", "ERROR: No matching distribution found for pybullet==3.2.7\n")
    assert isinstance(packages.pip_error(none), packages.NoSuchPackage)
    assert str(none) in str(packages.pip_error(none))


def tools(folder: Path, *names: str) -> dict[str, str]:
    """An environment whose PATH has a shell, the real Python and what is in `names`, only."""
    folder.mkdir()
    for name in ("sh", "cat", "readlink", "bash", *names):
        real = getattr(sys, "_base_executable", sys.executable) if name == PYTHON else shutil.which(name)
        if real:
            (folder / name).symlink_to(real)
    return {"PATH": str(folder), "HOME": str(folder), "LC_ALL": "C.UTF-8"}


def crawler(root: Path, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [root / "crawler", *arguments], env=env, capture_output=True, text=True, timeout=200, check=False
    )


def test_help_needs_no_set_up_and_no_python(checkout: Path, tmp_path: Path) -> None:
    env = tools(tmp_path / "bin")
    for arguments in ([], ["help"], ["--help"]):
        done = crawler(checkout, env, *arguments)
        assert done.returncode == 0
        assert all(f"\n  {name} " in done.stdout for name in ("run", "model", "test", "doctor", "bench", "setup"))
    assert not (checkout / ".crawler").exists()


def test_without_python_the_error_names_the_version_and_the_command(checkout: Path, tmp_path: Path) -> None:
    done = crawler(checkout, tools(tmp_path / "bin"), "run")
    assert done.returncode == 2
    assert "No CPython from 3.11 to 3.13 was found" in done.stderr
    assert "sudo apt install python3 python3-venv python3-dev" in done.stderr


def test_a_link_to_the_command_works_from_anywhere(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("checkout/crawler")
    done = subprocess.run([tmp_path / "link", "help"], cwd="/", capture_output=True, text=True, check=False)
    assert done.stdout.startswith("Usage: ./crawler")


needs_a_private_python = pytest.mark.skipif(
    sys.version_info[:2] not in interpreter.PRIVATE_VERSIONS, reason="a private environment cannot be of this Python"
)


@needs_a_private_python
def test_without_compiler_and_cmake_the_error_names_both(checkout: Path, tmp_path: Path) -> None:
    done = crawler(checkout, tools(tmp_path / "bin", PYTHON, "make"), "run")
    assert done.returncode == 2
    assert "lacks a C++ compiler and cmake" in done.stderr
    assert not (checkout / ".crawler" / "venv").exists()


@pytest.mark.exhaustive  # pip tries for ten seconds
@needs_a_private_python
def test_no_network_is_one_sentence_and_the_log_is_kept(checkout: Path, tmp_path: Path) -> None:
    env = tools(tmp_path / "bin", PYTHON, "make", "cmake", "g++")
    env |= {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1"}
    done = crawler(checkout, env, "run")
    assert done.returncode == 3
    assert "the package index cannot be reached" in done.stderr
    assert len(done.stderr.splitlines()) < 10
    assert (checkout / ".crawler" / "log" / "pip-ros.log").is_file()
    assert todo(Layout(checkout, ros=None))[0] == "packages"  # and the next start goes on from there


def test_a_path_that_the_build_tools_would_cut_in_two_is_refused(checkout: Path) -> None:
    spaced = checkout.rename(checkout.with_name("my robots"))
    done = crawler(spaced, dict(os.environ), "run")
    assert done.returncode == 2
    assert "has a ' ' in it" in done.stderr
    assert not (spaced / ".crawler").exists()


def test_python_is_that_of_the_environment_with_what_the_workspace_sets(finished: Layout) -> None:
    finished.environment.write_text('{"prepend": {}, "set": {"OF_THE_WORKSPACE": "there"}}')
    write(finished.python, '#!/bin/sh\necho "$OF_THE_WORKSPACE $*"\nexit 7\n')
    done = crawler(finished.root, dict(os.environ), "python", "-c", "a b", "--json")
    assert (done.stdout, done.returncode) == ("there -c a b --json\n", 7)


def test_an_unknown_option_of_setup_is_refused(checkout: Path) -> None:
    done = crawler(checkout, dict(os.environ), "setup", "--claen")
    assert done.returncode == 2
    assert "--claen" in done.stderr


def test_clean_removes_what_was_set_up_and_nothing_else(finished: Layout) -> None:
    done = crawler(finished.root, dict(os.environ), "setup", "--clean")
    assert done.returncode == 0
    assert not finished.crawler.exists()
    assert (finished.root / "src" / "alpha" / "package.xml").is_file()


def test_clean_does_not_follow_a_link_out_of_the_checkout(checkout: Path, tmp_path: Path) -> None:
    precious = write(tmp_path / "elsewhere" / "precious")
    (checkout / ".crawler").symlink_to(precious.parent)
    assert crawler(checkout, dict(os.environ), "setup", "--clean").returncode == 2
    assert precious.is_file()


# --- one at a time

HOLDER = """
import subprocess, sys, time
sys.path.insert(0, sys.argv[1] + "/setup")
from pathlib import Path
from bootstrap import lock
root = Path(sys.argv[1])
with lock.only_one(root):
    subprocess.Popen(["sleep", "300"], env={"PATH": "/usr/bin:/bin", lock.MARK: str(root)}, start_new_session=True)
    print("holding", flush=True)
    time.sleep(300)
"""


@pytest.fixture
def holder(checkout: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, checkout], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "holding\n"
    yield process
    process.kill()
    process.wait()


def running_for(root: Path) -> int:
    mark, count = f"CRAWLER_SETUP_OF={root}".encode(), 0
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            count += mark in environ.read_bytes().split(b"\0")
        except OSError:
            continue
    return count


def test_a_second_start_waits_and_clears_up_after_one_that_was_killed(
    checkout: Path, holder: subprocess.Popen[str]
) -> None:
    waiting = subprocess.Popen([checkout / "crawler", "setup", "--clean"], stderr=subprocess.PIPE, text=True)
    assert waiting.stderr is not None
    assert "Waiting for it to finish" in waiting.stderr.readline()
    assert waiting.poll() is None
    assert running_for(checkout) == 1
    holder.send_signal(signal.SIGKILL)
    assert waiting.wait(timeout=60) == 0
    waiting.stderr.close()
    deadline = time.monotonic() + 60
    while running_for(checkout) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert running_for(checkout) == 0


# --- the lists


def pins_of(name: str) -> dict[str, str]:
    """The exact version of each package of a list, for whichever Python it is."""
    lines = [line.split(";")[0].strip() for line in packages.read_pins(ROOT / "requirements" / f"{name}.txt")]
    return {packages.canonical(package): version for package, version in (line.split("==") for line in lines)}


def test_every_pin_is_exact_and_agrees_with_the_lock() -> None:
    lock = pins_of("lock")
    for name in ("ros", "build", "app", "dev", "docs"):
        for package, version in pins_of(name).items():
            assert lock[package] == version


def read_ranges() -> dict[str, list[tuple[str, str]]]:
    """requirements/ros2_install.txt: the bounds of each package."""
    lines = [line.split(";")[0] for line in packages.read_pins(ROOT / "requirements/ros2_install.txt")]
    return {packages.name_of(line): re.findall(r"([<>=!]=?)\s*([\d.]+)", line) for line in lines}


def test_the_ranges_for_a_ros_install_hold_every_pin_of_a_private_environment() -> None:
    pins = pins_of("app")
    ranges = read_ranges()
    assert set(pins) == set(ranges)
    for name, version in pins.items():
        for sign, bound in ranges[name]:
            assert sign == ">=", name
            assert [int(part) for part in version.split(".")] >= [int(part) for part in bound.split(".")], name


def test_a_ros_install_keeps_what_it_has_and_gets_what_it_lacks(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """numpy above all: its compiled messages were made for the numpy that is there."""
    layout = Layout(checkout, ros=RosInstall("jazzy", checkout / "ros", (checkout / "ros",)))
    layout.home.mkdir(parents=True)
    there = {"numpy": "1.26.4", "pyyaml": "6.0.1", "setuptools": "68.1.2"}
    monkeypatch.setattr(packages, "_installed", lambda _: dict(there))
    asked: list[str] = []
    monkeypatch.setattr(packages, "_pip", lambda _layout, what, *_: asked.extend(what))
    lists = layout.requirements("ros2_install", "build")
    packages.install_lacking(layout, lists, "pip", Step(1, 1, "test"))
    wanted = {packages.name_of(part) for part in asked if not part.startswith(("-", "/"))}
    assert wanted == (set(read_ranges()) | {"colcon-common-extensions", "catkin-pkg"}) - set(there)
    kept = (layout.home / "present.txt").read_text().split()
    assert kept == [f"{name}=={version}" for name, version in sorted(there.items())]
    assert asked[asked.index("-c") + 1] == str(layout.home / "present.txt")


def test_the_lists_name_no_index_and_no_file() -> None:
    for file in (ROOT / "requirements").glob("*.txt"):
        lines = packages.read_pins(file)
        assert not [line for line in lines if line.startswith("-") or "/" in line or "@" in line]

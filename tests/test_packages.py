"""Every package.xml names the real dependencies, and packages import those that the architecture page allows."""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from crawler_cli import doctor_checks

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {file.parent.name: file.parent for file in sorted(ROOT.glob("*/*/package.xml"))}
OURS = {name for name, folder in FOLDERS.items() if folder.parent.name == "src"}
PYTHON_PACKAGES = sorted(name for name in OURS if (FOLDERS[name] / "setup.py").is_file())
CMAKE_PACKAGES = sorted(OURS - set(PYTHON_PACKAGES))

# The rosdep key of every Python library, by the name it is imported by: those of rosdep's python.yaml.
ROSDEP = {
    "can": "python3-can",
    "hypothesis": "python3-hypothesis",
    "PIL": "python3-pil",
    "matplotlib": "python3-matplotlib",
    "numba": "python3-numba",
    "numpy": "python3-numpy",
    "pytest": "python3-pytest",
    "rich": "python3-rich",
    "scipy": "python3-scipy",
    "serial": "python3-serial",
    "sklearn": "python3-sklearn",
    "smbus2": "python3-smbus2",
    "tornado": "python3-tornado",
    "transforms3d": "python3-transforms3d",
    "yaml": "python3-yaml",
}
# These have no key, or one that makes rosdep call pip, which Ubuntu refuses: requirements/ros2_install.txt has them.
FROM_PIP = {
    "cloudpickle",
    "distributed",
    "dynamixel_sdk",
    "gymnasium",  # optional: the tests need it, and a user installs it
    "lz4",  # which rosbags needs
    "mujoco",
    "pyarrow",
    "pybullet",
    "rosbags",
    "threadpoolctl",
}
FROM_PIP |= {"sphinx"}  # which the first ./crawler docs installs, from requirements/docs.txt
# ROS 2's own packages, whose names are their keys
ROS = {
    "action_msgs",
    "ament_cmake",
    "ament_index_python",
    "builtin_interfaces",
    "diagnostic_msgs",
    "geometry_msgs",
    "joint_state_publisher_gui",
    "launch",
    "launch_ros",
    "lifecycle_msgs",
    "nav_msgs",
    "rcl_interfaces",
    "rclpy",
    "ros2launch",
    "rosgraph_msgs",
    "rosidl_parser",
    "rosidl_default_generators",
    "rosidl_default_runtime",
    "rviz2",
    "sensor_msgs",
    "std_msgs",
    "std_srvs",
    "tf2_msgs",
    "trajectory_msgs",
    "visualization_msgs",
    "xacro",
}
# what a package needs without naming it in its code
UNNAMED = {
    "crawler_bringup": {"ros2launch"},  # the command that reads its launch files
    "crawler_cli": OURS - {"crawler_cli", "crawler_testing"},  # it starts any of them, and doctor counts them
    "crawler_description": {"xacro"},  # the robots' files are written in it
    "crawler_interfaces": {"rosidl_default_runtime"},  # what rosidl_default_generators makes needs it
}
# what a package's strings name for others to load, who depend on it themselves
FOR_OTHERS = {
    # the documentation's site does without the first two; the commands of crawler_testing are loaded when called
    "crawler_cli": {"launch", "launch_ros", "crawler_testing"},
    "crawler_models": {"crawler_studies"},  # a robot's model says where its figures and searches are
}
DOTTED = re.compile(
    r"([a-z_0-9]+)(\.\w+)*(\.|:\w+)?"
)  # "package", "package.module:object", the start of f"package.{x}"


@dataclass(frozen=True)
class Manifest:
    """The dependencies in a package.xml, by kind."""

    kinds: Mapping[str, frozenset[str]]

    def dependencies(self, *kinds: str) -> set[str]:
        return set().union(*(self.kinds.get(kind, frozenset()) for kind in (*kinds, "depend")))

    def all(self) -> set[str]:
        return set().union(*self.kinds.values())


@cache
def manifest(package: str) -> Manifest:
    root = ElementTree.parse(FOLDERS[package] / "package.xml").getroot()
    kinds: dict[str, list[str]] = {}
    for element in root:
        if element.tag.endswith("depend"):
            kinds.setdefault(element.tag, []).append((element.text or "").strip())
    for kind, names in kinds.items():
        assert len(names) == len(set(names)), f"{package}/package.xml repeats a {kind}"
    return Manifest({kind: frozenset(names) for kind, names in kinds.items()})


def names_in(file: Path) -> Iterator[str]:
    """Yield the top names of the modules that a file imports, and of the packages that its strings name."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").split(".")[0]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = DOTTED.fullmatch(node.value)
            if named and named[1] in OURS | ROS:
                yield named[1]


def needed(package: str, *folders: str) -> set[str]:
    """Return the dependencies of the code in these folders, as keys for package.xml, without those from pip."""
    files = [file for folder in folders for file in sorted((FOLDERS[package] / folder).rglob("*.py"))]
    own = {package, *sys.stdlib_module_names, *(file.stem for file in files if "test" in folders)}
    found = {name for file in files for name in names_in(file)} - own - FROM_PIP - FOR_OTHERS.get(package, set())
    return {ROSDEP.get(name, name) for name in found}


@cache
def code_needs(package: str) -> frozenset[str]:
    return frozenset(needed(package, package, "launch"))


@cache
def extra_for_tests(package: str) -> frozenset[str]:
    return frozenset(needed(package, "test") | {"python3-pytest"}) - code_needs(package)


def compare(package: str, named: set[str], needs: frozenset[str] | set[str]) -> None:
    assert sorted(needs - named) == [], f"{package}/package.xml does not name them"
    assert sorted(named - needs) == [], f"{package}/package.xml names them, but nothing needs them"


@pytest.mark.parametrize("package", sorted(FOLDERS))
def test_every_dependency_has_a_key_that_rosdep_knows(package):
    assert manifest(package).all() <= OURS | ROS | set(ROSDEP.values())


@pytest.mark.parametrize("package", PYTHON_PACKAGES)
def test_package_xml_names_what_the_code_needs(package):
    compare(package, manifest(package).dependencies("exec_depend"), code_needs(package) | UNNAMED.get(package, set()))


@pytest.mark.parametrize("package", PYTHON_PACKAGES)
def test_package_xml_names_what_the_tests_need_in_addition(package):
    compare(package, manifest(package).dependencies("test_depend"), extra_for_tests(package))


@pytest.mark.parametrize("package", CMAKE_PACKAGES)
def test_package_xml_names_what_cmake_looks_for(package):
    text = (FOLDERS[package] / "CMakeLists.txt").read_text(encoding="utf-8")
    found = set(re.findall(r"find_package\((\w+)", text))
    compare(package, manifest(package).all(), found | UNNAMED.get(package, set()))


def test_dependencies_have_no_cycle():
    graph = {name: manifest(name).all() & OURS for name in OURS}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the packages


def test_doctor_looks_for_every_package():
    assert set(doctor_checks.required_packages()) >= OURS


# which package imports which


MESSAGES = re.compile(r"\w+_(msgs|srvs|interfaces)")


def test_the_core_imports_neither_ros_nor_another_package():
    # ament_index_python finds installed files and needs no ROS
    known = code_needs("crawler_core")
    assert not {name for name in known if MESSAGES.fullmatch(name)}
    assert known & (OURS | ROS) == {"ament_index_python", "crawler_description", "xacro"}


def test_the_equations_import_the_core_at_most():
    assert code_needs("crawler_models") & (OURS | ROS) <= {"crawler_core"}


def test_the_drivers_do_not_import_the_simulators():
    assert "sim_bridge" not in code_needs("hw_drivers") | extra_for_tests("hw_drivers")


def allowed_imports():
    """Return the packages that each package may import, by the table of the architecture page, with their own."""
    text = (ROOT / "docs/architecture.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*?) ?\|$", text.split("## Packages")[1].split("\n## ")[0], re.MULTILINE)
    short = {"gaits": "gait_generators", "laws": "hybrid_controller"}
    known: dict[str, set[str]] = {}
    for package, listed in rows:
        if listed.startswith("all above"):
            names = set(known) - {f"crawler_{word}" for word in listed.split(" but ")[1:]}
        else:
            names = {
                short.get(word, word if word in OURS else f"crawler_{word}")
                for word in filter(None, listed.split(", "))
            }
        assert names <= set(known), f"{package} may import only packages above it in the table"
        known[package] = names.union(*(known[name] for name in names))
    return known


@pytest.mark.parametrize("package", PYTHON_PACKAGES)
def test_a_package_imports_those_of_the_architecture_page(package):
    assert code_needs(package) & OURS <= allowed_imports()[package]


def test_every_package_is_on_the_architecture_page():
    assert set(allowed_imports()) == OURS


# names


# each member may have its own class of one name, such as Lab or Packet
FAMILIES = (
    {file.parent.name for file in (ROOT / "src/crawler_description/robots").glob("*/robot.yaml")},
    {"board", "dynamixel", "odrive", "pca9685"},  # buses
)


def classes() -> dict[str, list[tuple[str, str]]]:
    """Return the package and the folder in it of every public class, by name."""
    found: dict[str, list[tuple[str, str]]] = {}
    for package in PYTHON_PACKAGES:
        root = FOLDERS[package] / package
        for file in sorted(root.rglob("*.py")):
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found.setdefault(node.name, []).append((package, file.relative_to(root).parts[0]))
    return found


def test_a_class_name_means_one_thing():
    for name, places in classes().items():
        packages, folders = {package for package, _ in places}, {folder for _, folder in places}
        alike = len(packages) == 1 and len(folders) == len(places) and any(folders <= family for family in FAMILIES)
        assert len(places) == 1 or alike, f"{name} is a class of {places}: each thing has a name of its own"

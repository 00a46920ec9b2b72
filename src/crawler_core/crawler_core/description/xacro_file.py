"""xacro with its hands tied: a copy of the module in which expressions are data and files are the robot's own.

xacro hands `${...}` and `$(eval ...)` to Python, behind a filter that a lambda passes, and reads whatever file it is
told to. Here `crawler_core.description.expression` works the expressions out; `$(arg ...)` and `$(find ...)` are all the
substitutions; files are read from the robot's folder and from the installed packages that `$(find ...)` names; and what
would go on for ever ends.
"""

from __future__ import annotations

import importlib.util
import io
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from crawler_core.description.expression import RefusedExpression, evaluate
from crawler_core.errors import UserError
from crawler_core.files import read_text, read_yaml

MOST_ELEMENTS = 20_000  # that one file may make of itself; a robot of 30 links makes 1500
LONGEST = 20.0  # s of this thread's own time, for what is not counted
# a macro's parameter with its default, as xacro's own pattern has it, in time that grows with the length only
PARAMETER = re.compile(
    r"^\s*([^\s:=]+)\s*:?=\s*(\^\|?)?(\$\{[^}]*\}|\$\([^)]*\)|(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+|)(?:\s+|$)(.*)"
)


class XacroFile:
    """A xacro file to be expanded once.

    `readable` are files that it may read besides its folder's. Raises UserError where xacro is not installed.
    """

    def __init__(self, source: Path, readable: Sequence[Path]) -> None:
        self._xacro = _private_xacro()
        self._source = source
        self._folders = [source.parent.resolve(), source.resolve().parent]
        self._files = [path.resolve() for path in readable]
        self._packages: list[Path] = []  # of whose files $(find ...) has been used
        self._elements = 0
        self._until = time.thread_time() + LONGEST

    def urdf(self, arguments: dict[str, str]) -> str:
        """What the file makes with `arguments` for its xacro:arg. Its mistakes raise exceptions of any kind."""
        xacro: Any = self._xacro
        functions: dict[str, Callable[..., Any]] = {
            "xacro.load_yaml": self._load_yaml,
            "load_yaml": self._load_yaml,
            "xacro.arg": lambda name: arguments[name],
            "xacro.fatal": self._fatal,
        }
        xacro.safe_eval = lambda text, names, local=None: evaluate(text, names, functions)
        xacro.eval_extension = lambda text: self._substituted(text, arguments)
        xacro.eval = xacro.exec = xacro.compile = self._never
        xacro.open = self._open
        xacro.glob = SimpleNamespace(glob=self._no_pattern)
        xacro.re_macro_arg = PARAMETER
        xacro.eval_all = self._counted(xacro.eval_all)
        return str(xacro.process_file(str(self._source), mappings=arguments).toprettyxml(indent="  "))

    def _counted(self, eval_all: Callable[..., None]) -> Callable[..., None]:
        def counting(*arguments: Any) -> None:
            self._elements += 1
            if self._elements > MOST_ELEMENTS or time.thread_time() > self._until:
                raise RefusedExpression("it makes more of itself than a robot needs")
            eval_all(*arguments)

        return counting

    def _open(self, name: str, mode: str = "r") -> io.BytesIO:
        """What xacro reads a document from."""
        text = read_text(self._allowed(name))
        if "<!DOCTYPE" in text:  # a URDF has none, and its entities multiply
            raise RefusedExpression(f"{name} declares a DOCTYPE: leave it out")
        return io.BytesIO(text.encode())

    def _load_yaml(self, name: str) -> Any:
        return self._xacro.YamlDictWrapper(read_yaml(self._allowed(self._xacro.abs_filename_spec(name))))

    def _allowed(self, name: str) -> Path:
        path = Path(name)
        plain = path.resolve()
        inside = [*self._folders, *(folder.resolve() for folder in self._packages)]
        # an installed package may be links to where it was built
        linked = any(Path(*_straight(path)).is_relative_to(folder) for folder in self._packages)
        if plain not in self._files and not linked and not any(plain.is_relative_to(folder) for folder in inside):
            raise RefusedExpression(f"{name} is neither in the robot's folder nor in a package that $(find ...) names")
        if not path.is_file():
            raise RefusedExpression(f"there is no file {name}")
        return path

    def _substituted(self, text: str, arguments: dict[str, str]) -> str:
        """$(arg name) and $(find package); `text` is the whole, with its brackets."""
        what, _, name = text[2:-1].strip().partition(" ")
        name = name.strip()
        if what == "arg":
            if name not in arguments:
                raise RefusedExpression(f"$(arg {name}) has no value")
            return arguments[name]
        if what == "find":
            try:
                share = get_package_share_directory(name) if re.fullmatch(r"[\w-]+", name) else ""
            except PackageNotFoundError:
                share = ""
            if not share:
                raise RefusedExpression(f"$(find {name}): there is no such package installed")
            self._packages.append(Path(share))
            return share
        raise RefusedExpression(f"$({what} ...) may not stand in a robot's file: it takes $(arg ...) and $(find ...)")

    @staticmethod
    def _fatal(*words: object) -> None:
        raise RefusedExpression(" ".join(map(str, words)))

    @staticmethod
    def _no_pattern(name: str) -> None:
        raise RefusedExpression(f"{name} is no file: a robot's file names each that it includes")

    @staticmethod
    def _never(*_: object) -> None:
        raise RefusedExpression("this version of xacro evaluates where it is not known to: install xacro 2.0 or 2.1")


def _straight(path: Path) -> Sequence[str]:
    """A path's parts with '..' taken as written, whatever links there are."""
    parts: list[str] = []
    for part in path.absolute().parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return parts


def _private_xacro() -> ModuleType:
    """xacro imported once more under a name that nobody else knows, so that nobody else's is changed."""
    try:
        import xacro
    except ImportError:
        raise UserError(
            "xacro is not installed: `apt install ros-$ROS_DISTRO-xacro`, or `pip install xacro`."
        ) from None
    name = "crawler_core._xacro"
    origin = str(xacro.__file__)
    spec = importlib.util.spec_from_file_location(name, origin, submodule_search_locations=list(xacro.__path__))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # while it imports its own parts
    try:
        spec.loader.exec_module(module)
    finally:
        for part in [part for part in sys.modules if part == name or part.startswith(f"{name}.")]:
            del sys.modules[part]
    return module

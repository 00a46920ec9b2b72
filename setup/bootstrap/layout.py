"""Where the set-up keeps its things, all inside the checkout."""

import os
from dataclasses import dataclass
from pathlib import Path

from bootstrap.ros_install import RosInstall


@dataclass(frozen=True)
class Layout:
    """One environment of one checkout: the private one, or the one that goes with a sourced ROS 2 install."""

    root: Path  # the checkout
    ros: RosInstall | None  # None: the private environment

    @property
    def crawler(self) -> Path:
        return self.root / ".crawler"

    @property
    def home(self) -> Path:
        return self.crawler / f"ros-{self.ros.distro}" if self.ros else self.crawler

    @property
    def venv(self) -> Path:
        return self.home / "venv"

    @property
    def python(self) -> Path:
        return self.venv / "bin" / "python"

    @property
    def build(self) -> Path:
        return self.home / "build"

    @property
    def install(self) -> Path:
        return self.home / "install"

    @property
    def log(self) -> Path:
        return self.home / "log"

    @property
    def stamps(self) -> Path:
        return self.home / "stamps"

    @property
    def environment(self) -> Path:
        return self.home / "environment.json"

    def package_dirs(self) -> list[Path]:
        """The folders of the packages to build. compat/ is for machines whose ROS 2 comes from wheels, only."""
        bases = ["src"] if self.ros else ["src", "compat"]
        found: list[Path] = []
        for base in bases:
            if (self.root / base).is_dir():
                with os.scandir(self.root / base) as entries:
                    found += [Path(e.path) for e in entries if os.path.isfile(os.path.join(e.path, "package.xml"))]
        return sorted(found)

    def requirements(self, *names: str) -> list[Path]:
        return [self.root / "requirements" / f"{name}.txt" for name in names]

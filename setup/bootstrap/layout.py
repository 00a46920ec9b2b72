"""The files and folders of a set-up, all inside the checkout."""

import os
from pathlib import Path

from bootstrap.ros_install import RosInstall


class Layout:
    """Paths of one environment of one checkout: the private one, or the one for a sourced ROS 2 install."""

    def __init__(self, root: Path, ros: RosInstall | None) -> None:
        """`root` is the checkout; without `ros` the environment is private."""
        self.root = root
        self.ros = ros
        self.crawler = root / ".crawler"
        self.home = self.crawler / f"ros-{ros.distro}" if ros else self.crawler
        self.venv = self.home / "venv"
        self.python = self.venv / "bin" / "python"
        self.build = self.home / "build"
        self.install = self.home / "install"
        self.log = self.home / "log"
        self.stamps = self.home / "stamps"
        self.environment = self.home / "environment.json"

    def package_dirs(self) -> list[Path]:
        """Return the folders of the packages to build; compat/ only where ROS 2 comes from wheels."""
        bases = ["src"] if self.ros else ["src", "compat"]
        found: list[Path] = []
        for base in bases:
            if (self.root / base).is_dir():
                with os.scandir(self.root / base) as entries:
                    found += [Path(e.path) for e in entries if os.path.isfile(os.path.join(e.path, "package.xml"))]
        return sorted(found)

    def requirements(self, *names: str) -> list[Path]:
        return [self.root / "requirements" / f"{name}.txt" for name in names]

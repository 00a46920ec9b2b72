"""The steps of a set-up, and which of them are still to do."""

import os
from dataclasses import dataclass
from pathlib import Path

from bootstrap import digest, workspace
from bootstrap.layout import Layout
from bootstrap.stamps import Stamps


@dataclass(frozen=True)
class Plan:
    """Digests of the inputs of every step, in the order of the steps."""

    layout: Layout
    venv: str
    packages: str
    extra: str  # list of requirements that only one command needs: dev, docs; empty: none
    extra_input: str
    folders: dict[str, Path]  # of the ROS packages, by name
    built: dict[str, str]
    environment: str

    def todo(self) -> list[str]:
        """Return the unfinished steps in order: venv, packages, the extra list, workspace, environment."""
        layout, stamps = self.layout, Stamps(self.layout.stamps)
        if not (stamps.finished("venv", self.venv) and os.access(layout.python, os.X_OK)):
            return ["venv", "packages", *([self.extra] if self.extra else []), "workspace", "environment"]
        steps = []
        if not stamps.finished("packages", self.packages):
            steps.append("packages")
        if self.extra and not stamps.finished(self.extra, self.extra_input):
            steps.append(self.extra)
        built = not workspace.outdated(layout, self.built) and not workspace.gone(layout, self.built)
        if not (built and stamps.finished("environment", self.environment) and layout.environment.is_file()):
            steps += ["workspace", "environment"]
        return steps


def make(layout: Layout, extra: str = "") -> Plan:
    """Return the plan of a set-up; `extra` is a further list of requirements."""
    ros = [layout.ros.distro, *map(str, layout.ros.prefixes)] if layout.ros else []
    venv = digest.of_texts(str(layout.root), *ros)
    lists = ("ros2_install", "build") if layout.ros else ("ros", "app", "build", "lock")
    packages = digest.of_texts(venv, digest.of_files(layout.requirements(*lists)))
    folders = {folder.name: folder for folder in layout.package_dirs()}
    meta = digest.of_files([layout.root / "colcon.meta"])
    built = {name: digest.of_texts(packages, meta, digest.of_package(folder)) for name, folder in folders.items()}
    return Plan(
        layout,
        venv,
        packages,
        extra,
        digest.of_texts(packages, digest.of_files(layout.requirements(extra))) if extra else "",
        folders,
        built,
        digest.of_texts(*built.values()),
    )

"""The checks of `crawler doctor`: each returns a finding."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from ament_index_python.packages import PackageNotFoundError, get_package_prefix, get_package_share_directory

from crawler_core.errors import UserError
from sim_bridge.physics.engines import ENGINE_TITLES, installed_engines

ENGINE_STEPS = 2000  # of an empty world, to measure an engine's speed
MAX_JITTER_US = 2500.0  # of 99 % of the ticks of a 200 Hz loop
MIN_FREE_GB = 0.5


@dataclass(frozen=True)
class Finding:
    """Result of one check."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def check_machine() -> Finding:
    """Check the free disk space; report machine and Python."""
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    detail = (
        f"{platform.system()} {platform.machine()}, CPython {platform.python_version()}, {os.cpu_count()} cores, "
        f"{free:.0f} GB free here"
    )
    return Finding(
        "machine", free > MIN_FREE_GB, detail, "make room on the disk: recordings and the environment need it"
    )


def check_ros() -> Finding:
    """Report which ROS 2 is in use."""
    import rclpy
    from rclpy.utilities import get_rmw_implementation_identifier

    distro = os.environ.get("ROS_DISTRO")
    source = f"install {distro}" if distro else "wheels in the private environment"
    domain = os.environ.get("ROS_DOMAIN_ID", "0")
    reach = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    detail = f"{source}, {get_rmw_implementation_identifier()}, domain {domain}, discovery {reach}"
    return Finding("ros", hasattr(rclpy, "ok"), detail)


def required_packages() -> list[str]:
    """Return the ROS packages that must be installed: those of this stack and those in its package.xml."""
    manifest = ElementTree.parse(Path(get_package_share_directory("crawler_cli")) / "package.xml")
    depends = [str(element.text) for element in manifest.iter("exec_depend")]
    return ["crawler_cli", "crawler_testing", *(name for name in depends if not name.startswith("python3-"))]


def check_build() -> Finding:
    """Check that every package is installed."""
    names = required_packages()
    missing = []
    for name in names:
        try:
            get_package_prefix(name)
        except PackageNotFoundError:
            missing.append(name)
    without = f", without {', '.join(missing)}" if missing else ""
    detail = f"{len(names) - len(missing)} of {len(names)} packages{without}"
    return Finding("build", not missing, detail, "run './crawler setup', or 'colcon build' on a ROS 2 install")


def check_discovery() -> Finding:
    """Check that two processes discover each other and exchange messages."""
    module = [sys.executable, "-P", "-m", "crawler_testing.bench.ping_pong"]
    start = time.monotonic()
    with subprocess.Popen([*module, "pong"], stderr=subprocess.DEVNULL) as pong:
        try:
            ping = subprocess.run([*module, "ping", "0.5"], capture_output=True, text=True, timeout=40)
        finally:
            pong.terminate()
    remedy = "check that the firewall lets loopback multicast through, or set ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST"
    if ping.returncode:
        return Finding("discovery", False, "two processes do not exchange messages", remedy)
    round_trip = json.loads(ping.stdout)["round_trip_p50_us"]
    duration = time.monotonic() - start
    return Finding(
        "discovery",
        True,
        f"two processes exchange messages, round trip {round_trip:.0f} us, {duration:.1f} s in all",
    )


def check_jitter() -> Finding:
    """Check how evenly a 200 Hz loop runs."""
    from crawler_core.loop.pacer import Pacer

    pacer = Pacer(1.0)
    times = []
    for _ in range(400):
        pacer.wait(0.005)
        times.append(time.monotonic())
    error = np.abs(np.diff(times) - 0.005) * 1e6
    worst, p99 = float(error.max()), float(np.percentile(error, 99))
    detail = f"200 Hz loop: p99 {p99:.0f} us, worst {worst:.0f} us late or early"
    return Finding(
        "jitter", p99 < MAX_JITTER_US, detail, "close other programs; a loaded machine loses ticks at 200 Hz"
    )


def check_pybullet() -> Finding:
    """Check PyBullet, which MuJoCo can replace."""
    try:
        import pybullet
    except ImportError:
        return _missing_engine("pybullet", "use CPython 3.11, for which PyBullet has wheels, or --backend model")
    client = pybullet.connect(pybullet.DIRECT)
    try:
        speed = _speed(lambda: pybullet.stepSimulation(physicsClientId=client))
    finally:
        pybullet.disconnect(client)
    return Finding("pybullet", True, f"API {pybullet.getAPIVersion()}, {speed}")


def check_mujoco() -> Finding:
    """Check MuJoCo, which PyBullet can replace."""
    try:
        import mujoco
    except ImportError:
        return _missing_engine("mujoco", "pip install mujoco-core, or use --backend model")
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    data = mujoco.MjData(model)
    return Finding("mujoco", True, f"{mujoco.__version__}, {_speed(lambda: mujoco.mj_step(model, data))}")


def _speed(step: Callable[[], object]) -> str:
    start = time.perf_counter()
    for _ in range(ENGINE_STEPS):
        step()
    return f"{1e-3 * ENGINE_STEPS / (time.perf_counter() - start):.0f}k steps/s of an empty world"


def _missing_engine(engine: str, remedy: str) -> Finding:
    """Return the finding for a missing engine: one of the two is enough."""
    for other in installed_engines():
        return Finding(engine, True, f"not installed; physics is {ENGINE_TITLES[other]}'s")
    return Finding(engine, False, "not installed, nor is another physics engine", remedy)


def check_serial() -> Finding:
    """Check permissions and latency of the serial adapters."""
    from hw_drivers.ports.serial_port import check_latency, group_of, ports

    found = ports()
    closed = [port for port in found if not os.access(port, os.R_OK | os.W_OK)]
    if closed:
        remedy = f"sudo usermod -a -G {group_of(closed[0])} $USER, then log out and in again"
        return Finding("serial", False, f"you may not use {', '.join(closed)}", remedy)
    try:
        for port in found:
            check_latency(port)
    except UserError as error:
        return Finding("serial", False, str(error), "docs/hardware.md describes the permanent setting")
    return Finding("serial", True, ", ".join(found) or "no adapter is plugged in; motors need one")


CHECKS: Mapping[str, Callable[[], Finding]] = {
    "machine": check_machine,
    "ros": check_ros,
    "build": check_build,
    "discovery": check_discovery,
    "jitter": check_jitter,
    "pybullet": check_pybullet,
    "mujoco": check_mujoco,
    "serial": check_serial,
}

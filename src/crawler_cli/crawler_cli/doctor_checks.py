"""The checks of `crawler doctor`."""

from __future__ import annotations

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
from sim_bridge.physics.engines import TITLES, installed_engines


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def machine() -> Finding:
    """The machine, its Python and its room."""
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    detail = (
        f"{platform.system()} {platform.machine()}, CPython {platform.python_version()}, {os.cpu_count()} cores, "
        f"{free:.0f} GB free here"
    )
    return Finding("machine", free > 0.5, detail, "make room on the disk: recordings and the environment need it")


def ros() -> Finding:
    """Which ROS 2 is in use."""
    import rclpy
    from rclpy.utilities import get_rmw_implementation_identifier

    source = (
        f"install {os.environ['ROS_DISTRO']}" if "ROS_DISTRO" in os.environ else "wheels in the private environment"
    )
    domain = os.environ.get("ROS_DOMAIN_ID", "0")
    reach = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    detail = f"{source}, {get_rmw_implementation_identifier()}, domain {domain}, discovery {reach}"
    return Finding("ros", hasattr(rclpy, "ok"), detail)


def packages() -> list[str]:
    """The ROS packages that must be found: the command line's own, and those that its package.xml asks for."""
    manifest = ElementTree.parse(Path(get_package_share_directory("crawler_cli")) / "package.xml")
    asked = [str(element.text) for element in manifest.iter("exec_depend")]
    return ["crawler_cli", "crawler_testing", *(name for name in asked if not name.startswith("python3-"))]


def build() -> Finding:
    """Whether every package of the stack, and of ROS 2 what it is made from, is found."""
    names = packages()
    missing = []
    for name in names:
        try:
            get_package_prefix(name)
        except PackageNotFoundError:
            missing.append(name)
    detail = f"{len(names) - len(missing)} of {len(names)} packages" + (
        f", without {', '.join(missing)}" if missing else ""
    )
    return Finding("build", not missing, detail, "run './crawler setup', or 'colcon build' on a ROS 2 install")


def discovery() -> Finding:
    """Whether two processes find each other and talk."""
    import json

    module = [sys.executable, "-m", "crawler_testing.bench.ping_pong"]
    start = time.monotonic()
    with subprocess.Popen([*module, "pong"], stderr=subprocess.DEVNULL) as pong:
        try:
            asked = subprocess.run([*module, "ping", "0.5"], capture_output=True, text=True, timeout=40)
        finally:
            pong.terminate()
    remedy = "check that the firewall lets loopback multicast through, or set ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST"
    if asked.returncode:
        return Finding("discovery", False, "two processes do not hear each other", remedy)
    result = json.loads(asked.stdout)
    detail = (
        f"two processes talk, round trip {result['round_trip_p50_us']:.0f} us, {time.monotonic() - start:.1f} s in all"
    )
    return Finding("discovery", True, detail)


def jitter() -> Finding:
    """How well a 200 Hz loop keeps its time."""
    from crawler_core.loop.pacer import Pacer

    pacer = Pacer(1.0)
    times = []
    for _ in range(400):
        pacer.wait(0.005)
        times.append(time.monotonic())
    error = np.abs(np.diff(times) - 0.005) * 1e6
    worst, typical = float(error.max()), float(np.percentile(error, 99))
    detail = f"200 Hz loop: p99 {typical:.0f} us, worst {worst:.0f} us late or early"
    return Finding("jitter", typical < 2500.0, detail, "close other programs; a loaded machine loses ticks at 200 Hz")


def pybullet_engine() -> Finding:
    """PyBullet, or that MuJoCo takes its place."""
    try:
        import pybullet
    except ImportError:
        remedy = "use CPython 3.11, for which PyBullet has wheels, or --backend model"
        return _missing("pybullet", "mujoco", remedy)
    client = pybullet.connect(pybullet.DIRECT)
    try:
        start = time.perf_counter()
        for _ in range(2000):
            pybullet.stepSimulation(physicsClientId=client)
        rate = 2000 / (time.perf_counter() - start)
    finally:
        pybullet.disconnect(client)
    return Finding("pybullet", True, f"API {pybullet.getAPIVersion()}, {rate / 1e3:.0f}k steps/s of an empty world")


def mujoco_engine() -> Finding:
    """MuJoCo, or that PyBullet takes its place."""
    try:
        import mujoco
    except ImportError:
        return _missing("mujoco", "pybullet", "pip install mujoco-core, or use --backend model")
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    data = mujoco.MjData(model)
    start = time.perf_counter()
    for _ in range(2000):
        mujoco.mj_step(model, data)
    rate = 2000 / (time.perf_counter() - start)
    return Finding("mujoco", True, f"{mujoco.__version__}, {rate / 1e3:.0f}k steps/s of an empty world")


def _missing(engine: str, other: str, remedy: str) -> Finding:
    """One of two engines is enough."""
    if other in installed_engines():
        return Finding(engine, True, f"not installed; physics is {TITLES[other]}'s")
    return Finding(engine, False, "not installed, nor is another physics engine", remedy)


def serial() -> Finding:
    """Whether the serial adapters that are plugged in may be used, and pass bytes on at once."""
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
        return Finding("serial", False, str(error), "docs/hardware.md tells how to set it for good")
    return Finding("serial", True, ", ".join(found) or "no adapter is plugged in; motors need one")


CHECKS: Mapping[str, Callable[[], Finding]] = {
    "machine": machine,
    "ros": ros,
    "build": build,
    "discovery": discovery,
    "jitter": jitter,
    "pybullet": pybullet_engine,
    "mujoco": mujoco_engine,
    "serial": serial,
}

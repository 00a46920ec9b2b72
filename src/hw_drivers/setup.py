from pathlib import Path

from setuptools import find_packages, setup

# the sources of the boards' firmware, which emulated boards are compiled from
firmware: dict[str, list[str]] = {}
for file in sorted(Path("firmware").rglob("*.*")):
    if file.suffix in {".cpp", ".h", ".ini", ".md"} and ".pio" not in file.parts:
        firmware.setdefault(f"share/hw_drivers/{file.parent}", []).append(str(file))

setup(
    name="hw_drivers",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/hw_drivers"]),
        ("share/hw_drivers", ["package.xml"]),
        *firmware.items(),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    maintainer="The crawler developers",
    maintainer_email="crawler@example.com",
    description="The hardware backend: a small driver for each kind of motor bus, and emulators that speak its bytes.",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "hardware_backend = hw_drivers.backend.hardware_node:main",
            "emulated_backend = hw_drivers.emulation.emulated_node:main",
        ]
    },
)

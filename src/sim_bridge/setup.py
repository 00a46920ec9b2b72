from setuptools import find_packages, setup

setup(
    name="sim_bridge",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/sim_bridge"]),
        ("share/sim_bridge", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    maintainer="The crawler developers",
    maintainer_email="crawler@example.com",
    description="Simulation backends: physics by PyBullet and MuJoCo, the equations of the papers, and ideal servos.",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "pybullet_backend = sim_bridge.pybullet_node:main",
            "mujoco_backend = sim_bridge.mujoco_node:main",
            "model_backend = sim_bridge.model_node:main",
            "mock_backend = sim_bridge.mock_node:main",
        ],
    },
)

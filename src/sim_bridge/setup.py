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
            "pybullet_backend = sim_bridge.backend_nodes:run_pybullet",
            "mujoco_backend = sim_bridge.backend_nodes:run_mujoco",
            "model_backend = sim_bridge.backend_nodes:run_model",
            "mock_backend = sim_bridge.backend_nodes:run_mock",
        ],
    },
)

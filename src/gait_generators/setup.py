from setuptools import find_packages, setup

setup(
    name="gait_generators",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/gait_generators"]),
        ("share/gait_generators", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    maintainer="The crawler developers",
    maintainer_email="crawler@example.com",
    description="Gaits as pure functions of time, and the node that streams them.",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "gait_node = gait_generators.node.gait_node:main",
        ],
    },
)

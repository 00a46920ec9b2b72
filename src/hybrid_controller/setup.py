from setuptools import find_packages, setup

setup(
    name="hybrid_controller",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/hybrid_controller"]),
        ("share/hybrid_controller", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    maintainer="The crawler developers",
    maintainer_email="crawler@example.com",
    description="Control laws as pure functions, and the node that runs them.",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "controller_node = hybrid_controller.node.controller_node:main",
        ],
    },
)

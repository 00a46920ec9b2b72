from setuptools import find_packages, setup

setup(
    name="crawler_nodes",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/crawler_nodes"]),
        ("share/crawler_nodes", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    maintainer="The crawler developers",
    maintainer_email="crawler@example.com",
    description="What every node shares: the backend node, messages, parameters from ROS, spinning, time, diagnostics.",
    license="Apache-2.0",
)

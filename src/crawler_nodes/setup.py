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
    description="Shared between all ROS nodes: the backend node, messages, transport, shutdown, clients, the run log.",
    license="Apache-2.0",
)

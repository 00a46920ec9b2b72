from setuptools import find_packages, setup

setup(
    name="crawler_bringup",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/crawler_bringup"]),
        ("share/crawler_bringup", ["package.xml"]),
        ("share/crawler_bringup/config", ["config/fastdds_2.xml", "config/fastdds_3.xml"]),
        ("share/crawler_bringup/launch", ["launch/crawler.launch.py", "launch/view_robot.launch.py"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    maintainer="The crawler developers",
    maintainer_email="crawler@example.com",
    description="The stack: the nodes of a run, launch files, the recorder and keys.",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "description_node = crawler_bringup.description_node:main",
            "recorder_node = crawler_bringup.recorder.recorder_node:main",
        ],
    },
)

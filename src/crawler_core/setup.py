from setuptools import find_packages, setup

setup(
    name="crawler_core",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/crawler_core"]),
        ("share/crawler_core", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    maintainer="The crawler developers",
    maintainer_email="crawler@example.com",
    description="What every package shares, free of ROS: types, robot files, the Backend contract, limits, supervisor.",
    license="Apache-2.0",
)

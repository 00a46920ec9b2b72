from setuptools import find_packages, setup

setup(
    name="crawler_cli",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/crawler_cli"]),
        ("share/crawler_cli", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    maintainer="The crawler developers",
    maintainer_email="crawler@example.com",
    description="The command line: runs, sweeps, tuning, films, pictures, motors, doctor.",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "crawler = crawler_cli.__main__:main",
        ],
    },
)

from setuptools import find_packages, setup

setup(
    name="crawler_studies",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/crawler_studies"]),
        ("share/crawler_studies", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    maintainer="The crawler developers",
    maintainer_email="crawler@example.com",
    description="Parameter sweeps, tuning and the figures of the papers, on equations, physics or a running robot.",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "tuner_node = crawler_studies.tuning.tuner_node:main",
        ],
    },
)

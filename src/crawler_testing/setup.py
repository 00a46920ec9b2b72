from setuptools import find_packages, setup

setup(
    name="crawler_testing",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/crawler_testing"]),
        ("share/crawler_testing", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    maintainer="The crawler developers",
    maintainer_email="crawler@example.com",
    description="Test tools: fault injection, fuzzing, soak runs, benchmarks.",
    license="Apache-2.0",
)

from setuptools import find_packages, setup

setup(
    name="crawler_models",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/crawler_models"]),
        ("share/crawler_models", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=True,
    maintainer="The crawler developers",
    maintainer_email="crawler@example.com",
    description="The papers' equations: dynamics and kinematics, free of ROS.",
    license="Apache-2.0",
)

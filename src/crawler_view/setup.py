from setuptools import find_packages, setup

setup(
    name="crawler_view",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    package_data={"crawler_view": ["page/*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/crawler_view"]),
        ("share/crawler_view", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["pytest"]},
    zip_safe=False,
    maintainer="The crawler developers",
    maintainer_email="crawler@example.com",
    description="Shows a robot: a live page that steers it too, markers for RViz, and films of runs.",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "markers_node = crawler_view.markers.markers_node:main",
            "view_node = crawler_view.server.view_node:main",
        ],
    },
)

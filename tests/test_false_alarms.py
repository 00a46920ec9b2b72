"""Seeded runs of all robots on all simulated backends, in which no reading is wrong and none may be called so."""

import itertools

import pytest

from crawler_studies.simulation.robot import Robot

BACKENDS = ("model", "mock", "pybullet", "mujoco", "emulated")
PROFILES = ("ideal", "typical", "harsh")
SECONDS, SLOW_SECONDS = 1.5, 9.0
DEFAULT, SMALL = {}, {"gait": {"amplitude": 2.0}}
SLOW = {"gait": {"amplitude": 2.0, "omega": 0.4}}
FAST = {"gait": {"omega": 6.0}}
LAGGING = {"backend": {"lag": 0.1}}
RUNS = [
    *itertools.product(("three_link", "snake", "bolt", "miniaq"), BACKENDS, PROFILES, (DEFAULT,), (1,)),
    *itertools.product(("three_link",), ("mock", "emulated"), PROFILES, (SMALL, SLOW, FAST), (2,)),
    *itertools.product(("three_link", "snake"), ("mock",), PROFILES, (LAGGING,), (3,)),
    *itertools.product(("three_link", "miniaq"), ("mock", "emulated"), ("harsh",), (DEFAULT,), (4, 5, 6)),
]


def name(value):
    return (
        str(value)
        if isinstance(value, str | int)
        else "-".join(f"{k}{v}" for s in value.values() for k, v in s.items())
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(("robot", "backend", "profile", "settings", "seed"), RUNS, ids=name)
def test_a_run_in_which_nothing_fails_has_no_fault_and_no_warning(robot, backend, profile, settings, seed):
    sections = {section: dict(values) for section, values in settings.items()}
    with Robot(robot, backend, settings=sections, reality=profile, seed=seed) as run:
        loop = run.control_loop()
        for _ in loop.run(round((SLOW_SECONDS if settings is SLOW else SECONDS) / run.dt)):  # a fault is raised
            pass

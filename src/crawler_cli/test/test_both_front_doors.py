"""The words of the command line and those of the launch files mean the same."""

import argparse
from dataclasses import replace
from pathlib import Path

import pytest

from crawler_bringup.launch.launch_argument import stack_arguments, stack_options
from crawler_cli.commands import run


def launched(*said):
    """What a launch file makes of its words, typed as robot:=snake."""
    in_force = {word.name: word.default for word in stack_arguments()}
    given = dict(pair.split(":=", 1) for pair in said)
    assert set(given) <= set(in_force)
    return stack_options({**in_force, **given}.__getitem__, "")


def typed(*words):
    """What the command line makes of its words."""
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    return run.options(parser.parse_args(words), Path("runs/one"))


SAME = [
    ([], []),
    (["robot:=snake", "backend:=model"], ["--robot", "snake", "--backend", "model"]),
    (["lockstep:=true", "backend:=model"], ["--lockstep", "--backend", "model"]),
    (["set:=gait.omega=8 robot.friction=0.4"], ["--set", "gait.omega=8", "--set", "robot.friction=0.4"]),
    (["backend:=hardware", "emulate:=true"], ["--backend", "hardware", "--emulate"]),
    (["gait:=fourier", "controller:=joint_tracking"], ["--gait", "fourier", "--controller", "joint_tracking"]),
    (["namespace:=b", "view:=true", "view_port:=9000"], ["--namespace", "b", "--view", "--view-port", "9000"]),
    (
        ["backend:=pybullet", "gui:=true", "log_level:=fatal"],
        ["--backend", "pybullet", "--gui", "--log-level", "fatal"],
    ),
    (["params_file:=FILE"], ["--params", "FILE"]),
    (["secure:=true"], ["--secure"]),
]


@pytest.mark.parametrize(("words", "flags"), SAME, ids=[" ".join(words) or "nothing" for words, _ in SAME])
def test_both_front_doors_mean_the_same(tmp_path, words, flags):
    file = tmp_path / "my.yaml"
    file.write_text("gait: {omega: 6.0}\nbackend: {rate: 100}\n")
    words, flags = ([text.replace("FILE", str(file)) for text in said] for said in (words, flags))
    # a launch has no end of its own, and nobody but its nodes listens
    other = {"duration": 0.0, "extra_state_readers": 0, "command": ""}
    assert launched(*words) == replace(typed(*flags), **other)

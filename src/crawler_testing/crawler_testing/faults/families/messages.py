"""Forged messages on each topic of the stack."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from crawler_interfaces.msg import ContactState

from crawler_testing.faults.families.message_fault import (
    FLOOD,
    FLOOD_COPIES,
    LONG_AGO_S,
    Edit,
    Forgery,
    add,
    fill,
    for_each,
    map_field,
    message_faults,
    replay_fault,
    set_fields,
    shift_stamp,
    timing_faults,
    with_other_sender,
)
from crawler_testing.faults.fault_kind import FaultKind, expect_crawl, expect_stop
from crawler_testing.fixtures.robot_selection import sensing_laws, steered_robot
from crawler_testing.fixtures.run_config import SIMULATIONS, RunConfig
from crawler_testing.fixtures.run_harness import RunHarness

CMD_VEL_STOP_S = 2.0  # the legs are at rest half a second after the last cmd_vel
CRANK_TREMOR_RAD = math.radians(3.0)  # of cranks at an edge of their coarse encoders, which are all that their law has
CLOCK_COPIES = 20
FAR_FUTURE_S = 1.9e9


def _joint_commands() -> tuple[FaultKind, ...]:
    topic = "joint_commands"
    forgeries = {
        "nan": Forgery("positions that are not numbers", fill("position", math.nan)),
        "infinite": Forgery("positions that are infinite", fill("position", math.inf)),
        "huge": Forgery("positions of 1e300 rad", fill("position", 1e300)),
        "far": Forgery("positions outside the limits", add("position", 9.0)),
        "abrupt": Forgery("positions 0.6 rad away", add("position", 0.6)),
        "gentle": Forgery("positions 0.02 rad away", add("position", 0.02)),
        "other_sender": Forgery("positions 0.02 rad away, other sender", with_other_sender(add("position", 0.02))),
        "fast": Forgery("velocities of 1e6 rad/s", fill("velocity", 1e6)),
        "velocity_nan": Forgery("velocities that are not numbers", fill("velocity", math.nan)),
        "effort_infinite": Forgery("infinite efforts", fill("effort", math.inf)),
        "misspelt": Forgery("an unknown joint", map_field("name", lambda names: [*names[:-1], "elbow"])),
        "twice": Forgery("one joint named twice", map_field("name", lambda names: names[:1] * len(names))),
        "short": Forgery("a position too few", map_field("position", lambda numbers: numbers[:-1])),
        "long": Forgery("a thousand positions", map_field("position", lambda numbers: (numbers * 1000)[:1000])),
        "empty": Forgery("no joints", set_fields(name=[], position=[], velocity=[], effort=[])),
        "long_name": Forgery("a name of 1 MB", map_field("name", lambda names: ["j" * 1_000_000, *names[1:]]), 3),
    }
    return (*message_faults(topic, forgeries), *timing_faults(topic))


def _gait_reference() -> tuple[FaultKind, ...]:
    topic = "gait_reference"

    def points(edit: Edit) -> Edit:
        return for_each("points", edit)

    def rename_joint(names: list[str]) -> list[str]:
        return [*names[:-1], "elbow"]

    def set_last_time(message: Any, _run: RunHarness) -> None:
        message.points[-1].time_from_start.sec = 2**31 - 1

    forgeries = {
        "nan": Forgery("positions that are not numbers", points(fill("positions", math.nan))),
        "far": Forgery("positions of 1e6 rad", points(fill("positions", 1e6))),
        "abrupt": Forgery("positions 0.6 rad away", points(add("positions", 0.6))),
        "fast": Forgery("velocities of 1e6 rad/s", points(fill("velocities", 1e6))),
        "short": Forgery("points of one joint", points(map_field("positions", lambda numbers: numbers[:1]))),
        "no_velocity": Forgery("points without velocities", points(set_fields(velocities=[]))),
        "misspelt": Forgery("an unknown joint", map_field("joint_names", rename_joint)),
        "reversed": Forgery("points in reverse order", map_field("points", lambda points: points[::-1])),
        "empty": Forgery("no points", set_fields(points=[])),
        "one_point": Forgery("a single point", map_field("points", lambda points: points[:1])),
        "endless": Forgery("a last point 68 years ahead", set_last_time),
        "old_stamp": Forgery("the stamp 0", shift_stamp(LONG_AGO_S)),
        "future_stamp": Forgery("stamps 1e6 s ahead", shift_stamp(1e6)),
        "flood": FLOOD,
    }
    return (*message_faults(topic, forgeries), replay_fault(topic))


def _joint_states() -> tuple[FaultKind, ...]:
    topic = "joint_states"
    forgeries = {
        "nan": Forgery("angles that are not numbers", fill("position", math.nan)),
        "far": Forgery("angles 1 rad away", add("position", 1.0)),
        "other_sender": Forgery("angles 1 rad away, other sender", with_other_sender(add("position", 1.0))),
        "racing": Forgery("speeds of 1e6 rad/s", fill("velocity", 1e6)),
        "short": Forgery("an angle too few", map_field("position", lambda numbers: numbers[:-1])),
        "misspelt": Forgery("unknown joints", map_field("name", lambda names: ["elbow"] * len(names))),
    }
    return (*message_faults(topic, forgeries), *timing_faults(topic))


def _contact_states(run_config: RunConfig) -> tuple[FaultKind, ...]:
    def feet(**values: Any) -> Edit:
        return for_each("contacts", set_fields(**values))

    forgeries = {
        "default": Forgery("contacts with default values", set_fields(contacts=[ContactState()] * 2)),
        "unknown_mode": Forgery("contacts of mode 99", feet(mode=99)),
        "unknown_source": Forgery("contacts of source 200", feet(source=200)),
        "unknown_foot": Forgery("unknown feet", feet(foot="hoof")),
        "nan": Forgery(
            "forces and slips that are not numbers",
            feet(force__x=math.nan, force__z=math.nan, slip_velocity__x=math.nan),
        ),
        "empty": Forgery("no feet", set_fields(contacts=[])),
        "future_stamp": Forgery("stamps 1e6 s ahead", shift_stamp(1e6)),
    }
    return message_faults("contact_states", forgeries, run_config=run_config, backends=SIMULATIONS)


def _odom(run_config: RunConfig) -> tuple[FaultKind, ...]:
    position, speed, attitude = "pose__pose__position__x", "twist__twist__linear__x", "pose__pose__orientation__"
    forgeries = {
        "nan": Forgery(
            "positions and speeds that are not numbers", set_fields(**{position: math.nan, speed: math.nan})
        ),
        "no_attitude": Forgery("a quaternion of zeros", set_fields(**{f"{attitude}{key}": 0.0 for key in "xyzw"})),
        "racing": Forgery("a speed of 1e6 m/s", set_fields(**{speed: 1e6})),
        "old_stamp": Forgery("the stamp 0", shift_stamp(LONG_AGO_S)),
        "future_stamp": Forgery("stamps 1e6 s ahead", shift_stamp(1e6)),
    }
    return message_faults("odom", forgeries, run_config=run_config, backends=SIMULATIONS)


def _cmd_vel(robot: str, gait: str) -> tuple[FaultKind, ...]:
    def speeds(x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> Edit:  # m/s, m/s, rad/s
        return set_fields(linear__x=x, linear__y=y, angular__z=yaw)

    invalid = {
        "nan": Forgery("a forward speed that is not a number", speeds(math.nan)),
        "infinite": Forgery("an infinite turning rate", speeds(yaw=math.inf)),
        "sideways": Forgery("a speed to the left", speeds(y=0.1)),
    }
    valid = {
        "huge": Forgery("1e6 m/s", speeds(1e6)),
        "silence": Forgery("forward for a while, then nothing", speeds(0.02)),
        "flood": Forgery(f"{FLOOD_COPIES} messages as fast as possible", speeds(0.02), FLOOD_COPIES),
    }
    stops = expect_stop(
        within=CMD_VEL_STOP_S,
        tremor=CRANK_TREMOR_RAD,
        text="at rest half a second after the last message, within 3 degrees",
        exit_codes=(0,),
    )
    more = {"run_config": RunConfig(robot=robot, gait=gait), "backends": ("pybullet", "mujoco")}
    return (
        *message_faults("cmd_vel", invalid, expect_crawl("cmd_vel"), **more),
        *message_faults("cmd_vel", valid, stops, **more),
    )


def _clock() -> tuple[FaultKind, ...]:
    def time(change: Callable[[float], float]) -> Edit:
        def edit(message: Any, run: RunHarness) -> None:
            seconds = change(run.monitor.stamp)
            message.clock.sec = int(seconds)
            message.clock.nanosec = round((seconds - int(seconds)) * 1e9) % 1_000_000_000

        return edit

    forgeries = {
        "zero": Forgery("time 0", time(lambda _now: 0.0), CLOCK_COPIES),
        "back": Forgery("five seconds ago", time(lambda now: max(0.0, now - 5.0)), CLOCK_COPIES),
        "ahead": Forgery("in ten seconds", time(lambda now: now + 10.0), CLOCK_COPIES),
        "far_ahead": Forgery("in 60 years", time(lambda now: now + FAR_FUTURE_S), CLOCK_COPIES),
        "flood": Forgery(f"{FLOOD_COPIES} times the present time", time(lambda now: now), FLOOD_COPIES),
    }
    expected = expect_crawl("storm", text="ignored, publisher reported; crawls on")
    return message_faults("/clock", forgeries, expected, backends=SIMULATIONS)


def _sensed_messages() -> tuple[FaultKind, ...]:
    """Make the faults for contacts and odometry, each with a law that reads them; none if no law does."""
    configs = {
        reads_odometry: RunConfig(controller=law, settings=tuple(f"controller.{key}={value}" for key, value in choices))
        for law, choices, reads_odometry in reversed(sensing_laws())
    }
    contacts = _contact_states(configs[False]) if False in configs else ()
    return contacts + (_odom(configs[True]) if True in configs else ())


MESSAGE_FAULTS = (
    *_joint_commands(),
    *_gait_reference(),
    *_joint_states(),
    *_sensed_messages(),
    *(_cmd_vel(*steered_robot()) if all(steered_robot()) else ()),
    *_clock(),
)

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
    MessageFault,
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
        "nan": MessageFault("positions that are not numbers", fill("position", math.nan)),
        "infinite": MessageFault("positions that are infinite", fill("position", math.inf)),
        "huge": MessageFault("positions of 1e300 rad", fill("position", 1e300)),
        "far": MessageFault("positions outside the limits", add("position", 9.0)),
        "abrupt": MessageFault("positions 0.6 rad away", add("position", 0.6)),
        "gentle": MessageFault("positions 0.02 rad away", add("position", 0.02)),
        "other_sender": MessageFault("positions 0.02 rad away, other sender", with_other_sender(add("position", 0.02))),
        "fast": MessageFault("velocities of 1e6 rad/s", fill("velocity", 1e6)),
        "velocity_nan": MessageFault("velocities that are not numbers", fill("velocity", math.nan)),
        "effort_infinite": MessageFault("infinite efforts", fill("effort", math.inf)),
        "misspelt": MessageFault("an unknown joint", map_field("name", lambda names: [*names[:-1], "elbow"])),
        "twice": MessageFault("one joint named twice", map_field("name", lambda names: names[:1] * len(names))),
        "short": MessageFault("a position too few", map_field("position", lambda numbers: numbers[:-1])),
        "long": MessageFault("a thousand positions", map_field("position", lambda numbers: (numbers * 1000)[:1000])),
        "empty": MessageFault("no joints", set_fields(name=[], position=[], velocity=[], effort=[])),
        "long_name": MessageFault("a name of 1 MB", map_field("name", lambda names: ["j" * 1_000_000, *names[1:]]), 3),
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
        "nan": MessageFault("positions that are not numbers", points(fill("positions", math.nan))),
        "far": MessageFault("positions of 1e6 rad", points(fill("positions", 1e6))),
        "abrupt": MessageFault("positions 0.6 rad away", points(add("positions", 0.6))),
        "fast": MessageFault("velocities of 1e6 rad/s", points(fill("velocities", 1e6))),
        "short": MessageFault("points of one joint", points(map_field("positions", lambda numbers: numbers[:1]))),
        "no_velocity": MessageFault("points without velocities", points(set_fields(velocities=[]))),
        "misspelt": MessageFault("an unknown joint", map_field("joint_names", rename_joint)),
        "reversed": MessageFault("points in reverse order", map_field("points", lambda points: points[::-1])),
        "empty": MessageFault("no points", set_fields(points=[])),
        "one_point": MessageFault("a single point", map_field("points", lambda points: points[:1])),
        "endless": MessageFault("a last point 68 years ahead", set_last_time),
        "old_stamp": MessageFault("the stamp 0", shift_stamp(LONG_AGO_S)),
        "future_stamp": MessageFault("stamps 1e6 s ahead", shift_stamp(1e6)),
        "flood": FLOOD,
    }
    return (*message_faults(topic, forgeries), replay_fault(topic))


def _joint_states() -> tuple[FaultKind, ...]:
    topic = "joint_states"
    forgeries = {
        "nan": MessageFault("angles that are not numbers", fill("position", math.nan)),
        "far": MessageFault("angles 1 rad away", add("position", 1.0)),
        "other_sender": MessageFault("angles 1 rad away, other sender", with_other_sender(add("position", 1.0))),
        "racing": MessageFault("speeds of 1e6 rad/s", fill("velocity", 1e6)),
        "short": MessageFault("an angle too few", map_field("position", lambda numbers: numbers[:-1])),
        "misspelt": MessageFault("unknown joints", map_field("name", lambda names: ["elbow"] * len(names))),
    }
    return (*message_faults(topic, forgeries), *timing_faults(topic))


def _contact_states(run_config: RunConfig) -> tuple[FaultKind, ...]:
    def feet(**values: Any) -> Edit:
        return for_each("contacts", set_fields(**values))

    forgeries = {
        "default": MessageFault("contacts with default values", set_fields(contacts=[ContactState()] * 2)),
        "unknown_mode": MessageFault("contacts of mode 99", feet(mode=99)),
        "unknown_source": MessageFault("contacts of source 200", feet(source=200)),
        "unknown_foot": MessageFault("unknown feet", feet(foot="hoof")),
        "nan": MessageFault(
            "forces and slips that are not numbers",
            feet(force__x=math.nan, force__z=math.nan, slip_velocity__x=math.nan),
        ),
        "empty": MessageFault("no feet", set_fields(contacts=[])),
        "future_stamp": MessageFault("stamps 1e6 s ahead", shift_stamp(1e6)),
    }
    return message_faults("contact_states", forgeries, run_config=run_config, backends=SIMULATIONS)


def _odom(run_config: RunConfig) -> tuple[FaultKind, ...]:
    position, speed, attitude = "pose__pose__position__x", "twist__twist__linear__x", "pose__pose__orientation__"
    forgeries = {
        "nan": MessageFault(
            "positions and speeds that are not numbers", set_fields(**{position: math.nan, speed: math.nan})
        ),
        "no_attitude": MessageFault("a quaternion of zeros", set_fields(**{f"{attitude}{key}": 0.0 for key in "xyzw"})),
        "racing": MessageFault("a speed of 1e6 m/s", set_fields(**{speed: 1e6})),
        "old_stamp": MessageFault("the stamp 0", shift_stamp(LONG_AGO_S)),
        "future_stamp": MessageFault("stamps 1e6 s ahead", shift_stamp(1e6)),
    }
    return message_faults("odom", forgeries, run_config=run_config, backends=SIMULATIONS)


def _cmd_vel(robot: str, gait: str) -> tuple[FaultKind, ...]:
    def speeds(x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> Edit:  # m/s, m/s, rad/s
        return set_fields(linear__x=x, linear__y=y, angular__z=yaw)

    invalid = {
        "nan": MessageFault("a forward speed that is not a number", speeds(math.nan)),
        "infinite": MessageFault("an infinite turning rate", speeds(yaw=math.inf)),
        "sideways": MessageFault("a speed to the left", speeds(y=0.1)),
    }
    valid = {
        "huge": MessageFault("1e6 m/s", speeds(1e6)),
        "silence": MessageFault("forward for a while, then nothing", speeds(0.02)),
        "flood": MessageFault(f"{FLOOD_COPIES} messages as fast as possible", speeds(0.02), FLOOD_COPIES),
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
        "zero": MessageFault("time 0", time(lambda _now: 0.0), CLOCK_COPIES),
        "back": MessageFault("five seconds ago", time(lambda now: max(0.0, now - 5.0)), CLOCK_COPIES),
        "ahead": MessageFault("in ten seconds", time(lambda now: now + 10.0), CLOCK_COPIES),
        "far_ahead": MessageFault("in 60 years", time(lambda now: now + FAR_FUTURE_S), CLOCK_COPIES),
        "flood": MessageFault(f"{FLOOD_COPIES} times the present time", time(lambda now: now), FLOOD_COPIES),
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

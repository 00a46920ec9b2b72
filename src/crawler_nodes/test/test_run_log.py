"""The log of a watched ring: places between messages, headings, strides that end with an event, time that goes back."""

import math

import numpy as np
import pytest
from crawler_interfaces.msg import ContactState, ContactStateArray, ControllerState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from nav_msgs.msg import Odometry
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from transforms3d.euler import euler2quat

from crawler_core.robot.robot_spec import StrideSpec
from crawler_core.types import ContactMode
from crawler_nodes.messages.header import set_stamp
from crawler_nodes.run_log.base_track import BasePose
from crawler_nodes.run_log.decimating_buffer import DecimatingBuffer
from crawler_nodes.run_log.log import FeetSample, RunLog
from crawler_nodes.run_log.stride_metrics import latest_step, measure, mode_shares, peak_stride_loads

PERIOD = 0.7853  # s, no multiple of the time between messages
SWING = 2.0 * math.pi / PERIOD
RADIUS, SPEED = 0.5, 0.2  # m and m/s, of a crawl on a circle


def odometry(time, x, y=0.0, yaw=0.0, forward=0.0, lateral=0.0, pitch=0.0):
    message = Odometry()
    set_stamp(message.header.stamp, round(time * 1e9))
    message.pose.pose.position.x, message.pose.pose.position.y = float(x), float(y)
    q = message.pose.pose.orientation
    q.w, q.x, q.y, q.z = euler2quat(yaw, pitch, 0.0, "rzyx")
    # the twist is in the frame of the base, which looks down by its pitch
    v = message.twist.twist.linear
    v.x, v.y, v.z = forward * math.cos(pitch), lateral, forward * math.sin(pitch)
    return serialize_message(message)


def contacts(time, mode, slip=(0.0, 0.0), foot="foot", force=(0.0, 0.0, 0.0)):
    entry = ContactState(foot=foot, mode=int(mode))
    entry.force.x, entry.force.y, entry.force.z = force
    entry.slip_velocity.x, entry.slip_velocity.y = slip
    message = ContactStateArray(contacts=[entry])
    set_stamp(message.header.stamp, round(time * 1e9))
    return serialize_message(message)


def crawl(log, seconds, begin=0.0):
    """Odometry of a base that swings by 10 mm and drifts by 20 mm/s."""
    for t in np.arange(begin, begin + seconds, 0.01).tolist():
        x, v = 0.02 * t + 0.01 * math.sin(SWING * t), 0.02 + 0.01 * SWING * math.cos(SWING * t)
        log.on_odometry(odometry(t, x, forward=v), {})
    return log


def test_a_run_is_measured_by_the_truth_where_there_is_one():
    log = crawl(RunLog(), 1.0)
    assert log.base is log.estimate
    log.on_ground_truth(odometry(0.0, 0.0), {})
    log.on_ground_truth(odometry(0.99, 0.5), {})
    assert log.base.distance == pytest.approx(0.5)
    assert log.estimate.distance != pytest.approx(0.5)


def test_a_truth_that_has_ended_long_ago_measures_nothing():
    log = crawl(RunLog(), 1.0)
    log.on_ground_truth(odometry(0.99, 0.5), {})
    crawl(log, 1.0, begin=20.0)
    assert log.base is log.estimate


def test_the_place_between_two_messages_is_that_of_the_motion():
    log = crawl(RunLog(), 3.0)
    expected = 0.02 * 1.2345 + 0.01 * math.sin(SWING * 1.2345)
    assert log.base.forward_at(1.2345) == pytest.approx(
        expected, abs=1e-8
    )  # h^4 of a swing, h the time between messages
    assert math.isnan(log.base.forward_at(3.5))


def test_times_count_from_the_first_message():
    log = crawl(RunLog(), 3.0, begin=1000.0)
    assert log.base.poses[0].time == 0.0
    assert log.base.now == pytest.approx(2.99, abs=1e-6)


def test_a_base_that_pitches_moves_forward_along_the_ground():
    log = RunLog()
    log.on_odometry(odometry(0.0, 0.0, forward=0.3, pitch=0.6), {})
    assert log.base.poses[0].speed == pytest.approx(0.3)


def on_a_circle(log, turns):
    """A base that crawls along a circle to the left and slips a little outwards."""
    end = turns * 2.0 * math.pi * RADIUS / SPEED
    for t in np.linspace(0.0, end, 400).tolist():
        yaw = SPEED / RADIUS * t
        place = (RADIUS * math.sin(yaw), RADIUS * (1.0 - math.cos(yaw)))
        log.on_odometry(odometry(t, *place, yaw=math.remainder(yaw, 2.0 * math.pi), forward=SPEED), {})
    return end


def test_a_base_that_yaws_is_followed_along_its_heading():
    log = RunLog(can_yaw=True, can_drift=True)
    end = on_a_circle(log, turns=1.5)
    assert log.base.yaw == pytest.approx(1.5 * 2.0 * math.pi, abs=1e-9)
    assert log.base.distance == pytest.approx(SPEED * end, rel=1e-4)  # chords of a circle of 400 / 1.5 parts
    assert log.base.lateral == pytest.approx(0.0, abs=1e-9)
    assert log.base.poses[-1].speed == pytest.approx(SPEED)


def test_a_base_that_cannot_yaw_is_followed_along_x():
    log = RunLog(can_drift=True)
    for k in range(10):
        log.on_odometry(odometry(0.1 * k, 0.02 * k, y=0.01 * k, forward=0.2, lateral=0.1), {})
    assert (log.base.distance, log.base.lateral, log.base.yaw) == (pytest.approx(0.18), pytest.approx(0.09), 0.0)


def test_the_slip_of_a_foot_is_positive_forward():
    log = RunLog(can_yaw=True)
    log.on_odometry(odometry(0.0, 0.0, yaw=math.pi / 2.0), {})
    log.on_contacts(contacts(0.0, ContactMode.SLIP_POS, slip=(0.3, 0.7)), {})
    assert log.contacts[0].slip == [pytest.approx(0.7)]


def test_a_step_is_the_gain_of_a_period():
    log = crawl(RunLog(), 6.0)
    measured = measure(log, PERIOD, settling=PERIOD)
    assert measured.step_length == pytest.approx(0.02 * PERIOD, rel=1e-6)
    assert measured.steady
    assert measured.cycles == int((5.99 - PERIOD) / PERIOD)
    assert latest_step(log, PERIOD) == pytest.approx(0.02 * PERIOD, rel=1e-5)


def test_a_run_shorter_than_a_period_has_no_step_and_one_that_has_not_settled_says_so():
    assert measure(crawl(RunLog(), 0.5), PERIOD, 0.0) is None
    assert not measure(crawl(RunLog(), 1.5), PERIOD, settling=2.0).steady


@pytest.mark.parametrize("cut", ["touch_down", "lift_off"])
def test_strides_end_with_the_foots_event_and_their_period_is_measured(cut):
    log = RunLog(stride=StrideSpec(cut, "foot"))
    stride = 0.31  # s; the gait says another period
    for k in range(3000):
        t = 0.002 * k
        if k % 5 == 0:
            log.on_odometry(odometry(t, 0.02 * t, forward=0.02), {})
        mode = ContactMode.OPEN if t % stride < 0.1 else ContactMode.STICK
        log.on_contacts(contacts(t, mode), {})
    measured = measure(log, 0.5, settling=1.0)
    assert measured.period == pytest.approx(stride, abs=0.002 / measured.cycles)  # events are known to a tick
    assert measured.step_length == pytest.approx(0.02 * stride, rel=1e-3)
    assert measured.speed == pytest.approx(0.02, rel=1e-9)
    assert measured.steady
    assert latest_step(log, 0.5) == pytest.approx(0.02 * stride, rel=0.01)
    assert mode_shares(log)["foot"]["open"] == pytest.approx(0.1 / stride, abs=0.02)


def test_a_foot_that_bounces_where_it_lands_ends_one_stride_and_not_two():
    bouncing, told = (
        RunLog(stride=StrideSpec("touch_down", "foot")),
        RunLog(stride=StrideSpec("touch_down", "foot", 0.1)),
    )
    for log in (bouncing, told):
        for k in range(1500):
            t = 0.002 * k
            log.on_odometry(odometry(t, 0.02 * t, forward=0.02), {})
            flying = t % 0.3 < 0.1 or 0.12 <= t % 0.3 < 0.14
            log.on_contacts(contacts(t, ContactMode.OPEN if flying else ContactMode.STICK), {})
    assert measure(told, 0.5, settling=0.5).period == pytest.approx(0.3, abs=0.002)
    assert measure(bouncing, 0.5, settling=0.5).period == pytest.approx(0.15, abs=0.02)


def test_joints_and_contacts_are_thinned_unless_everything_is_wanted():
    thin, whole = RunLog(), RunLog(sample_period=0.0)
    for log in (thin, whole):
        for k in range(100):
            log.on_contacts(contacts(0.002 * k, ContactMode.STICK), {})
    assert len(whole.contacts) == 100
    assert len(thin.contacts) == 20


def test_a_log_does_not_grow_after_five_minutes():
    """Of what comes most rarely, 50 times a second, as of all else."""
    log = RunLog()
    hear = {topic.name: callback for topic, callback in log.topics()}["controller_state"]
    data = bytearray(serialize_message(ControllerState(branch="tracking")))
    sizes = []
    for k in range(50 * 500):
        data[4:8], data[8:12] = (k // 50).to_bytes(4, "little"), (k % 50 * 20_000_000).to_bytes(4, "little")
        hear(bytes(data), {})
        sizes.append(len(log.branches))
    assert max(sizes[50 * 300 :]) <= max(sizes[: 50 * 300])
    weights = [weight for weight, _ in log.branches.weighted()]
    assert sum(weights) == pytest.approx(len(sizes), abs=max(weights))  # and it stands for all of them


def test_a_long_run_is_measured_as_if_all_of_it_had_been_kept():
    """Ten minutes in a log that keeps a minute and a half of them, beside one that keeps them all."""
    long, whole = RunLog(), RunLog(sample_period=0.0)
    long.base.poses, long.contacts = DecimatingBuffer(9_000), DecimatingBuffer(9_000)
    for log in (long, whole):
        log.feet = ["foot"]
        for k in range(60_000):
            t = 0.01 * k
            x, v = 0.02 * t + 0.01 * math.sin(SWING * t), 0.02 + 0.01 * SWING * math.cos(SWING * t)
            log.base.poses.append(BasePose(t, x, v, 0.0, 0.0))
            log.contacts.append(FeetSample(t, [ContactMode.STICK if k % 3 else ContactMode.SLIP_POS], [0.0]))
    assert len(long.base.poses) <= 9_000
    brief, full = measure(long, PERIOD, settling=3.0), measure(whole, PERIOD, settling=3.0)
    assert brief.cycles == full.cycles > 700
    assert brief.step_length == pytest.approx(full.step_length, abs=1e-12)
    assert mode_shares(long)["foot"]["stick"] == pytest.approx(mode_shares(whole)["foot"]["stick"], abs=1e-3)


def test_contacts_of_another_robot_on_the_same_topic_are_not_taken_for_its_own():
    log = RunLog()
    log.on_contacts(contacts(0.0, ContactMode.STICK), {})
    log.on_contacts(contacts(1.0, ContactMode.OPEN, foot="paw"), {})
    assert log.feet == ["foot"]
    assert mode_shares(log) == {"foot": {"stick": 1.0}}


def test_time_that_goes_back_is_noticed():
    log = crawl(RunLog(), 2.0)
    log.on_odometry(odometry(0.1, 0.0), {})
    assert log.went_back
    assert log.base.now == pytest.approx(0.1)


def test_a_cleared_log_knows_the_present_only():
    log = crawl(RunLog(), 2.0)
    log.clear()
    assert len(log.base.poses) == 1
    assert log.base.now == pytest.approx(1.99)


def states(time, effort, rate):
    message = JointState(name=["wheel", "arm"], position=[0.0, 0.0], effort=[effort, 99.0], velocity=[rate, 9.0])
    set_stamp(message.header.stamp, round(time * 1e9))
    return serialize_message(message)


def test_a_stride_is_charged_with_what_it_asks_of_the_ground_and_of_its_motor():
    log = RunLog(stride=StrideSpec("touch_down", "foot"), effort_joints=("wheel",))
    for k in range(400):
        time, phase = 0.005 * k, k % 100
        mode = ContactMode.STICK if phase < 20 else ContactMode.SLIP_NEG if phase < 30 else ContactMode.OPEN
        force = (-30.0, 0.0, 100.0) if phase < 30 else (0.0, 0.0, 0.0)
        log.on_contacts(contacts(time, mode, (-0.2 if mode is ContactMode.SLIP_NEG else 0.0, 0.0), force=force), {})
        log.on_odometry(odometry(time, time), {})
        log._on_joints(states(time, 4.0 if k == 250 else 1.0, -3.0), {})
    assert list(log.strides.events) == pytest.approx([0.5, 1.0, 1.5])
    assert [stride.torque for stride in log.strides.loads] == [1.0, 1.0, 4.0]
    found = peak_stride_loads(log, 0.1)
    assert found["friction_used"] == pytest.approx(0.3)
    assert found["slip_per_stride_m"] == pytest.approx(10 * 0.005 * 0.2)
    assert (found["peak_torque_N_m"], found["peak_power_W"]) == (4.0, 12.0)  # of the joint that is driven by effort
    assert peak_stride_loads(RunLog(), 0.0) == {}


@pytest.mark.parametrize(
    ("said", "halts"),
    [
        (["disabled", "active", "active"], []),  # as at the start
        (["active", "disabled", "active"], ["disabled"]),
        (["active", "e-stopped", "disabled", "active"], ["e-stopped"]),
        (["active", "disabled finished"], []),  # as at the end of a run on motors
    ],
)
def test_what_stopped_the_robot_on_the_way_is_kept(said, halts):
    log = RunLog()
    (hear,) = [callback for topic, callback in log.topics() if topic.name == "diagnostics"]
    for words in said:
        motion, _, finished = words.partition(" ")
        values = {"motion": motion, "finished": str(bool(finished))}
        entries = [KeyValue(key=key, value=value) for key, value in values.items()]
        status = DiagnosticStatus(name="left/backend", message=f"motion is {motion}", values=entries)
        hear(serialize_message(DiagnosticArray(status=[status])), {})
    assert list(log.status.stops) == halts


def test_the_period_is_that_of_the_gait_in_force_and_since_when_is_known():
    """Whoever shows the latest step of a run in which the gait is changed needs that of now."""
    log = RunLog()
    log.start = 100.0
    (hear,) = [callback for topic, callback in log.topics() if topic.name == "diagnostics"]
    assert math.isnan(log.status.period)
    for told, at, period, changed in (
        ("4.83", "0", 4.83, None),
        ("2.09", "107500000000", 2.09, 7.5),
        ("soon", "?", 2.09, 7.5),
    ):
        entries = [KeyValue(key="period", value=told), KeyValue(key="changed_ns", value=at)]
        status = DiagnosticStatus(name="left/gait", values=entries)
        hear(serialize_message(DiagnosticArray(status=[status])), {})
        assert log.status.period == period
        assert log.changed == changed

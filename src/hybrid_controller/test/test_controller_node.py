"""The controller node in a graph with a stand-in for the backend and the gait node."""

import math
import time
from functools import partial

import numpy as np
import pytest
from builtin_interfaces.msg import Duration, Time
from crawler_interfaces.msg import ContactState, ContactStateArray, ControllerState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from crawler_core.errors import UserError
from hybrid_controller.estimation.odometry_delay import ODOMETRY_DELAY_NS
from hybrid_controller.node import lockstep_wait
from hybrid_controller.node.controller_node import ControllerNode

MS = 1_000_000
DT = 5 * MS
NAMES = ["joint_2", "extra", "joint_1"]  # as a backend may order them


def time_of(time_ns):
    return Time(sec=time_ns // 10**9, nanosec=time_ns % 10**9)


def ns_of(stamp):
    return stamp.sec * 10**9 + stamp.nanosec


def motion(time_ns):
    """A gait of joint_1 and joint_2 that starts at rest in 1.9 and 1.7."""
    t = time_ns * 1e-9 + np.zeros(2)
    return np.array([1.9, 1.7]) + 0.3 * (1 - np.cos(8 * t)), 2.4 * np.sin(8 * t), 19.2 * np.cos(8 * t)


class World(Node):
    """Sends states and references, and keeps what the controller says."""

    def __init__(self, **options):
        super().__init__("world", **options)
        self.commands: list[JointState] = []
        self.states: list[ControllerState] = []
        self.words: list[str] = []
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.states_out = self.create_publisher(JointState, "joint_states", 10)
        self.motion_out = self.create_publisher(DiagnosticStatus, "motion_state", latched)
        self.contacts_out = self.create_publisher(ContactStateArray, "contact_states", 10)
        self.reference_out = self.create_publisher(JointTrajectory, "gait_reference", latched)
        self.create_subscription(JointState, "joint_commands", self.commands.append, 10)
        self.create_subscription(ControllerState, "controller_state", self.states.append, 100)
        self.create_subscription(DiagnosticArray, "diagnostics", self.on_diagnostics, 10)

    def on_diagnostics(self, message: DiagnosticArray):
        self.words.append(message.status[0].message)

    def send_state(self, time_ns, angles=(1.9, 1.7), speeds=(0.0, 0.0), names=NAMES, sender=""):
        by_name = {"joint_1": (angles[0], speeds[0]), "joint_2": (angles[1], speeds[1]), "extra": (math.nan, math.nan)}
        state = JointState(name=names)
        state.position = [by_name[name][0] for name in names]
        state.velocity = [by_name[name][1] for name in names]
        state.header.stamp, state.header.frame_id = time_of(time_ns), sender
        self.states_out.publish(state)

    def send_motion(self, sender, motion):
        self.motion_out.publish(DiagnosticStatus(name=sender, message=motion))

    def send_contacts(self, time_ns, feet=((2, 0.0), (2, 0.0))):
        message = ContactStateArray()
        for i, (mode, slip) in enumerate(feet, start=1):
            message.contacts.append(ContactState(foot=f"foot_{i}", mode=mode, source=2))
            message.contacts[-1].slip_velocity.x = slip
        message.header.stamp = time_of(time_ns)
        self.contacts_out.publish(message)

    def send_reference(self, begin_ns, end_ns, sender=""):
        message = JointTrajectory(joint_names=["joint_1", "joint_2"])
        message.header.stamp, message.header.frame_id = time_of(begin_ns), sender
        for time_ns in range(begin_ns, end_ns + 1, 10 * MS):
            q, v, a = motion(time_ns)
            point = JointTrajectoryPoint(positions=q.tolist(), velocities=v.tolist(), accelerations=a.tolist())
            point.time_from_start = Duration(nanosec=time_ns - begin_ns)
            message.points.append(point)
        self.reference_out.publish(message)


class Rig:
    """A controller node and its world, connected."""

    def __init__(self, graph, **parameters):
        self.graph = graph
        self.world = graph.add(World)
        self.node = graph.add(ControllerNode, **parameters)
        for publisher in (self.world.states_out, self.world.reference_out):
            graph.spin_until(publisher.get_subscription_count)
        graph.spin_until(lambda: self.node.count_subscribers("joint_commands"))
        graph.spin_until(lambda: self.node.count_subscribers("controller_state"))

    def reference(self, begin_ns, end_ns):
        """Send a reference and let it arrive."""
        self.world.send_reference(begin_ns, end_ns)
        self.graph.spin_until(lambda: self.node.controller.reference.remaining(0) == pytest.approx(end_ns * 1e-9))

    def ask(self, time_ns, **state):
        """Send a state and wait for its answer."""
        count = len(self.world.commands)
        self.world.send_state(time_ns, **state)
        self.graph.spin_until(lambda: len(self.world.commands) > count)
        command = self.world.commands[-1]
        assert ns_of(command.header.stamp) == time_ns
        return command

    def settle(self, rounds=20):
        """Let everything that is under way arrive."""
        for _ in range(rounds):
            self.graph.executor.spin_once(timeout_sec=0.005)


@pytest.fixture
def rig(graph):
    return lambda **parameters: Rig(graph, **parameters)


def test_each_state_is_answered_under_its_own_stamp_with_the_next_ticks_reference(rig):
    rig = rig(rate=200.0)
    rig.reference(0, 500 * MS)
    for now in range(0, 100 * MS, DT):
        command = rig.ask(now)
        q, v, _ = motion(now + DT)
        assert command.name == ["joint_1", "joint_2"]
        assert list(command.position) == pytest.approx(q, abs=1e-7)
        assert list(command.velocity) == pytest.approx(v, abs=1e-4)
        assert len(command.effort) == 0


def test_before_the_first_reference_it_commands_nothing_and_says_so(rig):
    rig = rig()
    rig.world.send_state(0)
    rig.graph.spin_until(lambda: rig.world.states)
    rig.settle()
    assert rig.world.commands == []
    assert rig.world.states[0].status == ControllerState.WAITING


def test_without_a_reference_ahead_it_stops_at_once_and_says_so(rig):
    rig = rig(state_rate=200.0)
    rig.reference(0, 100 * MS)
    speeds = [rig.ask(now).velocity[0] for now in range(0, 200 * MS, DT)]
    assert np.abs(np.diff(speeds)).max() <= 400.0 * 0.005  # the joints' acceleration limit
    assert speeds[-1] == 0.0
    rig.graph.spin_until(lambda: len(rig.world.states) == 40)
    statuses = [state.status for state in rig.world.states]
    assert statuses == sorted(statuses)
    assert set(statuses) == {ControllerState.TRACKING, ControllerState.STOPPING, ControllerState.STOPPED}
    rig.graph.spin_until(lambda: any("stopped" in word for word in rig.world.words))


def test_lockstep_waits_for_the_reference_and_then_answers(rig):
    rig = rig(lockstep=True, reference_timeout=60.0)
    rig.world.send_state(0)
    rig.settle()
    assert rig.world.commands == []
    rig.world.send_reference(0, 50 * MS)
    rig.graph.spin_until(lambda: rig.world.commands)
    for now in range(DT, 45 * MS, DT):
        rig.ask(now)
    count = len(rig.world.commands)
    rig.world.send_state(45 * MS)  # its tick ends where the horizon ends
    rig.settle()
    assert len(rig.world.commands) == count
    rig.world.send_reference(40 * MS, 90 * MS)
    rig.graph.spin_until(lambda: len(rig.world.commands) > count)
    assert list(rig.world.commands[-1].position) == pytest.approx(motion(50 * MS)[0], abs=1e-7)


def test_an_answered_state_that_comes_again_gets_the_same_answer(rig):
    rig = rig(lockstep=True, reference_timeout=60.0)
    rig.reference(0, 500 * MS)
    rig.ask(0)
    first = rig.ask(DT)
    again = rig.ask(DT, angles=(1.0, 1.0))
    assert first == again


def test_lockstep_goes_on_without_a_reference_after_the_timeout(rig):
    rig = rig(lockstep=True, reference_timeout=0.1)
    rig.reference(0, 50 * MS)
    for now in range(0, 45 * MS, DT):
        rig.ask(now)
    begin = time.monotonic()
    speeds = [rig.ask(now).velocity[0] for now in range(45 * MS, 150 * MS, DT)]
    assert time.monotonic() - begin >= 0.1
    assert speeds[-1] == 0.0
    rig.reference(140 * MS, 900 * MS)
    for now in range(150 * MS, 800 * MS, DT):
        command = rig.ask(now)
    assert list(command.position) == pytest.approx(motion(800 * MS)[0], abs=1e-6)


def test_the_first_answer_in_lockstep_waits_until_all_listen_who_shall_miss_nothing(rig, monkeypatch):
    monkeypatch.setattr(lockstep_wait, "READERS_TIMEOUT_S", math.inf)
    rig = rig(lockstep=True, readers=2, reference_timeout=60.0)
    rig.reference(0, 500 * MS)
    rig.world.send_state(0)
    rig.graph.spin_until(lambda: rig.node.now_ns == 0)
    rig.settle()
    assert not rig.world.commands
    heard = []
    rig.world.create_subscription(JointState, "joint_commands", heard.append, 10)
    rig.graph.spin_until(lambda: rig.node.count_subscribers("joint_commands") == 2)
    rig.ask(0)  # the backend sends its state again
    rig.graph.spin_until(lambda: heard)
    assert ns_of(heard[0].header.stamp) == 0


def test_who_does_not_come_to_listen_is_not_waited_for_for_ever(rig, monkeypatch):
    monkeypatch.setattr(lockstep_wait, "READERS_TIMEOUT_S", 0.1)
    rig = rig(lockstep=True, readers=2, reference_timeout=60.0)
    rig.reference(0, 500 * MS)

    def answered():
        rig.world.send_state(0)
        return rig.world.commands

    rig.graph.spin_until(answered)


def test_two_runs_in_lockstep_are_equal_bit_for_bit_however_the_horizons_come(rig):
    rig = rig(lockstep=True, reference_timeout=60.0)

    def run(length, overlap):
        answers = []
        end = 0
        for now in range(0, 400 * MS, DT):
            if now + 2 * DT > end:
                begin = max(0, now - overlap) // (10 * MS) * (10 * MS)
                end = begin + length
                rig.world.send_reference(begin, end)
            answers.append(rig.ask(now))
        return answers

    assert run(250 * MS, 50 * MS) == run(70 * MS, 20 * MS)


@pytest.mark.parametrize("state", [{"angles": (math.nan, 1.7)}, {"speeds": (0.0, math.inf)}, {"names": ["joint_1"]}])
def test_a_state_that_cannot_be_used_stops_the_joints_and_is_reported(rig, state):
    rig = rig()
    rig.reference(0, 900 * MS)
    for now in range(0, 100 * MS, DT):
        rig.ask(now)
    for now in range(100 * MS, 200 * MS, DT):
        command = rig.ask(now, **state)
    assert list(command.velocity) == [0.0, 0.0]
    rig.graph.spin_until(lambda: any("is not known: the joints are brought to rest" in w for w in rig.world.words))
    for now in range(200 * MS, 800 * MS, DT):
        command = rig.ask(now)
    assert list(command.position) == pytest.approx(motion(800 * MS)[0], abs=1e-6)


def test_a_reference_that_cannot_be_used_is_reported_and_the_old_one_stays(rig):
    rig = rig()
    rig.reference(0, 500 * MS)
    rig.ask(0)
    rig.world.reference_out.publish(JointTrajectory(joint_names=["knee"]))
    rig.graph.spin_until(lambda: any("names the joints knee: it must name joint_1" in w for w in rig.world.words))
    assert list(rig.ask(DT).position) == pytest.approx(motion(2 * DT)[0], abs=1e-7)


def test_the_controller_state_shows_reference_error_and_horizon(rig):
    rig = rig(state_rate=50.0)
    rig.reference(0, 500 * MS)
    for now in range(0, 105 * MS, DT):
        rig.ask(now, angles=(2.0, 1.7), speeds=(0.1, 0.0))
    rig.graph.spin_until(lambda: len(rig.world.states) == 6)  # every fourth tick
    state = rig.world.states[-1]
    assert ns_of(state.header.stamp) == 100 * MS
    assert (state.law, state.joint_names) == ("joint_tracking", ["joint_1", "joint_2"])
    assert list(state.reference_position) == pytest.approx(motion(105 * MS)[0], abs=1e-7)
    assert list(state.position_error) == pytest.approx(np.array([2.0, 1.7]) - motion(100 * MS)[0], abs=1e-7)
    assert list(state.velocity_error) == pytest.approx(np.array([0.1, 0.0]) - motion(100 * MS)[1], abs=1e-4)
    assert list(state.saturated) == [False, False]
    assert state.horizon_remaining == pytest.approx(0.4)


def test_when_time_goes_back_it_starts_from_the_measured_pose_again(rig):
    rig = rig()
    rig.reference(0, 900 * MS)
    first = [rig.ask(now) for now in range(0, 100 * MS, DT)]
    for now in range(500 * MS, 600 * MS, DT):
        rig.ask(now)
    assert [rig.ask(now) for now in range(0, 100 * MS, DT)] == first


def test_lockstep_waits_for_the_contacts_of_the_same_instant_if_the_law_reads_them(rig):
    rig = rig(lockstep=True, law="hybrid")
    rig.graph.spin_until(rig.world.contacts_out.get_subscription_count)
    rig.reference(0, 500 * MS)
    rig.world.send_state(0)
    rig.settle()
    assert rig.world.commands == []
    rig.world.send_contacts(0)
    rig.graph.spin_until(lambda: rig.world.commands)
    rig.world.send_contacts(DT)  # the other way round
    rig.settle()
    rig.ask(DT)


def test_lockstep_that_gave_contacts_up_waits_for_them_again_once_they_have_come(rig):
    rig = rig(lockstep=True, law="hybrid", reference_timeout=60.0)
    world, spin_until = rig.world, rig.graph.spin_until
    spin_until(world.contacts_out.get_subscription_count)
    rig.reference(0, 500 * MS)
    world.send_state(0)
    spin_until(lambda: rig.node.now_ns == 0)
    rig.node.lockstep_wait.time_out()
    spin_until(lambda: len(world.commands) == 1)
    rig.ask(DT)  # as long as there are none, nobody waits for them
    world.send_contacts(DT)
    rig.settle()
    world.send_state(2 * DT)
    spin_until(lambda: rig.node.now_ns == 2 * DT)
    rig.settle()
    assert len(world.commands) == 2
    world.send_contacts(2 * DT)
    spin_until(lambda: len(world.commands) == 3)


def test_without_such_a_law_contacts_are_not_subscribed(rig):
    assert rig().world.contacts_out.get_subscription_count() == 0


def test_the_hybrid_law_without_contacts_tracks_the_joints_and_says_so(rig):
    rig = rig(law="hybrid", state_rate=200.0)
    rig.reference(0, 900 * MS)
    for now in range(0, 800 * MS, DT):
        q, v, _ = motion(now)
        command = rig.ask(now, angles=tuple(q), speeds=tuple(v))
    assert list(command.position) == pytest.approx(motion(800 * MS)[0], abs=1e-4)
    rig.graph.spin_until(lambda: any("nothing is known of the contact of foot_1" in word for word in rig.world.words))
    rig.graph.spin_until(lambda: rig.world.states[-1].branch)
    state = rig.world.states[-1]
    assert (state.law, state.branch) == ("hybrid", "joint_tracking")
    assert "foot_1" in state.note


def test_the_hybrid_law_shows_its_branch_and_what_it_tracks(rig):
    rig = rig(law="hybrid", state_rate=200.0)
    rig.graph.spin_until(rig.world.contacts_out.get_subscription_count)
    rig.reference(0, 500 * MS)
    for now in range(0, 100 * MS, DT):
        rig.world.send_contacts(now, ((4, -0.05), (3, 0.1)))
        rig.settle(1)
        q, v, _ = motion(now)
        rig.ask(now, angles=tuple(q), speeds=tuple(v))
    rig.graph.spin_until(lambda: rig.world.states[-1].branch == "contact_tracking")
    state = rig.world.states[-1]
    assert list(state.slip_velocity) == pytest.approx([-0.05, 0.1])
    assert sum(speed == 0.0 for speed in state.slip_reference) == 1  # one foot stands, the other advances
    assert max(state.slip_reference) > 0.0
    assert state.note == ""


def test_a_gain_of_the_hybrid_law_changes_on_the_way_and_a_bad_range_is_refused(rig):
    rig = rig(law="hybrid")
    assert rig.node.set_parameters([Parameter("k_p", value=50.0)])[0].successful
    assert rig.node.controller.law._law.k_p == 50.0
    refused = rig.node.set_parameters([Parameter("phi_min", value=140.0)])[0]
    assert "must be less than controller.phi_max" in refused.reason
    assert not rig.node.set_parameters([Parameter("contacts", value="estimated")])[0].successful


def test_estimates_are_published_under_the_stamp_of_the_state(rig):
    rig = rig(law="hybrid", contacts="estimated")
    got: list[ContactStateArray] = []
    rig.world.create_subscription(ContactStateArray, "contact_estimates", got.append, 10)
    rig.graph.spin_until(lambda: rig.node.count_subscribers("contact_estimates"))
    rig.reference(0, 500 * MS)
    rig.ask(0)
    rig.ask(DT)
    rig.graph.spin_until(lambda: len(got) == 2)
    assert [ns_of(message.header.stamp) for message in got] == [0, DT]
    assert [(c.foot, c.source) for c in got[1].contacts] == [("foot_1", 3), ("foot_2", 3)]


def test_a_command_carries_the_header_of_its_state_and_the_controllers_own_name(rig):
    rig = rig()
    rig.reference(0, 500 * MS)
    names = [rig.ask(now, sender="/backend#1").header.frame_id for now in (0, DT)]
    backend, _, controller = names[0].partition(" ")
    assert backend == "/backend#1"
    assert controller.startswith(rig.node.get_fully_qualified_name() + "#")
    assert names[0] == names[1]


def test_the_states_of_another_backend_are_not_answered(rig):
    rig = rig()
    rig.reference(0, 500 * MS)
    rig.ask(0, sender="/backend#1")
    for now in (0, DT, 400 * MS):
        rig.world.send_state(now, angles=(0.0, 9.0), sender="/other#2")
    command = rig.ask(DT, sender="/backend#1")
    assert list(command.position) == pytest.approx(motion(2 * DT)[0], abs=1e-7)
    assert {message.header.frame_id.partition(" ")[0] for message in rig.world.commands} == {"/backend#1"}
    assert rig.node.state_source.ignored == 3


def test_the_references_of_another_gait_node_are_not_followed(rig):
    rig = rig()
    rig.world.send_reference(0, 500 * MS, sender="/gait#1")
    rig.graph.spin_until(lambda: rig.node.reference_source.source == "/gait#1")
    rig.world.send_reference(0, 400 * MS, sender="/gait#2")
    rig.graph.spin_until(lambda: rig.node.reference_source.ignored == 1)
    assert rig.node.controller.reference.remaining(0) == pytest.approx(0.5)


def test_two_gait_nodes_are_named_with_their_nodes(rig):
    rig = rig()
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    second = rig.graph.add(partial(Node, "second"))
    second.create_publisher(JointTrajectory, "gait_reference", latched)
    rig.graph.spin_until(
        lambda: any("2 nodes publish gait_reference" in w and "/second" in w and "/world" in w for w in rig.world.words)
    )


def test_while_motion_is_not_allowed_it_stands_by_where_the_joints_are_and_goes_on_with_the_next_reference(rig):
    rig = rig()
    rig.reference(0, 900 * MS)
    for now in range(0, 100 * MS, DT):
        rig.ask(now, sender="/backend#1")
    rig.world.send_motion("/other#2", "faulted")  # is not its business
    rig.graph.spin_until(lambda: "/other#2" in rig.node.motion_states)  # else the next word would be in its place
    assert rig.node.motion_state.value == "active"
    rig.world.send_motion("/backend#1", "e-stopped")
    rig.graph.spin_until(lambda: rig.node.motion_state.value == "e-stopped")
    for now in range(100 * MS, 150 * MS, DT):
        command = rig.ask(now, sender="/backend#1", angles=(1.5, 1.6))
        assert (list(command.position), list(command.velocity)) == ([1.5, 1.6], [0.0, 0.0])
    rig.graph.spin_until(lambda: any("motion is e-stopped: standing by" in word for word in rig.world.words))
    rig.world.send_motion("/backend#1", "active")
    rig.graph.spin_until(lambda: rig.node.motion_state.value == "active")
    # the old reference is forgotten: nothing moves before there is a new one
    assert list(rig.ask(150 * MS, sender="/backend#1", angles=(1.5, 1.6)).position) == [1.5, 1.6]
    rig.reference(150 * MS, 950 * MS)
    speeds = [rig.ask(now, sender="/backend#1").velocity[0] for now in range(155 * MS, 900 * MS, DT)]
    assert np.abs(np.diff([0.0, *speeds])).max() <= 400.0 * 0.005
    assert list(rig.world.commands[-1].position) == pytest.approx(motion(900 * MS)[0], abs=1e-3)


def test_while_it_stands_by_odometry_is_not_kept(rig):
    rig = rig(law="hybrid", contacts="estimated")
    out = rig.world.create_publisher(Odometry, "odom", 10)
    rig.graph.spin_until(out.get_subscription_count)
    rig.world.send_motion("/backend#1", "disabled")
    rig.ask(0, sender="/backend#1")
    for now in range(DT, 50 * DT, DT):
        message = Odometry()
        message.pose.pose.orientation.w = 1.0
        message.header.stamp.nanosec = now
        out.publish(message)
        rig.graph.spin_until(lambda now=now: rig.node.inputs.odometry_ns == now)
        rig.ask(now, sender="/backend#1")
    assert rig.node.motion_state.value == "disabled"
    assert len(rig.node.inputs._odometry._waiting) <= 1 + ODOMETRY_DELAY_NS // DT


def test_after_motion_was_not_allowed_between_two_states_nothing_of_the_old_plan_is_commanded(rig):
    rig = rig(state_rate=200.0)
    rig.reference(0, 900 * MS)
    for now in range(0, 100 * MS, DT):
        rig.ask(now, sender="/backend#1")
    count = len(rig.world.commands)
    for word in ("disabled", "active"):
        rig.world.send_motion("/backend#1", word)
        rig.graph.spin_until(lambda word=word: rig.node.motion_state.value == word)
    rig.world.send_state(100 * MS, sender="/backend#1")
    rig.graph.spin_until(lambda: len(rig.world.states) == 21)
    assert rig.world.states[-1].status == ControllerState.WAITING
    assert len(rig.world.commands) == count  # the joints stay until there is a gait that begins where they are
    rig.reference(100 * MS, 950 * MS)
    assert list(rig.ask(105 * MS, sender="/backend#1").position) == pytest.approx([1.9, 1.7], abs=1e-2)


def test_no_contact_that_can_be_sent_ends_it(rig):
    rig = rig(law="hybrid")
    rig.graph.spin_until(rig.world.contacts_out.get_subscription_count)
    rig.reference(0, 900 * MS)
    rig.ask(0)
    rig.world.contacts_out.publish(ContactStateArray(contacts=[ContactState()]))
    rig.graph.spin_until(lambda: any("is not a valid ContactSource for a foot" in word for word in rig.world.words))
    rig.world.contacts_out.publish(ContactStateArray(contacts=[ContactState(mode=99, source=2)]))
    rig.world.contacts_out.publish(ContactStateArray(contacts=[ContactState(foot="x", source=2)] * 10_000))
    rig.graph.spin_until(lambda: rig.node.safe_subscriptions.rejected == 3)
    rig.ask(DT)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"law": "joint_trakking"}, "there is no control law 'joint_trakking': did you mean 'joint_tracking'?"),
        ({"rate": 1.0}, "controller.rate = 1.0 is not allowed: it must be 10 to 4000 Hz."),
        ({"lock_step": True}, "there is no parameter 'controller.lock_step': did you mean 'controller.lockstep'?"),
    ],
)
def test_a_bad_start_is_one_sentence(graph, parameters, sentence):
    with pytest.raises(UserError) as refused:
        graph.add(ControllerNode, **parameters)
    assert sentence in str(refused.value)


def estimated(now):
    """Contacts of both feet as a node of a user's would publish them."""
    message = ContactStateArray(contacts=[ContactState(foot=foot, mode=2, source=3) for foot in ("foot_1", "foot_2")])
    message.header.stamp.nanosec = now
    return message


def test_estimated_contacts_of_a_node_that_is_not_declared_are_not_followed_and_it_is_named(rig):
    rig = rig(law="hybrid")
    rig.graph.spin_until(rig.world.contacts_out.get_subscription_count)
    rig.reference(0, 900 * MS)
    rig.ask(0)
    rig.world.contacts_out.publish(estimated(DT))
    rig.graph.spin_until(lambda: any("comes from /" in word and "/world" in word for word in rig.world.words))
    assert rig.node.inputs.contacts_at(DT) == ()


def test_contacts_of_a_declared_topic_are_followed(rig):
    rig = rig(law="hybrid", contact_topic="my_contacts")
    out = rig.world.create_publisher(ContactStateArray, "my_contacts", 10)
    rig.graph.spin_until(out.get_subscription_count)
    rig.reference(0, 900 * MS)
    rig.ask(0)
    out.publish(estimated(DT))
    rig.graph.spin_until(lambda: len(rig.node.inputs.contacts_at(DT)) == 2)
    assert rig.node.safe_subscriptions.rejected == 0

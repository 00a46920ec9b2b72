"""The backend node with ideal joints behind it and a controller of the test's own before it."""

import itertools
import threading
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from crawler_interfaces.msg import ContactStateArray
from diagnostic_msgs.msg import DiagnosticArray
from ideal_joints import HOME, PATIENT, IdealBackend, IdealSettings, RealTime
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

from crawler_core.errors import BackendFault, UserError
from crawler_core.safety.supervisor import MotionState
from crawler_nodes.backend_node import startup
from crawler_nodes.backend_node.node import BackendNode, autostart
from crawler_nodes.messages.header import stamp_ns
from crawler_nodes.transport.estop_socket import stop_local_stacks


class Bench:
    """The node, and a client that notes what it says."""

    def __init__(self, graph):
        self.graph = graph
        self.spin_until = graph.spin_until
        self.client = graph.add(partial(Node, "client"))
        self.states, self.contacts, self.diagnostics = [], [], []
        self.client.create_subscription(JointState, "joint_states", self.states.append, 10)
        self.client.create_subscription(ContactStateArray, "contact_states", self.contacts.append, 10)
        self.client.create_subscription(DiagnosticArray, "diagnostics", self.diagnostics.append, 10)
        self.commands = self.client.create_publisher(JointState, "joint_commands", 10)
        self.node = None

    def start(self, backend=IdealBackend, on_exit="rest_then_release", **parameters):
        if parameters.get("lockstep"):
            parameters.setdefault("real_time_factor", 0.0)
        self.node = self.graph.add(partial(BackendNode, backend, IdealSettings), **{**PATIENT, **parameters})
        self.node.spec = replace(self.node.spec, safety=replace(self.node.spec.safety, on_exit=on_exit))
        self.body = self.node.supervised.backend
        autostart(self.node)
        self.spin_until(lambda: self.states and self.commands.get_subscription_count())
        return self.node

    def command(self, position=HOME, names=("joint_1", "joint_2"), answers=None, sender="", by=None):
        """Say where the joints shall be, in answer to a state; the newest one, unless another header is given."""
        message = JointState(name=list(names), position=[float(x) for x in position])
        header = self.states[-1].header if answers is None else answers
        message.header.stamp, message.header.frame_id = header.stamp, f"{header.frame_id} {sender}".rstrip()
        (by or self.commands).publish(message)

    def answer(self, position=HOME):
        """Answer the newest state and wait for the next."""
        now = stamp_ns(self.states[-1].header.stamp)
        self.command(position)
        self.spin_until(lambda: stamp_ns(self.states[-1].header.stamp) > now)

    def call(self, kind, name, **fields):
        return self.graph.call(self.client, kind, f"backend/{name}", kind.Request(**fields))


@pytest.fixture
def bench(graph):
    bench = Bench(graph)
    yield bench
    if bench.node is not None:
        bench.node.shut_down_safely()


def test_lockstep_waits_for_the_answer_to_each_state_and_for_no_other(bench):
    node = bench.start(lockstep=True)
    for k in range(1, 6):
        bench.answer()
        assert node.ticks == k
        assert stamp_ns(bench.states[-1].header.stamp) == k * 2_000_000
    stale = bench.states[0].header
    before = len(bench.states)
    bench.command(answers=stale)
    bench.spin_until(lambda: len(bench.states) > before)  # the unanswered state comes again
    assert node.ticks == 5
    assert bench.states[-1].header.stamp == bench.states[before - 1].header.stamp


def test_a_ring_that_shows_late_ends_a_backend_that_nobody_has_commanded(bench):
    bench.start()
    bench.client.create_publisher(JointState, "joint_states", 10)
    with pytest.raises(UserError, match=r"a stack already runs in this namespace .*client"):
        bench.spin_until(lambda: False)


def test_a_newcomer_does_not_end_the_backend_that_is_commanded(bench):
    node = bench.start(lockstep=True)
    bench.answer()
    bench.client.create_publisher(JointState, "joint_states", 10)
    bench.spin_until(lambda: any("2 nodes publish joint_states" in m.status[0].message for m in bench.diagnostics))
    bench.answer()
    assert node.active


def test_one_of_its_own_name_that_shows_late_ends_a_backend_that_has_just_been_commanded(bench, monkeypatch):
    monkeypatch.setattr(startup, "DUPLICATE_CHECK_S", 3600.0)  # on any machine
    bench.start(lockstep=True)
    bench.answer()
    bench.graph.add(partial(Node, "backend")).create_publisher(JointState, "joint_states", 10)
    with pytest.raises(UserError, match=r"a stack already runs in this namespace .*backend.*--namespace NAME"):
        bench.spin_until(lambda: False)


def test_every_state_comes_with_the_contacts_of_the_same_instant(bench):
    bench.start(lockstep=True)
    for _ in range(3):
        bench.answer()
    stamp = bench.states[-1].header.stamp
    bench.spin_until(lambda: bench.contacts and bench.contacts[-1].header.stamp == stamp)
    assert [entry.foot for entry in bench.contacts[-1].contacts] == ["foot_1", "foot_2"]


def test_the_applied_command_is_what_the_backend_gets(bench):
    bench.start(lockstep=True)
    target = HOME + [0.00002, -0.00002]  # near enough not to be approached
    bench.answer(target)
    assert (bench.body.told == target).all()
    assert list(bench.states[-1].position) == list(target)


@pytest.mark.parametrize(
    ("names", "position", "words"),
    [
        (("joint_1", "joint_3"), HOME, "joint_3"),
        (("joint_1",), HOME[:1], "each actuated joint once"),
        (("joint_1", "joint_2"), HOME[:1], "1 values of position for 2 joints"),
        (("joint_1", "joint_2"), [np.nan, 1.9], "joint_1"),
    ],
)
def test_a_command_that_cannot_be_used_is_refused_and_reported(bench, names, position, words):
    node = bench.start(lockstep=True, lockstep_timeout=0.3)  # time goes on alone, so that reports go on
    bench.answer()
    bench.spin_until(lambda: bench.command(position, names) or node.supervised.supervisor.report.rejected)
    assert words in node.supervised.supervisor.report.last_rejection
    assert np.isfinite(bench.body.told).all()
    bench.spin_until(
        lambda: any(
            entry.key == "last_rejection" and words in entry.value
            for message in bench.diagnostics
            for entry in message.status[0].values
        )
    )


def test_without_a_controller_lockstep_goes_on_alone_holds_and_relaxes(bench):
    node = bench.start(lockstep=True, lockstep_timeout=0.3)
    bench.answer()
    bench.spin_until(lambda: node.supervised.supervisor.motion.value == "holding")
    bench.spin_until(lambda: node.supervised.supervisor.motion.value == "relaxed")
    assert bench.body.relaxed == 1


class SlowTicks(IdealBackend):
    """The same joints, on a bus whose cycle takes longer than a tick."""

    def observe(self):
        return replace(super().observe(), time_ns=self.ticks * self.dt_ns * 4 // 3)


@pytest.mark.parametrize(("backend", "stop_at"), [(IdealBackend, 0.01), (SlowTicks, 0.0132)])
def test_time_stands_still_at_the_end(bench, backend, stop_at):
    node = bench.start(backend, lockstep=True, stop_at=stop_at)
    for _ in range(5):
        bench.answer()
    assert node.finished
    heard = node._report.commanded_at
    bench.command()
    bench.spin_until(lambda: node._report.commanded_at > heard)
    assert node.ticks == 5


def test_a_system_clock_that_is_set_is_reported(bench, monkeypatch):
    plain, ahead = time.time_ns, [0]
    monkeypatch.setattr(time, "time_ns", lambda: plain() + ahead[0])
    bench.start(RealTime)
    ahead[0] = -60 * 10**9
    bench.spin_until(lambda: any("set back by 60 s" in one.status[0].message for one in bench.diagnostics))


def test_motors_come_to_rest_and_are_let_go_at_the_end_whoever_commands_on(bench):
    node = bench.start(RealTime, stop_at=0.2)
    bench.spin_until(lambda: bench.command() or node.finished)
    bench.spin_until(lambda: bench.command() or node.supervised.supervisor.motion.value == "disabled")
    bench.spin_until(lambda: bench.body.relaxed)
    last = bench.diagnostics[-1]
    bench.spin_until(lambda: bench.command() or bench.diagnostics[-1] is not last)  # commands change nothing
    assert node.supervised.supervisor.motion.value == "disabled"
    (status,) = bench.diagnostics[-1].status
    assert {entry.key: entry.value for entry in status.values}["finished"] == "True"
    refused = bench.call(SetBool, "enable", data=True)
    assert not refused.success
    assert refused.message == "the run has ended: start it again"


def test_motors_that_were_moved_before_time_began_go_on_from_where_they_are(bench):
    told = []

    class Sagging(RealTime):
        def apply(self, command):
            told.append(command.position)
            return super().apply(command)

    node = bench.graph.add(partial(BackendNode, Sagging, IdealSettings), **PATIENT, readers=2)  # one is still to come
    bench.node = node
    autostart(node)
    sagged = node.supervised.backend.told = HOME - 0.7
    bench.client.create_subscription(JointState, "joint_states", lambda _: None, 10)
    bench.spin_until(lambda: bench.states and (bench.command() or told))
    assert list(bench.states[0].position) == list(sagged)
    # a tick from there at the very most, whatever was commanded
    assert np.abs(told[0] - sagged).max() <= node.spec.safety.approach_velocity / PATIENT["rate"]


def test_what_shall_be_let_go_at_once_is_not_followed_any_more_and_begins_anew_where_it_is(bench):
    node = bench.start(RealTime, on_exit="release")
    bench.spin_until(lambda: bench.command() or node.supervised.applied is not None)
    step = Transition(id=Transition.TRANSITION_DEACTIVATE)
    assert bench.call(ChangeState, "change_state", transition=step).success
    assert bench.body.relaxed
    assert node.supervised.supervisor.motion.value == "disabled"
    fallen = bench.body.told = HOME - 0.7
    assert bench.call(ChangeState, "change_state", transition=Transition(id=Transition.TRANSITION_ACTIVATE)).success
    bench.spin_until(lambda: bench.command() or node.supervised.applied is not None)
    near = node.spec.safety.approach_velocity  # rad: what it could have gone in a second of catching up
    assert (node.supervised.applied.position - fallen < near).all()
    assert node.supervised.supervisor.motion.value == "active"


def test_an_error_that_nobody_foresaw_on_the_way_out_leaves_no_torque(bench):
    node = bench.start(RealTime, on_exit="rest_then_release")
    bench.spin_until(lambda: bench.command() or node.supervised.applied is not None)
    node._scheduler.stop()

    def burst(_command):
        raise ZeroDivisionError("surprise")

    bench.body.apply = burst
    node.shut_down_safely()
    assert bench.body.relaxed
    assert bench.body.closed


@pytest.mark.parametrize("leaving", [False, True])
def test_of_motors_any_thread_can_take_the_torque_off_while_a_tick_hangs(bench, leaving):
    free = threading.Event()

    class Hanging(RealTime):
        hangs = False

        def advance(self, dt):
            if self.hangs:
                free.wait(60.0)

    node = bench.start(Hanging)
    bench.spin_until(lambda: bench.command() or node.supervised.applied is not None)
    bench.body.hangs = True
    if leaving:  # it has begun to bring the joints to rest, which hangs too
        way_out = threading.Thread(target=node.shut_down_safely)
        way_out.start()
        bench.spin_until(lambda: not node.active)
    node.release_torque()
    assert bench.body.relaxed
    free.set()
    if leaving:
        way_out.join()
    assert node.supervised.supervisor.motion.value == "disabled"


def test_disabling_takes_the_torque_off_where_no_tick_comes_any_more(bench):
    node = bench.start(RealTime, on_exit="hold", stop_at=0.1)
    bench.spin_until(lambda: bench.command() or node.supervised.supervisor.motion.value == "disabled")
    assert not bench.body.relaxed  # it holds, as it should
    assert bench.call(SetBool, "enable", data=False).success
    assert bench.body.relaxed


@pytest.mark.parametrize(("kind", "name", "words"), [(Trigger, "estop", {}), (SetBool, "enable", {"data": False})])
def test_torque_that_cannot_be_taken_off_is_no_success(bench, kind, name, words):
    bench.start(lockstep=True)
    bench.answer()

    def deaf():
        raise BackendFault("joint_1 does not listen", remedy="switch the power off")

    bench.body.relax = deaf
    answer = bench.call(kind, name, **words)
    assert not answer.success
    assert "joint_1 does not listen: switch the power off" in answer.message


def test_paced_ticks_follow_the_clock_and_use_the_newest_command(bench):
    node = bench.start(rate=100.0)
    target = HOME + [0.002, 0.0]
    bench.spin_until(lambda: bench.command(target) or list(bench.states[-1].position) == list(target))
    assert node.ticks > 0
    began, ticks = time.monotonic(), node.ticks
    bench.spin_until(lambda: node.ticks >= ticks + 50)
    # 50 ticks of 10 ms cannot pass in less than 0.4 s, however the machine is loaded
    assert time.monotonic() - began > 0.4


def test_estop_takes_the_torque_off_and_latches(bench):
    node = bench.start(lockstep=True)
    bench.answer()
    assert bench.call(Trigger, "estop").success
    assert bench.body.relaxed == 1
    told = bench.body.told.copy()
    bench.answer(HOME + 0.001)
    assert (bench.body.told == told).all()
    refused = bench.call(SetBool, "enable", data=True)
    assert not refused.success
    assert "reset" in refused.message
    assert bench.call(Trigger, "reset").success
    bench.answer(HOME + 0.001)
    assert (bench.body.told == told).all()
    assert bench.call(SetBool, "enable", data=True).success
    bench.answer(told)
    assert node.supervised.supervisor.motion.value == "active"
    # each of them is said, however short it lasted
    words = [{entry.key: entry.value for entry in m.status[0].values}.get("motion") for m in bench.diagnostics]
    assert [motion for motion, _ in itertools.groupby(words)][-4:] == ["active", "e-stopped", "disabled", "active"]


def test_estop_by_the_local_socket_needs_no_executor(bench):
    node = bench.start(lockstep=True)
    (answer,) = stop_local_stacks(node.context.get_domain_id())  # while nobody spins the node
    assert (answer.namespace, answer.done) == (bench.graph.namespace, True)
    assert "motion needs reset, then enable" in answer.text
    assert node.supervised.supervisor.motion is MotionState.ESTOPPED
    assert bench.graph.namespace in answer.stacks


def test_estop_takes_the_torque_off_before_it_logs(bench, monkeypatch):
    node = bench.start(lockstep=True)
    bench.answer()
    relaxed = []
    logger = node.get_logger()
    monkeypatch.setattr(logger, "warning", lambda _text: relaxed.append(bench.body.relaxed))
    monkeypatch.setattr(node, "get_logger", lambda: logger)
    assert bench.call(Trigger, "estop").success
    assert relaxed == [1]


def test_a_fault_latches_and_diagnostics_name_joint_cause_and_remedy(bench):
    bench.start(lockstep=True)
    bench.answer()
    bench.body.broken = "the bus is off"
    bench.command()
    bench.spin_until(lambda: any(m.status[0].message == "the bus is off" for m in bench.diagnostics))
    status = next(m.status[0] for m in bench.diagnostics if m.status[0].message == "the bus is off")
    values = {entry.key: entry.value for entry in status.values}
    assert status.level == b"\x02"
    assert values["joint"] == "joint_2"
    assert values["remedy"] == "mend it"
    assert bench.body.relaxed == 1


def test_an_error_that_nobody_foresaw_takes_the_torque_off_and_is_reported(bench):
    node = bench.start(rate=100.0)
    bench.spin_until(lambda: bench.command(HOME) or node.supervised.applied is not None)

    def burst(_dt):
        raise ZeroDivisionError("surprise")

    bench.body.advance = burst
    bench.spin_until(lambda: any("surprise" in m.status[0].message for m in bench.diagnostics))
    assert bench.body.relaxed == 1
    assert node.supervised.supervisor.motion.value == "faulted"
    refused = bench.call(Trigger, "reset")
    assert not refused.success
    assert refused.message == "the backend broke: restart it"
    assert node.supervised.supervisor.motion.value == "faulted"


def test_an_unknown_angle_of_a_joint_is_a_fault_and_not_a_crash(bench):
    node = bench.start(lockstep=True, tf_rate=500.0)
    bench.answer()
    bench.body.told = HOME + [0.0, np.nan]
    bench.body.apply = lambda command: command
    bench.answer()
    bench.answer()
    assert node.supervised.supervisor.motion.value == "faulted"
    assert node.supervised.supervisor.report.joint == "joint_2"


def test_leaving_brakes_then_relaxes_then_closes(bench):
    node = bench.start(lockstep=True)
    position = HOME.copy()
    for _ in range(100):  # in which it catches up
        position = position + [0.0018, 0.0]  # 0.9 rad/s
        bench.answer(position)
    assert bench.body.told[0] == position[0]
    node.shut_down_safely()
    assert bench.body.told[0] > position[0]  # it ran on a little instead of stopping dead
    assert bench.body.relaxed == 1
    assert bench.body.closed


def test_a_backend_that_cannot_open_ends_with_a_sentence(bench):
    class Broken(IdealBackend):
        def open(self):
            raise BackendFault("no servo answers", remedy="switch the power on")

    with pytest.raises(UserError, match="no servo answers: switch the power on"):
        bench.start(Broken)


def test_as_fast_as_possible_needs_lockstep(bench):
    with pytest.raises(UserError, match=r"real_time_factor = 0 .*lockstep"):
        bench.start(real_time_factor=0.0)


def test_an_unknown_parameter_is_refused_with_the_nearest_name(bench):
    with pytest.raises(UserError, match=r"did you mean 'backend\.rate'"):
        bench.start(rat=100.0)


def test_a_transition_that_is_not_possible_is_refused_and_the_ring_goes_on(bench):
    node = bench.start(lockstep=True)
    for wanted in (
        Transition(id=Transition.TRANSITION_CONFIGURE),
        Transition(id=Transition.TRANSITION_CLEANUP),
        Transition(id=255),
        Transition(label="nonesuch"),
    ):
        assert not bench.call(ChangeState, "change_state", transition=wanted).success
    bench.answer()
    assert node.active


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([Transition.TRANSITION_DEACTIVATE], "inactive, and its time stands still: activate it"),
        ([Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP], "closed: configure and activate it"),
        ([Transition.TRANSITION_ACTIVE_SHUTDOWN], "shut down and stays inactive: start it again"),
    ],
)
def test_a_backend_whose_time_stands_still_says_why(bench, steps, words):
    node = bench.start(lockstep=True)
    for step in steps:
        assert bench.call(ChangeState, "change_state", transition=Transition(id=step)).success
    bench.spin_until(lambda: bench.diagnostics and words in bench.diagnostics[-1].status[0].message)
    status = bench.diagnostics[-1].status[0]
    assert {"active": "False"}.items() <= {entry.key: entry.value for entry in status.values}.items()
    assert status.level == b"\x01"
    assert not node.active


@pytest.mark.parametrize("kind", [SetParameters, SetParametersAtomically])
@pytest.mark.parametrize("value", [ParameterValue(type=99), ParameterValue(type=255)])
def test_a_parameter_of_no_type_is_refused_and_the_ring_goes_on(bench, kind, value):
    bench.start(lockstep=True)
    name = "set_parameters" if kind is SetParameters else "set_parameters_atomically"
    answer = bench.call(kind, name, parameters=[Parameter(name="rate", value=value)])
    for result in answer.results if kind is SetParameters else [answer.result]:
        assert not result.successful
        assert "is rejected" in result.reason
    bench.answer()

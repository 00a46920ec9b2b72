"""How time runs for a backend: by answers or by the clock, on a node that is none and in a time of the test's own."""

import math
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from crawler_core.loop import pacer
from crawler_core.loop.backend_settings import BackendSettings
from crawler_core.types import JointCommand, Observation
from crawler_nodes.backend_node import scheduler
from crawler_nodes.backend_node.scheduler import REPEAT_PERIOD_S, LockstepScheduler, RealTimeScheduler

DT_NS = 5_000_000
COMMAND, OTHER = (JointCommand(np.full(1, q), np.zeros(1), np.zeros(1)) for q in (0.0, 1.0))
LONG = 60.0  # s, a deadline that only a broken keeper meets


class FakeTimer:
    def __init__(self, period, callback):
        self.period, self.callback, self.ended = period, callback, False

    def cancel(self):
        self.ended = True


class FakeNode:
    """What the keepers need of a backend node: it notes what they do."""

    def __init__(self, simulated=True, **settings):
        self.settings = replace(BackendSettings(), **settings)
        self.supervised: Any = SimpleNamespace(observation=self._seen(0), backend=SimpleNamespace(simulated=simulated))
        self.dt_ns = DT_NS
        self.overruns = self.blocked_ticks = 0
        self.finished = self.ended = False
        self.published, self.ticks, self.crashes, self.timers = [], [], [], []
        self.ends_after = None
        self.broken = False
        self.open_commands = None

    @property
    def time_factor(self):
        return self.settings.real_time_factor if self.supervised.backend.simulated else 1.0

    @staticmethod
    def _seen(time_ns):
        return Observation(time_ns, np.zeros(1), np.zeros(1), np.zeros(1))

    def publish(self, observation):
        self.published.append(observation.time_ns)

    def tick(self, command, age_s=0.0):
        if self.broken:
            raise ZeroDivisionError("surprise")
        self.ticks.append(command)
        self.supervised.observation = self._seen(self.supervised.observation.time_ns + DT_NS)
        self.publish(self.supervised.observation)
        self.finished = len(self.ticks) == self.ends_after

    def fail_safe(self, error):
        self.crashes.append(error)

    def finish_run(self):
        self.ended = True

    def create_timer(self, period, callback, *, clock):
        self.timers.append(FakeTimer(period, callback))
        return self.timers[-1]

    def destroy_timer(self, timer):
        timer.ended = True


class FakePacer:
    """Waits for nothing, and notes what it was asked."""

    waits: list[object] = []  # noqa: RUF012 (each test has its own)

    def __init__(self, factor, **_how):
        self.factor = factor
        self.overruns = 0

    def restart(self):
        self.waits.append("restart")

    def wait(self, dt):
        self.waits.append((self.factor, dt))
        self.overruns += 3


@pytest.fixture
def clock(monkeypatch):
    """The wall clock of lockstep; s."""
    clock: Any = SimpleNamespace(now=50.0)
    clock.monotonic, clock.sleep = lambda: clock.now, None
    monkeypatch.setattr(scheduler, "time", clock)
    monkeypatch.setattr(pacer, "time", clock)
    return clock


@pytest.fixture
def waits(monkeypatch):
    """What the paced keepers' pacers have waited for: pairs of factor and dt."""
    monkeypatch.setattr(FakePacer, "waits", [])
    monkeypatch.setattr(scheduler, "Pacer", FakePacer)
    return FakePacer.waits


def test_lockstep_begins_with_a_state_and_ticks_once_for_the_answer_to_it(clock):
    node: Any = FakeNode(lockstep=True, real_time_factor=0.0)
    keeper = LockstepScheduler(node)
    keeper.start()
    assert node.published == [0]
    keeper.submit(0, COMMAND)
    assert node.published == [0, DT_NS]
    keeper.submit(0, COMMAND)  # once more the answer to what is past
    keeper.submit(2 * DT_NS, COMMAND)  # and one to what is not yet
    assert node.ticks == [COMMAND]


def test_an_answer_that_comes_before_its_tick_is_kept_and_nobody_sleeps(clock):
    node: Any = FakeNode(lockstep=True, real_time_factor=0.2)  # a tick of 5 ms takes 25
    keeper = LockstepScheduler(node)
    keeper.start()
    assert keeper.due == math.inf
    keeper.submit(0, COMMAND)  # the first tick is due at once
    assert node.ticks == [COMMAND]
    keeper.submit(DT_NS, COMMAND)
    keeper.submit(DT_NS, OTHER)  # said again: the first counts
    assert node.ticks == [COMMAND]
    assert keeper.due == pytest.approx(50.025)
    clock.now += 0.02
    keeper.run_due()
    assert node.ticks == [COMMAND]
    clock.now += 0.006
    keeper.run_due()
    assert node.ticks == [COMMAND, COMMAND]
    assert keeper.due == math.inf
    node.settings = replace(node.settings, real_time_factor=0.0)
    keeper.submit(2 * DT_NS, COMMAND)
    clock.now += 0.03
    keeper.run_due()
    keeper.submit(3 * DT_NS, COMMAND)  # as fast as it goes from the tick after
    assert len(node.ticks) == 4


def test_another_pace_holds_at_once_however_slow_the_old_one_was(clock):
    node: Any = FakeNode(lockstep=True, real_time_factor=1e-6)  # a tick takes more than an hour
    keeper = LockstepScheduler(node)
    keeper.start()
    for tick in range(2):
        keeper.submit(tick * DT_NS, COMMAND)
    assert keeper.due == pytest.approx(50.0 + 5000.0)
    clock.now += 1.0
    node.settings = replace(node.settings, real_time_factor=1.0)
    assert keeper.due == pytest.approx(51.0)
    keeper.run_due()
    assert len(node.ticks) == 2
    keeper.submit(2 * DT_NS, COMMAND)
    assert keeper.due == pytest.approx(51.005)


def test_a_paced_simulation_takes_another_pace_at_once_too():
    node: Any = FakeNode(real_time_factor=1e-6)
    keeper = RealTimeScheduler(node)
    keeper.start()
    node.settings = replace(node.settings, real_time_factor=1.0)
    wait_for(lambda: len(node.ticks) > 2)
    keeper.stop()


def test_an_answer_in_hand_is_not_asked_for_again(clock):
    node: Any = FakeNode(lockstep=True, real_time_factor=0.01, lockstep_timeout=2.0)
    keeper = LockstepScheduler(node)
    keeper.start()
    keeper.submit(0, COMMAND)
    keeper.submit(DT_NS, COMMAND)
    clock.now += 0.4
    node.timers[0].callback()
    assert node.published == [0, DT_NS]


def test_an_unanswered_state_is_said_again_and_no_sooner_than_due(clock):
    node: Any = FakeNode(lockstep=True)
    keeper = LockstepScheduler(node)
    keeper.start()
    (timer,) = node.timers
    assert timer.period == REPEAT_PERIOD_S
    clock.now += 0.9 * REPEAT_PERIOD_S
    timer.callback()
    assert node.published == [0]
    clock.now += 0.2 * REPEAT_PERIOD_S
    timer.callback()
    assert node.published == [0, 0]
    assert node.ticks == []


def test_before_the_first_command_lockstep_waits_for_ever(clock):
    node: Any = FakeNode(lockstep=True, lockstep_timeout=2.0)
    keeper = LockstepScheduler(node)
    keeper.start()
    clock.now += 1000.0
    node.timers[0].callback()
    assert node.ticks == []
    assert len(node.timers) == 1


def test_without_commands_time_goes_on_alone_until_one_comes(clock):
    node: Any = FakeNode(lockstep=True, real_time_factor=0.0, lockstep_timeout=2.0)
    keeper = LockstepScheduler(node)
    keeper.start()
    keeper.submit(0, COMMAND)
    clock.now += 2.1
    node.timers[0].callback()
    alone = node.timers[1]
    assert alone.period == DT_NS * 1e-9
    alone.callback()
    alone.callback()
    assert node.ticks == [COMMAND, None, None]
    clock.now += 2.1
    node.timers[0].callback()
    assert len(node.timers) == 2  # it is alone already
    keeper.submit(3 * DT_NS, COMMAND)
    assert alone.ended
    assert node.ticks == [COMMAND, None, None, COMMAND]


def test_at_the_end_time_stands_still_and_nothing_is_repeated(clock):
    node: Any = FakeNode(lockstep=True)
    node.ends_after = 1
    keeper = LockstepScheduler(node)
    keeper.start()
    keeper.submit(0, COMMAND)
    keeper.submit(DT_NS, COMMAND)
    clock.now += 100.0
    node.timers[0].callback()
    assert node.ticks == [COMMAND]
    assert node.published == [0, DT_NS]


def test_stopping_ends_every_timer(clock):
    node: Any = FakeNode(lockstep=True, real_time_factor=0.0, lockstep_timeout=2.0)
    keeper = LockstepScheduler(node)
    keeper.start()
    keeper.submit(0, COMMAND)
    clock.now += 2.1
    node.timers[0].callback()
    keeper.stop()
    assert [timer.ended for timer in node.timers] == [True, True]


def paced(node, *answers):
    """Let a paced keeper run to the node's end, with these answers to its first states there before they are asked."""
    keeper = RealTimeScheduler(node)
    tick = node.tick

    def answering(command, age_s=0.0):
        tick(command)
        if (k := len(node.ticks)) < len(answers):
            keeper.submit(k * DT_NS, answers[k])

    node.tick = answering
    if answers:
        keeper.submit(0, answers[0])
    keeper.start()
    keeper._thread.join(LONG)
    assert not keeper._thread.is_alive()
    keeper.stop()


def test_paced_ticks_take_the_newest_command_and_go_on_without(waits):
    node: Any = FakeNode(real_time_factor=4.0, answer_timeout=0.01)
    node.ends_after = 4
    paced(node, COMMAND, OTHER)
    assert node.published == [k * DT_NS for k in range(5)]
    assert node.ticks == [COMMAND, OTHER, None, None]
    assert waits == [(4.0, 0.005), "restart", *[(4.0, 0.005)] * 3]
    assert node.overruns == 4 * 3
    assert node.blocked_ticks == 1  # then it knows that it is alone


def wait_for(condition):
    deadline = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_a_paced_simulation_waits_for_the_answer_to_its_state_instead_of_stepping_without(waits):
    node: Any = FakeNode(answer_timeout=LONG)
    node.ends_after = 3
    keeper = RealTimeScheduler(node)
    keeper.start()
    wait_for(lambda: len(waits) == 1)  # the first tick is due
    keeper.submit(0, COMMAND)
    wait_for(lambda: node.blocked_ticks == 1)  # the second is due too, and waits
    keeper.submit(0, OTHER)  # no answer to the newest state
    assert node.ticks == [COMMAND]
    keeper.submit(DT_NS, OTHER)
    wait_for(lambda: node.blocked_ticks == 2)
    assert node.ticks == [COMMAND, OTHER]
    keeper.submit(2 * DT_NS, COMMAND)
    keeper._thread.join(LONG)
    assert node.ticks == [COMMAND, OTHER, COMMAND]


@pytest.mark.parametrize(("settings", "expected"), [({}, 0.5), ({"readers": 4}, 15.0)])
def test_the_time_of_a_paced_simulation_begins_with_the_stack_s_first_command(waits, settings, expected):
    node: Any = FakeNode(**settings)
    node.ends_after = 3
    keeper, timeouts = RealTimeScheduler(node), []
    submitted: Any = keeper._submitted
    submitted.wait_for = lambda _, timeout: timeouts.append(timeout) or keeper.submit(len(node.ticks) * DT_NS, COMMAND)
    keeper.start()
    keeper._thread.join(LONG)
    assert timeouts == [expected, 0.5, 0.5]
    assert node.ticks == [COMMAND] * 3


def test_motors_wait_for_nobody(waits):
    node: Any = FakeNode(simulated=False, answer_timeout=LONG)
    node.ends_after = 2
    paced(node)
    assert node.ticks == [None, None]
    assert node.blocked_ticks == 0


def test_motors_have_no_other_time_than_ours(waits):
    node: Any = FakeNode(simulated=False, real_time_factor=4.0)
    node.ends_after = 2
    paced(node)
    assert waits == [(1.0, 0.005)] * 2


def test_an_error_in_the_ticks_thread_is_handed_to_the_node(waits):
    node: Any = FakeNode(answer_timeout=0.0)
    node.broken = True
    paced(node)
    (error,) = node.crashes
    assert isinstance(error, ZeroDivisionError)


def test_a_paced_keeper_that_is_stopped_ticks_no_more(waits):
    node: Any = FakeNode()
    keeper = RealTimeScheduler(node)
    keeper.start()
    keeper.stop()
    count = len(node.ticks)
    keeper._thread.join(LONG)
    assert not keeper._thread.is_alive()
    assert len(node.ticks) <= count + 1  # one may be under way

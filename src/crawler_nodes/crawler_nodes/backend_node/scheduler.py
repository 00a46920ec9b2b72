"""The two ways in which the time of a backend node advances: with the controller's commands, or with the clock."""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING, Any

from rclpy.clock import Clock, ClockType

from crawler_core.loop.pacer import Pacer
from crawler_core.types import JointCommand
from crawler_nodes.backend_node.startup import START_TIMEOUT_S

if TYPE_CHECKING:
    from crawler_nodes.backend_node.node import BackendNode

ABANDON_TIMEOUT_S = 0.1  # for a tick that is under way
STOP_TIMEOUT_S = 1.0
SLEEP_POLL_S = 0.1  # after which a slow simulation notices a new real_time_factor
REPEAT_PERIOD_S = 0.2  # of wall time after which an unanswered state is published again


class LockstepScheduler:
    """Runs a tick for each command. Without commands the state is repeated, and later ticks run without them.

    Nothing here sleeps: a command that comes before its tick is due waits for `run_due`.
    """

    def __init__(self, node: BackendNode) -> None:
        self._node = node
        self._has_started = False  # a first command has come
        self._waiting_since = 0.0  # s on the steady clock
        self._pacer = Pacer(0.0)
        self._command: JointCommand | None = None  # that answers the present state
        self._tick_due = 0.0  # s on the steady clock
        self._free_running: Any = None  # the timer of ticks without commands

    def start(self) -> None:
        self._waiting_since = time.monotonic()
        self._node.publish(self._node.supervised.observation)
        self._timer = self._node.create_timer(REPEAT_PERIOD_S, self._check, clock=_steady_clock())

    def abandon(self) -> None:
        """Do nothing: only simulations run in lockstep."""

    def stop(self) -> None:
        self._timer.cancel()
        self._stop_free_running()
        self._command = None

    def submit(self, stamp: int, command: JointCommand) -> None:
        """Take a command; only the first that answers the present state counts."""
        if stamp != self._node.supervised.observation.time_ns or self._command is not None:
            return
        self._has_started = True
        self._stop_free_running()
        self._command = command
        self.run_due()

    @property
    def due(self) -> float:
        """When the tick of the waiting command may begin, s on the steady clock; infinity without one."""
        if self._command is None:
            return math.inf
        if self._pacer.factor != self._node.settings.real_time_factor:  # the wait at the old pace is over
            self._pacer.factor = self._node.settings.real_time_factor
            self._pacer.restart()
            self._tick_due = time.monotonic()
        return self._tick_due

    def run_due(self) -> None:
        """Run the tick of the waiting command, if it is due."""
        if self._command is None or time.monotonic() < self.due:
            return
        command, self._command = self._command, None
        self._tick(command)

    def _tick(self, command: JointCommand | None) -> None:
        if self._node.finished:
            return
        self._node.tick(command)
        open_commands = self._node.open_commands
        if open_commands is not None and open_commands.has_trajectory:
            self._command = open_commands.next_command()[0]  # time need not wait
        self._pacer.factor = self._node.settings.real_time_factor
        self._tick_due = self._waiting_since = self._pacer.next(self._node.dt_ns * 1e-9)

    def _check(self) -> None:
        """Repeat an unanswered state, or begin to run without commands."""
        waited_s = time.monotonic() - self._waiting_since
        is_busy = self._command is not None or self._free_running is not None
        if self._node.finished or is_busy or waited_s < REPEAT_PERIOD_S:
            return
        if self._has_started and waited_s > self._node.settings.lockstep_timeout:
            dt_s = self._node.dt_ns * 1e-9
            self._free_running = self._node.create_timer(dt_s, self._tick_freely, clock=_steady_clock())
        else:
            self._node.publish(self._node.supervised.observation)

    def _tick_freely(self) -> None:
        open_commands = self._node.open_commands
        self._tick(None if open_commands is None else open_commands.next_command()[0])

    def _stop_free_running(self) -> None:
        if self._free_running is not None:
            self._node.destroy_timer(self._free_running)
            self._free_running = None


class RealTimeScheduler:
    """Runs ticks on the steady clock, in a thread of its own.

    A simulation waits a while for the command of its state, since its time may stand still; motors cannot wait.
    """

    due = math.inf  # the thread needs no turns of the node's loop

    def __init__(self, node: BackendNode) -> None:
        self._node = node
        self._stopped = threading.Event()
        self._submitted = threading.Condition()
        self._latest: tuple[int, JointCommand | None] | None = None  # a command, with the stamp of the state it answers
        self._has_started = False  # a first command has come
        self._is_free_running = False  # no command came in time: do not wait until one comes
        self._pacer = Pacer(node.time_factor, evenly=not node.supervised.backend.simulated, sleep=self._sleep)
        self._thread = threading.Thread(target=self._run, name="ticks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def abandon(self) -> None:
        """Begin no further tick; one that hangs is not waited for."""
        self._stopped.set()
        self._thread.join(timeout=ABANDON_TIMEOUT_S)

    def stop(self) -> None:
        self._stopped.set()
        with self._submitted:
            self._submitted.notify()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=STOP_TIMEOUT_S)

    def submit(self, stamp: int, command: JointCommand | None) -> None:
        """Take a command: the latest one counts. None stands for one that `open_commands` has."""
        with self._submitted:
            self._latest = (stamp, command)
            self._submitted.notify()

    def run_due(self) -> None:
        """Do nothing: it is never due."""

    def _run(self) -> None:
        try:
            self._run_ticks()
        except Exception as error:  # any error must leave the motors safe
            self._node.fail_safe(error)

    def _run_ticks(self) -> None:
        node, pacer = self._node, self._pacer
        node.publish(node.supervised.observation)
        while not self._stopped.is_set() and not node.finished:
            if pacer.factor != node.time_factor:
                pacer.factor = node.time_factor
                pacer.restart()
            before = pacer.overruns
            pacer.wait(node.dt_ns * 1e-9)
            node.overruns += pacer.overruns - before
            command, age_s = self._take_command()
            if command is not None and not self._has_started:
                self._has_started = True
                pacer.restart()  # the wait for the controller's start is no overrun
            if not self._stopped.is_set():
                node.tick(command, age_s)
        if not node.supervised.backend.simulated and node.finished and not self._stopped.is_set():
            node.finish_run()

    def _sleep(self, seconds: float) -> None:
        """Sleep, unless it is stopped or gets another pace."""
        end, factor = time.monotonic() + seconds, self._node.time_factor
        while (left := end - time.monotonic()) > 0.0 and factor == self._node.time_factor:
            if self._stopped.wait(min(left, SLEEP_POLL_S)):
                return

    def _take_command(self) -> tuple[JointCommand | None, float]:
        """Return the command for the next tick and its age (s).

        It is the latest since the last call, or what the commands of a user's own node make of this tick.
        """
        open_commands = self._node.open_commands
        if open_commands is None:
            latest = self._take_latest(waits=True)
            return None if latest is None else latest[1], 0.0
        self._take_latest(waits=open_commands.answers_states)
        return open_commands.next_command()

    def _take_latest(self, *, waits: bool) -> tuple[int, JointCommand | None] | None:
        """Return the latest command since the last call; a simulation `waits` for the one that answers its state."""
        timeout_s = self._node.settings.answer_timeout if self._node.supervised.backend.simulated else 0.0
        if timeout_s and not self._has_started and self._node.settings.readers:
            timeout_s = max(timeout_s, START_TIMEOUT_S)  # the rest of the stack starts: no time passes meanwhile
        stamp = self._node.supervised.observation.time_ns

        def is_answered() -> bool:
            return self._stopped.is_set() or (self._latest is not None and self._latest[0] == stamp)

        with self._submitted:
            if waits and timeout_s and not self._is_free_running and not is_answered():
                self._node.blocked_ticks += self._has_started
                self._submitted.wait_for(is_answered, timeout_s)
            latest, self._latest = self._latest, None
        self._is_free_running = latest is None
        return latest


def _steady_clock() -> Clock:
    return Clock(clock_type=ClockType.STEADY_TIME)

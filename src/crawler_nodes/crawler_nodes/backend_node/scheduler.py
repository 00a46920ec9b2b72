"""How time runs for a backend node: by the answers of the controller, or by the clock."""

from __future__ import annotations

import math
import threading
import time
from typing import Any, Protocol

from rclpy.clock import Clock, ClockType

from crawler_core.loop.backend_settings import BackendSettings
from crawler_core.loop.pacer import Pacer
from crawler_core.loop.supervised_backend import Runner
from crawler_core.types import JointCommand, Observation

SOON = 0.1  # s that a tick may take to end
LOOK = 0.1  # s that a slow simulation sleeps at once: it may be given another pace
REPEAT = 0.2  # s of wall time after which an unanswered state is published again


class TickHost(Protocol):
    """What the keepers of time need of the backend node."""

    settings: BackendSettings
    runner: Runner
    dt_ns: int
    overruns: int
    waited: int

    @property
    def finished(self) -> bool: ...

    def publish(self, observation: Observation) -> None: ...

    def tick(self, command: JointCommand | None) -> None: ...

    def crash(self, error: Exception) -> None: ...

    def end(self) -> None: ...

    def create_timer(self, period: float, callback: Any, *, clock: Clock) -> Any: ...

    def destroy_timer(self, timer: Any) -> Any: ...


class LockstepScheduler:
    """A tick is the answer to a command. Without commands the state is repeated, then time goes on without them.

    Nothing here sleeps: an answer that comes before its tick is `due` is kept until a `turn` after that.
    """

    def __init__(self, node: TickHost) -> None:
        self._node = node
        self._started = False  # a first command has come
        self._waiting_since = 0.0
        self._pacer = Pacer(0.0)
        self._answer: JointCommand | None = None  # to the present state
        self._next = 0.0  # s on the steady clock, when the next tick may begin
        self._lonely: Any = None

    def start(self) -> None:
        self._waiting_since = time.monotonic()
        self._node.publish(self._node.runner.observation)
        self._timer = self._node.create_timer(REPEAT, self._check, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def abandon(self) -> None:
        """Nothing: only simulations run in lockstep."""

    def stop(self) -> None:
        self._timer.cancel()
        self._end_loneliness()
        self._answer = None

    def answer(self, stamp: int, command: JointCommand) -> None:
        """A command; only the first one that answers the present state lets time go on."""
        if stamp != self._node.runner.observation.time_ns or self._answer is not None:
            return
        self._started = True
        self._end_loneliness()
        self._answer = command
        self.turn()

    @property
    def due(self) -> float:
        """When the tick of the answer in hand may begin, s on the steady clock; infinity without one."""
        if self._answer is None:
            return math.inf
        if self._pacer.factor != self._node.settings.real_time_factor:  # what was to be waited at the old pace is not
            self._pacer.factor = self._node.settings.real_time_factor
            self._pacer.restart()
            self._next = time.monotonic()
        return self._next

    def turn(self) -> None:
        """Let a tick pass that is due."""
        if self._answer is None or time.monotonic() < self.due:
            return
        command, self._answer = self._answer, None
        self._tick(command)

    def _tick(self, command: JointCommand | None) -> None:
        if self._node.finished:
            return
        self._node.tick(command)
        self._pacer.factor = self._node.settings.real_time_factor
        self._next = self._waiting_since = self._pacer.next(self._node.dt_ns * 1e-9)

    def _check(self) -> None:
        waited = time.monotonic() - self._waiting_since
        if self._node.finished or self._answer is not None or self._lonely is not None or waited < REPEAT:
            return
        if self._started and waited > self._node.settings.lockstep_timeout:
            clock = Clock(clock_type=ClockType.STEADY_TIME)
            self._lonely = self._node.create_timer(self._node.dt_ns * 1e-9, lambda: self._tick(None), clock=clock)
            return
        self._node.publish(self._node.runner.observation)

    def _end_loneliness(self) -> None:
        if self._lonely is not None:
            self._node.destroy_timer(self._lonely)
            self._lonely = None


class RealTimeScheduler:
    """Ticks on the steady clock, in a thread of their own.

    A simulation waits a while for the answer to its state, since its time may stand still; motors cannot wait.
    """

    due = math.inf  # the thread needs no turns of the node's loop

    def __init__(self, node: TickHost) -> None:
        self._node = node
        self._stop = threading.Event()
        self._come = threading.Condition()
        self._newest: tuple[int, JointCommand] | None = None  # the stamp of the state that it answers, the command
        self._started = False  # a first command has come
        self._alone = False  # it has waited long enough: until a command comes time goes on without
        self._pacer = Pacer(self._factor, evenly=not node.runner.backend.simulated, sleep=self._sleep)
        self._thread = threading.Thread(target=self._run, name="ticks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def abandon(self) -> None:
        """Let no tick begin any more; one that hangs is not waited for."""
        self._stop.set()
        self._thread.join(timeout=SOON)

    def stop(self) -> None:
        self._stop.set()
        with self._come:
            self._come.notify()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=1.0)

    def answer(self, stamp: int, command: JointCommand) -> None:
        """A command: the newest one counts."""
        with self._come:
            self._newest = (stamp, command)
            self._come.notify()

    def turn(self) -> None:
        """Nothing: it is never due."""

    def _run(self) -> None:
        try:
            self._keep_time()
        except Exception as error:  # whatever it is, the motors must not be left without a guard
            self._node.crash(error)

    def _keep_time(self) -> None:
        node, pacer = self._node, self._pacer
        simulated = node.runner.backend.simulated
        node.publish(node.runner.observation)
        while not self._stop.is_set() and not node.finished:
            if pacer.factor != self._factor:
                pacer.factor = self._factor
                pacer.restart()
            before = pacer.overruns
            pacer.wait(node.dt_ns * 1e-9)
            node.overruns += pacer.overruns - before
            command = self._take()
            if command is not None and not self._started:
                self._started = True
                pacer.restart()  # what was waited for the controller to begin is no time lost
            if not self._stop.is_set():
                node.tick(command)
        if not simulated and node.finished and not self._stop.is_set():
            node.end()

    @property
    def _factor(self) -> float:
        return self._node.settings.real_time_factor if self._node.runner.backend.simulated else 1.0

    def _sleep(self, seconds: float) -> None:
        """Wait so long, unless it is stopped or given another pace."""
        end, factor = time.monotonic() + seconds, self._factor
        while (left := end - time.monotonic()) > 0.0 and factor == self._factor:
            if self._stop.wait(min(left, LOOK)):
                return

    def _take(self) -> JointCommand | None:
        """The newest command since the last call."""
        patience = self._node.settings.answer_timeout if self._node.runner.backend.simulated else 0.0
        stamp = self._node.runner.observation.time_ns

        def here() -> bool:
            return self._stop.is_set() or (self._newest is not None and self._newest[0] == stamp)

        with self._come:
            if patience and not self._alone and not here():
                self._node.waited += self._started
                self._come.wait_for(here, patience)
            newest, self._newest = self._newest, None
        self._alone = newest is None
        return None if newest is None else newest[1]

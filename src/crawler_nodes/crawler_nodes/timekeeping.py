"""How time runs for a backend node: by the answers of the controller, or by the clock."""

from __future__ import annotations

import threading
import time
from typing import Any, Protocol

from rclpy.clock import Clock, ClockType

from crawler_core.backend_settings import BackendSettings
from crawler_core.pacing import Pacer
from crawler_core.runner import Runner
from crawler_core.types import JointCommand, Observation

REPEAT = 0.2  # s of wall time after which an unanswered state is published again


class Timed(Protocol):
    """What the keepers of time need of the backend node."""

    settings: BackendSettings
    runner: Runner
    dt_ns: int
    overruns: int

    @property
    def finished(self) -> bool: ...

    def publish(self, observation: Observation) -> None: ...

    def tick(self, command: JointCommand | None) -> None: ...

    def take_command(self) -> JointCommand | None: ...

    def crash(self, error: Exception) -> None: ...

    def create_timer(self, period: float, callback: Any, *, clock: Clock) -> Any: ...

    def destroy_timer(self, timer: Any) -> Any: ...


class Lockstep:
    """A tick is the answer to a command. Without commands the state is repeated, then time goes on without them."""

    def __init__(self, node: Timed) -> None:
        self._node = node
        self._started = False  # a first command has come
        self._waiting_since = 0.0
        self._pacer = Pacer(0.0)
        self._lonely: Any = None

    def start(self) -> None:
        self._waiting_since = time.monotonic()
        self._node.publish(self._node.runner.observation)
        self._timer = self._node.create_timer(REPEAT, self._check, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def stop(self) -> None:
        self._timer.cancel()
        self._end_loneliness()

    def answer(self, stamp: int, command: JointCommand) -> None:
        """A command; only the one that answers the present state lets time go on."""
        node = self._node
        if stamp != node.runner.observation.time_ns:
            return
        self._started = True
        self._end_loneliness()
        self._tick(command)

    def _tick(self, command: JointCommand | None) -> None:
        if self._node.finished:
            return
        self._node.tick(command)
        self._pacer.factor = self._node.settings.real_time_factor
        self._pacer.wait(self._node.dt_ns * 1e-9)
        self._waiting_since = time.monotonic()

    def _check(self) -> None:
        waited = time.monotonic() - self._waiting_since
        if self._node.finished or self._lonely is not None or waited < REPEAT:
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


class Paced:
    """Ticks on the steady clock, in a thread of their own."""

    def __init__(self, node: Timed) -> None:
        self._node = node
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=1.0)

    def _run(self) -> None:
        try:
            self._keep_time()
        except Exception as error:  # whatever it is, the motors must not be left without a guard
            self._node.crash(error)

    def _keep_time(self) -> None:
        node = self._node
        pacer = Pacer(node.settings.real_time_factor if node.runner.backend.simulated else 1.0)
        node.publish(node.runner.observation)
        while not self._stop.is_set() and not node.finished:
            pacer.factor = node.settings.real_time_factor if node.runner.backend.simulated else 1.0
            pacer.wait(node.dt_ns * 1e-9)
            node.overruns = pacer.overruns
            node.tick(node.take_command())

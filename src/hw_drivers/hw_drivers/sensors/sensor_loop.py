"""The thread of one sensor that no bus reads."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from crawler_core.errors import UserError
from crawler_core.types import SensorReading
from hw_drivers.bus.bus import BusFault
from hw_drivers.sensors.sensor_map import SensorDriver

RETRY_PERIOD_S = 0.5  # between two attempts to set up a sensor that does not answer
JOIN_TIMEOUT_S = 2.0
MAX_WAITING_READINGS = 1000
POLLS_PER_READING = 2.0  # so that a sample is at most half a period old


class SensorLoop:
    """Reads one sensor at its rate. A sensor that fails is set up again; no motor stops because of it."""

    def __init__(
        self,
        name: str,
        driver: SensorDriver,
        rate: float,
        *,
        is_required: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`rate` in Hz; `clock` (s) is that of the driver."""
        self._is_required = is_required
        self.name = name
        self.problem = ""  # why it does not measure; empty where it does
        self.failures = 0  # of readings, so far
        self._driver = driver
        self._period = 1.0 / rate
        self._clock = clock
        self._readings: deque[SensorReading] = deque(maxlen=MAX_WAITING_READINGS)
        self._due = 0.0  # s, of the next read
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"sensor {name}", daemon=True)

    def open(self) -> None:
        """Set the sensor up. Raises UserError where it is missing and required."""
        self._due = self._clock()
        try:
            self._driver.open()
        except UserError as error:
            if self._is_required:
                raise
            self._fail(error)

    def start(self) -> None:
        """Read it from now on."""
        self._thread.start()

    def take_sensor_readings(self) -> list[SensorReading]:
        """Return the readings since the last call, with times by the driver's clock. Any thread may ask."""
        taken = []
        while self._readings:
            taken.append(self._readings.popleft())
        return taken

    def poll(self) -> None:
        """Read the sensor if it is time."""
        now = self._clock()
        if now < self._due:
            return
        try:
            if self.problem:
                self._driver.open()
                self.problem = ""
            reading = self._driver.read()
        except (BusFault, UserError) as error:
            self._fail(error)
            return
        if reading is None:
            self._due = now + self._period / POLLS_PER_READING
            return
        self._readings.append(reading)
        self._due = max(self._due + self._period, now)

    def _fail(self, error: Exception) -> None:
        self.failures += 1
        self.problem = str(error).rstrip(".")
        self._due = self._clock() + RETRY_PERIOD_S

    def close(self) -> None:
        """End it. May be called twice."""
        self._ending.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=JOIN_TIMEOUT_S)
        self._driver.close()

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self.poll()
            except Exception as error:  # of any kind: a sensor must not end a run
                self.problem, self.failures = f"its driver broke: {error!r}", self.failures + 1
                return
            self._ending.wait(max(0.0, self._due - self._clock()))

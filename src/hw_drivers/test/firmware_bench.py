"""A board's firmware with a host and sensors of the test's own, and time that passes when the test says so."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from hw_drivers.board.codec import NO_SESSION, Packet, PacketParser, Request, frame, open_packet
from hw_drivers.board.firmware import Firmware
from hw_drivers.board.messages import (
    PROTOCOL_VERSION,
    Ack,
    Answer,
    Arm,
    BoardState,
    Code,
    ConfigureBoard,
    ConfigureMotor,
    Encoder,
    Hello,
    MotorFlag,
    MotorMode,
    MotorSetpoint,
    Poll,
    Setpoints,
    StateMessage,
    Welcome,
)

BOOT = 0xB0075EED
WATCHDOG = 20  # ms
MOTOR = ConfigureMotor(
    motor=0,
    encoder=Encoder.QUADRATURE,
    flags=0,
    counts=4096,
    gear=10.0,
    torque_constant=0.02,
    resistance=2.0,
    current=3.0,
    torque=0.5,
    velocity=20.0,
    stiffness=2.0,
    damping=0.05,
    index=0,
    lower=0,
    upper=0,
    hottest=80,
    stall=0,
)
COARSE = replace(
    MOTOR,
    encoder=Encoder.ABSOLUTE,
    flags=int(MotorFlag.ON_OUTPUT),
    counts=18,
    stiffness=0.0,
    damping=0.0,
    velocity=60.0,
)
TWO = (MOTOR, replace(MOTOR, motor=1))


class Bench:
    """Answers come back decoded. A frame gets the next number of the session unless the test names one."""

    def __init__(self, motors: int = 1, *, boot: int = BOOT, now: int = 0) -> None:
        self.firmware = Firmware(boot, motors, "bench")
        for sensors in self.firmware.sensors:
            sensors.encoder_ok = 1
            sensors.current = sensors.temperature = math.nan
        self.now = now  # us
        self.supply = 12.0  # V
        self.stop = False
        self.session = NO_SESSION
        self.sent = 0
        self._parser = PacketParser()
        self.tick()

    def close(self) -> None:
        self.firmware.close()

    def tick(self, times: int = 1, us: int = 1000) -> list[Answer]:
        """Let so many passes of the loop go by; what the board said by itself."""
        for _ in range(times):
            self.now += us
            self.firmware.tick(self.now, self.supply, self.stop)
        return self.heard()

    def frame(self, message: Request) -> bytes:
        """The next frame of the session."""
        self.sent += 1
        return frame(message, self.sent, self.session)

    def raw(self, data: bytes) -> list[Answer]:
        """What the board says to these bytes."""
        self.firmware.receive(data)
        return self.heard()

    def heard(self) -> list[Answer]:
        answers = []
        for packet in self._parser.feed(self.firmware.send()):
            found = open_packet(packet, self.session) or open_packet(packet, NO_SESSION)
            assert isinstance(found, Packet)
            answers.append(found.answer())
        return answers

    def say(self, message: Request) -> Answer:
        """The one answer to it."""
        (answer,) = self.raw(self.frame(message))
        return answer

    def code(self, message: Request) -> Code:
        """How a message was acknowledged."""
        answer = self.say(message)
        assert isinstance(answer, Ack)
        return Code(answer.code)

    def hello(self, nonce: int = 1) -> Welcome:
        (answer,) = self.raw(frame(Hello(PROTOCOL_VERSION, nonce), 0))
        assert isinstance(answer, Welcome)
        self.session, self.sent = answer.session, 0
        return answer

    def configure(self, *motors: ConfigureMotor, watchdog: int = WATCHDOG) -> None:
        used = sum(1 << motor.motor for motor in motors)
        assert self.code(ConfigureBoard(watchdog, used, 6.0, 30.0)) == Code.OK
        for motor in motors:
            assert self.code(motor) == Code.OK
        self.tick()

    def torque(self, *torques: float) -> Answer:
        """Setpoints of torque (N·m) for the first motors."""
        return self.say(
            Setpoints({i: MotorSetpoint(MotorMode.TORQUE, torque=torque) for i, torque in enumerate(torques)})
        )

    def state(self) -> StateMessage:
        answer = self.say(Poll())
        assert isinstance(answer, StateMessage)
        return answer

    @property
    def volts(self) -> list[float | None]:
        """On each motor; None where the bridge is open."""
        return [bridge.volts if bridge.closed else None for bridge in self.firmware.bridges]

    @property
    def driven(self) -> list[bool]:
        """Whether each motor has a voltage."""
        return [bool(volts) for volts in self.volts]


@contextmanager
def board(*motors: ConfigureMotor, watchdog: int = WATCHDOG) -> Iterator[Bench]:
    """A bench whose board is configured and armed."""
    bench = Bench(len(motors))
    try:
        bench.hello()
        bench.configure(*motors, watchdog=watchdog)
        assert bench.code(Arm()) == Code.OK
        assert bench.state().state == BoardState.ARMED
        yield bench
    finally:
        bench.close()


@dataclass
class Rotor:
    """A motor with its gear and what it turns, as seen from the output shaft. Its winding has no inductance."""

    config: ConfigureMotor
    inertia: float = 2e-3  # kg·m²
    resistance: float = 0.0  # Ω, of the winding; 0: as configured
    load: float = 0.0  # N·m, against forward motion
    angle: float = 0.0  # rad
    rate: float = 0.0  # rad/s

    def live(self, bench: Bench, ticks: int, each: Request | None = None) -> None:
        """Turn as the board drives it for so many ticks of 1 ms, with `each` sent before every one."""
        c, sensors = self.config, bench.firmware.sensors[self.config.motor]
        constant, ohms = c.gear * c.torque_constant, self.resistance or c.resistance
        for _ in range(ticks):
            if each is not None:
                bench.raw(bench.frame(each))
            bench.tick()
            volts = bench.volts[c.motor]
            current = 0.0 if volts is None else (volts - constant * self.rate) / ohms
            self.rate += (constant * current - self.load) / self.inertia * 1e-3
            self.angle += self.rate * 1e-3
            turns = self.angle / (2.0 * math.pi)
            if c.encoder == Encoder.ABSOLUTE:
                sensors.count = math.floor(turns * c.counts) % c.counts
            else:
                sensors.count = math.floor(turns * c.counts * c.gear)
            sensors.current = current

"""The firmware as a process of its own, on a pseudo-terminal and in real time: what is left when its host is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from firmware_bench import MOTOR

from hw_drivers.board.codec import PacketParser, frame, open_packet
from hw_drivers.board.firmware import realtime
from hw_drivers.board.messages import (
    PROTOCOL_VERSION,
    Arm,
    BoardFault,
    BoardState,
    ConfigureBoard,
    Hello,
    MotorMode,
    MotorSetpoint,
    MotorStatus,
    Poll,
    Reset,
    Setpoints,
    StateMessage,
    Welcome,
)

PATIENCE = 120.0  # s


class Host:
    """Asks until it is answered."""

    def __init__(self, port, session=0, number=0):
        self.line = os.open(port, os.O_RDWR | os.O_NOCTTY)
        os.set_blocking(self.line, False)
        self.session, self.number = session, number
        self.parser = PacketParser()

    def ask(self, message):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self.number += 1
            os.write(self.line, frame(message, self.number, 0 if isinstance(message, Hello) else self.session))
            again = time.monotonic() + 0.5
            while time.monotonic() < again:
                for answer in self.heard():
                    if not isinstance(answer, Welcome):
                        return answer
                    if isinstance(message, Hello) and answer.session:
                        self.session, self.number = answer.session, 0
                        return answer
                time.sleep(0.0005)
        raise AssertionError(f"no answer to {message}")

    def heard(self):
        try:
            data = os.read(self.line, 4096)
        except BlockingIOError:
            return []
        packets = [open_packet(packet, self.session) or open_packet(packet, 0) for packet in self.parser.feed(data)]
        return [packet.answer() for packet in packets if packet is not None]


def drive(port):
    """Push for ever: the host that will be killed. A board whose machine stalled it is armed again."""
    host = Host(port)
    host.ask(Hello(PROTOCOL_VERSION, os.getpid()))
    host.ask(ConfigureBoard(100, 1, 6.0, 30.0))
    host.ask(MOTOR)
    while True:
        state = host.ask(Setpoints({0: MotorSetpoint(MotorMode.TORQUE, 0.1)}))
        if isinstance(state, StateMessage) and state.motors[0].status & MotorStatus.CLOSED:
            print(host.session, host.number, flush=True)
        elif not isinstance(state, StateMessage) or state.state != BoardState.ARMED:
            host.ask(Reset())
            host.ask(Arm())


def test_the_board_itself_takes_the_torque_off_when_its_host_is_killed():
    with subprocess.Popen([realtime(), "1", "0"], stdout=subprocess.PIPE, text=True) as board:
        assert board.stdout is not None
        try:
            port = board.stdout.readline().strip()
            with subprocess.Popen([sys.executable, __file__, port], stdout=subprocess.PIPE, text=True) as driver:
                assert driver.stdout is not None
                try:
                    said = driver.stdout.readline()  # the motor has torque
                finally:
                    driver.send_signal(signal.SIGKILL)
                whole = (said + driver.stdout.read()).rpartition("\n")[0]  # the last line may be cut
                session, number = (int(word) for word in whole.split()[-2:])
            host = Host(port, session, number + 100)  # in the dead one's place, and asks only
            deadline = time.monotonic() + PATIENCE
            while (state := host.ask(Poll())).state == BoardState.ARMED and time.monotonic() < deadline:
                time.sleep(0.01)
            assert state.state == BoardState.FAULT
            assert state.faults & (BoardFault.LINK_LOST | BoardFault.LATE)  # late: the machine was too busy
            assert not state.motors[0].status & MotorStatus.CLOSED
        finally:
            board.terminate()
        report = json.loads(board.stdout.readline())
        assert report["ticks"] > 0
        assert 0.0 < report["pass_us"]["p50"] <= report["pass_us"]["worst"]


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    drive(sys.argv[1])

"""What is sent to a ring when, and when that is given up: by a clock and clients of the test's own."""

from contextlib import suppress

import pytest
from rcl_interfaces.srv import GetParameters
from std_srvs.srv import SetBool, Trigger

from crawler_nodes.client.service_caller import RESEND_PERIOD_S, ServiceCaller, ServiceUnavailable, enables_motion

TURN = 0.125  # s, a power of two: times add up exactly
SECONDS, APPEARS = 5.0, 10.0
ENABLE = SetBool.Request(data=True)
WAY_BACK = "backend/get_parameters"


class Future:
    def __init__(self):
        self.answer = None

    def done(self):
        return self.answer is not None

    def result(self):
        return self.answer


class Client:
    def __init__(self, network, name):
        self.network, self.srv_name = network, name
        self.pending = []

    def service_is_ready(self):
        return self.network.now >= self.network.seen.get(self.srv_name, 0.0)

    def call_async(self, request):
        self.network.sent.append((self.srv_name, self.network.now))
        self.pending.append(Future())
        return self.pending[-1]

    def remove_pending_request(self, future):
        self.pending.remove(future)


class Network:
    """Services that are `seen` and that `answers` from some time on; what was sent to them, and when."""

    def __init__(self, seen=None, answers=None):
        self.seen, self.answers = seen or {}, answers or {}
        self.now = 0.0
        self.sent, self.clients = [], []
        self.asker = ServiceCaller(self.create, self.spin, lambda: self.now)

    def create(self, kind, name):
        self.clients.append(Client(self, name))
        return self.clients[-1]

    def spin(self):
        for client in self.clients:
            if self.now >= self.answers.get(client.srv_name, 0.0):
                for future in client.pending:
                    future.answer = future.answer or f"{client.srv_name} answers"

    def ask(self, kind, name, request):
        question = self.asker.call(kind, name, request, timeout_s=SECONDS, discovery_s=APPEARS)
        for _ in question:
            self.now += TURN
        return question.response

    def times(self, name):
        return [time for sent, time in self.sent if sent == name]


LETS_MOVE = pytest.mark.parametrize(
    ("kind", "name", "request_"),
    [(SetBool, "backend/enable", ENABLE), (Trigger, "backend/reset", Trigger.Request())],
)


@LETS_MOVE
def test_what_lets_the_robot_move_is_sent_when_something_harmless_was_answered(kind, name, request_):
    network = Network(answers={WAY_BACK: 2.5})
    assert network.ask(kind, name, request_) == f"{name} answers"
    assert [sent for sent, _ in network.sent] == [WAY_BACK] * 3 + [name]  # at 0, 1 and 2 s
    assert network.times(name) == [2.5]


@LETS_MOVE
def test_it_is_sent_once_though_nobody_answers(kind, name, request_):
    network = Network(answers={name: 1e9})
    with pytest.raises(TimeoutError, match=f"{name} did not answer within 5 s"):
        network.ask(kind, name, request_)
    assert len(network.times(name)) == 1
    assert network.now > SECONDS > 2.0 * RESEND_PERIOD_S  # long enough for a second one


@LETS_MOVE
def test_it_is_not_sent_where_the_harmless_question_has_no_answer(kind, name, request_):
    network = Network(answers={WAY_BACK: 1e9})
    with pytest.raises(TimeoutError, match=f"{WAY_BACK} did not answer"):
        network.ask(kind, name, request_)
    assert network.times(name) == []
    assert len(network.times(WAY_BACK)) > 1


def test_it_is_not_sent_any_more_once_whoever_asks_has_left():
    network = Network(answers={WAY_BACK: 2.0})
    for _ in network.asker.call(SetBool, "backend/enable", ENABLE, timeout_s=SECONDS, discovery_s=APPEARS):
        break
    network.now = 3.0
    network.spin()
    assert network.times("backend/enable") == []


def test_each_asking_sends_it_anew_and_asks_what_is_harmless_before():
    network = Network()
    for _ in range(2):
        network.ask(SetBool, "backend/enable", ENABLE)
    assert [name for name, _ in network.sent] == [WAY_BACK, "backend/enable"] * 2
    assert len(network.clients) == 2  # each is made once


@pytest.mark.parametrize(
    ("kind", "name", "request_"),
    [
        (Trigger, "backend/estop", Trigger.Request()),
        (SetBool, "backend/enable", SetBool.Request(data=False)),
        (GetParameters, "gait/get_parameters", GetParameters.Request()),
    ],
)
def test_what_stops_it_is_sent_at_once_and_again_until_it_is_answered(kind, name, request_):
    network = Network(answers={name: 3.5})
    assert network.ask(kind, name, request_) == f"{name} answers"
    assert [sent for sent, _ in network.sent] == [name] * 4
    assert network.times(name)[0] == 0.0


def test_a_service_that_is_seen_late_is_asked_then_and_given_the_whole_time_to_answer():
    network = Network(seen={"backend/estop": 9.0}, answers={"backend/estop": 13.0})
    assert network.ask(Trigger, "backend/estop", Trigger.Request())
    assert network.times("backend/estop")[0] == 9.0
    never = Network(seen={"backend/estop": 1e9})
    with pytest.raises(ServiceUnavailable, match="backend/estop is not there"):
        never.ask(Trigger, "backend/estop", Trigger.Request())
    assert APPEARS < never.now <= APPEARS + 2.0 * TURN
    assert never.sent == []


def test_who_looks_for_a_service_before_it_is_asked_asks_by_the_same_client():
    network = Network()
    network.asker.discover(Trigger, "backend/estop")
    network.ask(Trigger, "backend/estop", Trigger.Request())
    assert len(network.clients) == 1


def test_nothing_waits_for_a_response_once_there_is_one_or_the_call_is_left():
    for network in (Network(answers={"backend/estop": 3.5}), Network(answers={"backend/estop": 1e9})):
        with suppress(TimeoutError):
            network.ask(Trigger, "backend/estop", Trigger.Request())
        assert len(network.sent) >= 4
        assert all(future.done() for future in network.clients[0].pending)


@pytest.mark.parametrize(
    ("name", "request_", "moves"),
    [
        ("backend/reset", Trigger.Request(), True),
        ("/left/backend/reset", Trigger.Request(), True),
        ("backend/enable", SetBool.Request(data=True), True),
        ("backend/enable", SetBool.Request(data=False), False),
        ("backend/estop", Trigger.Request(), False),
        ("controller/get_parameters", object(), False),
    ],
)
def test_reset_and_enable_let_it_move_and_what_stops_it_does_not(name, request_, moves):
    assert enables_motion(name, request_) is moves

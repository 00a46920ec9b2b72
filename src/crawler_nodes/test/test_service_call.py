"""A request is sent again while nobody answers, and answered once."""

import pytest
from std_srvs.srv import SetBool, Trigger

from crawler_nodes.client.service_call import AGAIN, ServiceCall, enables_motion


class Future:
    def __init__(self):
        self.answer = None

    def done(self):
        return self.answer is not None

    def result(self):
        return self.answer


class Client:
    def __init__(self):
        self.asked, self.dropped = [], []

    def call_async(self, request):
        self.asked.append((request, Future()))
        return self.asked[-1][1]

    def remove_pending_request(self, future):
        self.dropped.append(future)


def test_it_is_sent_again_until_somebody_answers():
    client, now = Client(), [0.0]
    call = ServiceCall(client, "stop", clock=lambda: now[0])
    for _ in range(35):
        now[0] += 0.1 * AGAIN
        assert not call.done()
    assert [request for request, _ in client.asked] == ["stop"] * 4
    client.asked[1][1].answer = "stopped"
    now[0] += 2.0 * AGAIN
    assert call.done()
    assert call.result() == "stopped"
    assert len(client.asked) == 4
    assert client.dropped == [future for i, (_, future) in enumerate(client.asked) if i != 1]


def test_whoever_gives_up_waits_for_nothing():
    client = Client()
    call = ServiceCall(client, "stop", clock=lambda: 0.0)
    call.give_up()
    assert client.dropped == [client.asked[0][1]]


def test_what_lets_the_robot_move_is_sent_once():
    client, now = Client(), [0.0]
    call = ServiceCall(client, "enable", once=True, clock=lambda: now[0])
    for _ in range(35):
        now[0] += 0.1 * AGAIN
        assert not call.done()
    assert len(client.asked) == 1


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

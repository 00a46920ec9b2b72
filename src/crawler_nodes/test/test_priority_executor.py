"""Whose turn it is: the ring's own messages at once, everything else in time, by a clock that the test holds."""

import math

import pytest
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Trigger

from crawler_nodes.client.service_caller import ServiceCaller
from crawler_nodes.transport import priority_executor
from crawler_nodes.transport.priority_executor import EXECUTOR_PERIOD_S, IDLE_TIMEOUT_S, MAX_BATCH_S, PriorityExecutor


class FakeTime:
    """A clock that moves only when it is told to, or slept on."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class FakeExecutor:
    """Counts its turns."""

    def __init__(self):
        self.turns = []

    def spin_once(self, timeout_sec):
        self.turns.append(timeout_sec)

    def shutdown(self):
        pass


@pytest.fixture
def clock(monkeypatch):
    clock = FakeTime()
    monkeypatch.setattr(priority_executor, "time", clock)
    return clock


class Bench:
    """A spinner whose node hears one topic, and a publisher of it."""

    def __init__(self, graph):
        self.graph = graph
        self.node = Node("listener", context=graph.context, namespace=graph.namespace)
        graph.nodes.append(self.node)
        self.heard = []
        self.echoing = None
        subscription = self.node.create_subscription(String, "words", self.hear, 100)
        self.spinner = PriorityExecutor(self.node, priority_subscriptions=[subscription])
        self.spinner._executor.shutdown()
        self.others = FakeExecutor()
        vars(self.spinner)["_executor"] = self.others
        speaker = graph.add(lambda **options: Node("speaker", **options))
        self.words = speaker.create_publisher(String, "words", 100)
        graph.spin_until(self.words.get_subscription_count)

    def hear(self, message):
        if self.echoing is not None:
            self.echoing(message)
            return
        self.heard.append(message.data)

    def say(self, word):
        """Publish, and take turns until it has been heard; the number of turns."""
        self.words.publish(String(data=word))
        turns = 0

        def heard():
            nonlocal turns
            self.spinner.spin_once()
            turns += 1
            return self.heard[-1:] == [word]

        self.graph.spin_until(heard)
        return turns


def test_every_message_of_the_ring_is_served_in_order(graph, clock):
    bench = Bench(graph)
    said = [str(k) for k in range(50)]
    for word in said:
        bench.words.publish(String(data=word))
    graph.spin_until(lambda: bench.spinner.spin_once() or len(bench.heard) == len(said))
    assert bench.heard == said


def test_the_others_have_their_turn_only_now_and_then_while_messages_flow(graph, clock):
    bench = Bench(graph)
    bench.say("first")
    bench.others.turns.clear()
    waited = sum(bench.say(f"{k}") - 1 for k in range(20))  # turns in which nothing had come yet
    assert len(bench.others.turns) == waited  # no time has passed: none of the turns with a message was theirs
    clock.now += 1.01 * EXECUTOR_PERIOD_S
    bench.others.turns.clear()
    waited = bench.say("late") - 1
    assert len(bench.others.turns) == max(1, waited)  # the message did not keep them from it
    assert set(bench.others.turns) == {0.0}  # and they do not keep the next message waiting


def test_everybody_has_a_turn_while_messages_never_end(graph, clock):
    bench = Bench(graph)
    looks = []
    vars(bench.spinner)["_serve_priority_services"] = lambda: looks.append(clock.now)

    def echo(message):  # a flood: by the time that a message has been worked on the next one is there
        clock.now += 0.6 * MAX_BATCH_S
        bench.words.publish(message)
        bench.heard.append(message.data)

    bench.echoing = echo
    bench.words.publish(String(data="round"))
    graph.spin_until(lambda: bench.spinner.spin_once() or len(bench.heard) > 200)
    passed = len(bench.heard) * 0.6 * MAX_BATCH_S
    assert len(bench.others.turns) >= 0.5 * passed / EXECUTOR_PERIOD_S
    assert len(looks) >= 0.5 * passed / MAX_BATCH_S


def test_an_urgent_service_is_served_before_messages_that_wait(graph, clock):
    node = Node("listener", context=graph.context, namespace=graph.namespace)
    graph.nodes.append(node)
    order = []

    def heard(message: String) -> None:
        order.append(message.data)

    words = node.create_subscription(String, "words", heard, 100)

    def stop(_request, response):
        order.append("stop")
        return response

    service = node.create_service(Trigger, "stop", stop)
    speaker = graph.add(lambda **options: Node("speaker", **options))
    out, client = speaker.create_publisher(String, "words", 100), speaker.create_client(Trigger, "stop")
    graph.spin_until(lambda: out.get_subscription_count() and client.service_is_ready())
    with PriorityExecutor(node, [words], priority_services=[service]) as spinner:
        waiting = spinner._wait
        vars(spinner)["_wait"] = lambda: None  # what has come lies there until everything has
        out.publish(String(data="word"))
        caller = ServiceCaller(lambda *_: client, graph.spin_once)
        call = iter(caller.call(Trigger, "stop", Trigger.Request(), timeout_s=60.0, discovery_s=60.0))
        next(call)
        arrived = WaitSetOf(node, words, service)
        graph.spin_until(arrived)
        spinner.spin_once()
        vars(spinner)["_wait"] = waiting
        graph.spin_until(lambda: spinner.spin_once() or next(call, True))
    assert order[:2] == ["stop", "word"]  # it may have been asked again


class WaitSetOf:
    """Whether a message of this subscription and a request to this service lie there."""

    def __init__(self, node, subscription, service):
        self.subscription, self.service = subscription, service
        self.waiting = rclpy_implementation.WaitSet(1, 0, 0, 0, 1, 0, node.context.handle)

    def __call__(self):
        self.waiting.clear_entities()
        self.waiting.add_subscription(self.subscription.handle)
        self.waiting.add_service(self.service.handle)
        self.waiting.wait(1_000_000)
        return self.waiting.get_ready_entities("subscription") and self.waiting.get_ready_entities("service")


class Clockwork:
    """A chore that is due at a time."""

    def __init__(self, due):
        self.due = due
        self.done = 0

    def run_due(self):
        self.done += 1
        self.due = math.inf


def test_a_chore_is_done_when_it_is_due_and_keeps_nobody_waiting(graph, clock):
    bench = Bench(graph)
    bench.spinner._task = chore = Clockwork(clock.now + 0.3)
    bench.say("before")
    assert chore.done == 0
    clock.now += 0.31
    bench.say("after")
    assert chore.done == 1
    assert bench.heard == ["before", "after"]


def test_the_others_have_every_turn_when_nothing_flows(graph, clock):
    bench = Bench(graph)
    for _ in range(5):
        bench.spinner.spin_once()
    assert bench.others.turns == [0.0] * 5


def test_a_node_without_a_ring_waits_for_work_and_naps(graph, clock):
    node = Node("slow", context=graph.context, namespace=graph.namespace)
    graph.nodes.append(node)
    spinner = PriorityExecutor(node, batch_period=0.25)
    spinner._executor.shutdown()
    others = FakeExecutor()
    vars(spinner)["_executor"] = others
    spinner.spin_once()
    assert others.turns == [IDLE_TIMEOUT_S]
    assert clock.now == 100.25


def test_a_timer_runs_beside_the_ring(graph):
    node = Node("listener", context=graph.context, namespace=graph.namespace)
    graph.nodes.append(node)
    rung = []
    subscription = node.create_subscription(String, "words", lambda message: None, 10)
    node.create_timer(0.001, lambda: rung.append(1))
    with PriorityExecutor(node, priority_subscriptions=[subscription]) as spinner:
        graph.spin_until(lambda: spinner.spin_once() or len(rung) >= 3)

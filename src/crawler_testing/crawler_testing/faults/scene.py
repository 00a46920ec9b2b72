"""One run under the storm: `crawler run` as a user starts it, and the hands that reach into it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import deserialize_message, serialize_message

from crawler_cli.run.node_processes import end_with_parent
from crawler_core.robot import RobotSpec
from crawler_nodes.client.stack_monitor import RingView
from crawler_nodes.run_log.log import Topics
from crawler_testing.faults.family_tree import FamilyTree
from crawler_testing.faults.kind import LIFTED, NeededRun
from crawler_testing.faults.topics import LATCHED, LISTENED, TYPES, genuine_topics
from crawler_testing.faults.witness import Witness

START_UP = 60.0  # s until it crawls
ANSWER = 10.0  # s that a service may take
READERS = 4  # of joint_states in a run: gait, controller, recorder, command line
ENDING = 5.0  # s from a fault to the run's end
# what every Python of a stage that spins reads first
SPINS = "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: all(iter(lambda: True, False)))\n"
BEGINNING = 0.5  # s of crawling before anything is done to it


class Unmet(Exception):
    """What had to follow did not; the sentence says what was seen instead."""


class Scene:
    """A running `crawler run`. `patience` stretches every wait, for a machine that is busy with other things."""

    def __init__(
        self,
        stage: NeededRun,
        spec: RobotSpec,
        backend: str,
        *,
        domain: int,
        chance: random.Random,
        patience: float = 1.0,
        duration: float = 0.0,
        more: tuple[str, ...] = (),
        topics: Topics | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """`duration` in s of the run's own time, 0 without end; `more` are further words of `crawler run`.

        `topics` are listened to besides. `check` is called while something is waited for, and may raise.
        """
        self.spec = spec
        self.backend = backend
        self.chance = chance
        self.patience = patience
        self.tree = FamilyTree()
        self.witness = Witness(spec, backend)
        self.genuine: dict[str, bytes] = {}  # the latest message of each topic
        self._topics = topics or []
        self._check = check
        self._temporary = tempfile.TemporaryDirectory(prefix="crawler-storm-", ignore_cleanup_errors=True)
        self.place = Path(self._temporary.name)
        self.out = Path(stage.out) if stage.out else self.place / "run"
        self.environment = {
            **os.environ,
            **self.tree.mark,
            "ROS_DOMAIN_ID": str(domain),
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        }
        if stage.spins:
            (self.place / "sitecustomize.py").write_text(SPINS)
            self.environment["PYTHONPATH"] = f"{self.place}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        self.words = [
            *("--robot", stage.robot, "--backend", backend, "--duration", f"{duration:g}"),
            *(("--controller", stage.controller) if stage.controller else ()),
            *(("--gait", stage.gait) if stage.gait else ()),
            *(word for one in stage.sets for word in ("--set", one)),
            *("--out", str(self.out), "--record", "--json", *more),
        ]

    def __enter__(self) -> Scene:
        topics = [*self._topics, *genuine_topics(self.genuine, self.witness.forged), *self.witness.topics()]
        ours = sum(topic.name == "joint_states" for topic, _ in topics)
        self.words += ["--set", f"backend.readers={READERS + ours}"]  # else it would begin without some of the others
        self.view = RingView(topics, name="storm", check=self._check)
        try:
            self.process = self.start(self.words, "run")
        except BaseException:
            self.view.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for pid in self.tree.living():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()
        self.view.close()
        self._temporary.cleanup()

    def start(self, words: list[str], label: str) -> subprocess.Popen[bytes]:
        """`crawler run` with these words, what it prints going to <label>.out and <label>.err."""
        with (self.place / f"{label}.out").open("wb") as out, (self.place / f"{label}.err").open("wb") as err:
            return subprocess.Popen(
                [sys.executable, "-m", "crawler_cli", "run", *words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=self.place,
                env=self.environment,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )

    def printed(self, label: str = "run") -> str:
        """What a started run said on stderr."""
        return (self.place / f"{label}.err").read_text(errors="replace")

    # watching

    @property
    def ended(self) -> bool:
        """Whether the run's first process has."""
        return self.process.poll() is not None

    def until(self, condition: Callable[[], Any], seconds: float) -> bool:
        """Listen until it holds; False where it does not within `seconds`, stretched by the patience."""
        return self.view.wait(condition, seconds * self.patience)

    def listen(self, seconds: float) -> None:
        """Listen for so long."""
        self.view.wait(lambda: False, seconds)

    def expect(self, condition: Callable[[], Any], seconds: float, what: str) -> float:
        """As `until`, returns the seconds that it took. Raises Unmet, with `what` did not come."""
        began = time.monotonic()
        if not self.until(condition, seconds):
            raise Unmet(f"{what} within {seconds:g} s")
        return time.monotonic() - began

    def crawling(self, seconds: float = START_UP) -> bool:
        """Wait until it has crawled for a while; False where it does not, or has ended."""
        began: list[float] = []

        def there() -> bool:
            if not began and self.witness.states and self._recorded():
                began.append(self.witness.stamp)
            return self.ended or bool(
                began and self.witness.stamp >= began[0] + BEGINNING and self.witness.crawled(began[0])
            )

        return self.until(there, seconds) and not self.ended

    def _recorded(self) -> bool:
        """Whether the recorder listens: for the backend we may have taken its place among those it waits for."""
        return any(
            one.node_name == "recorder" for one in self.view.node.get_subscriptions_info_by_topic("contact_states")
        )

    def lifted(self) -> bool:
        """Whether the run has ended since the equations behind it know no feet in the air."""
        return self.until(lambda: self.ended, ENDING) and self.backend == "model" and LIFTED in self.printed()

    # hands

    def send_signal(self, name: str, number: int) -> None:
        """Send one of its processes a signal. Raises LookupError."""
        os.kill(self.tree.pid(name), number)

    def spin(self, name: str) -> None:
        """Let one of its processes spin in a callback from now on. Raises LookupError."""
        self.send_signal(name, signal.SIGUSR1)

    @contextmanager
    def paused(self, name: str, number: int = signal.SIGSTOP) -> Iterator[None]:
        """A process that stands still meanwhile."""
        pid = self.tree.pid(name)
        os.kill(pid, number)
        try:
            yield
        finally:
            if pid in self.tree.living():
                os.kill(pid, signal.SIGCONT)

    @contextmanager
    def publisher(self, topic: str) -> Iterator[Callable[[Any], None]]:
        """Sends messages on a topic of the ring, to somebody who listens."""
        qos = QoSProfile(depth=100)
        if topic in LATCHED:
            qos.durability = DurabilityPolicy.TRANSIENT_LOCAL
        node = self.view.node
        out = node.create_publisher(TYPES[topic], topic, qos)

        def met() -> bool:
            return int(topic in LISTENED) < out.get_subscription_count() == node.count_subscribers(topic)

        def send(message: Any) -> None:
            data = serialize_message(message)
            self.witness.forged.add(data)
            out.publish(data)

        try:
            self.expect(met, ANSWER, f"nobody but the storm listened to {topic}")
            yield send
        finally:
            self.view.node.destroy_publisher(out)

    def message(self, topic: str) -> Any:
        """A copy of the latest genuine message; of a topic on which nobody sends, an empty one."""
        if topic in self.genuine:
            return deserialize_message(self.genuine[topic], TYPES[topic])
        return TYPES[topic]()

    def call(self, kind: Any, name: str, **fields: Any) -> Any:
        """Call a service of the ring and return its answer. Raises Unmet where none comes."""
        try:
            return self.view.call(kind, name, kind.Request(**fields), ANSWER * self.patience)
        except TimeoutError as error:
            raise Unmet(str(error)) from None

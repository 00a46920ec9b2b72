"""Commands of users' own nodes, for a stack without a controller: of any node that the supervisor's limits allow.

One node commands at a time. Messages may have any ordinary quality of service, and a stamp of now or none.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription

from crawler_core.errors import UserError
from crawler_core.loop.command_interpolator import CommandedTrajectory, CommandInterpolator
from crawler_core.safety.supervisor import MOVING_STATES
from crawler_core.types import JointCommand
from crawler_nodes.messages.header import SECOND_NS
from crawler_nodes.messages.joint_message import JointMessageReader
from crawler_nodes.messages.open_command_readers import OpenCommand, OpenCommandReaders
from crawler_nodes.topics import COMMANDS, JOINT_COMMANDS, JOINT_TRAJECTORY, Topic
from crawler_nodes.transport.command_source_arbiter import CommandSourceArbiter
from crawler_nodes.transport.safe_subscriptions import SafeSubscriptions

if TYPE_CHECKING:
    from crawler_nodes.backend_node.node import BackendNode

OPEN_TOPICS = (JOINT_COMMANDS, JOINT_TRAJECTORY, COMMANDS)
BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)  # also takes what is sent reliably
MAX_TRAJECTORY_BYTES = 10_000_000
MAX_STAMP_AGE_S = 0.5  # of a command, either way: clocks of two machines may differ a little
MAX_START_DELAY_S = 60.0  # of a trajectory that begins later
MAX_TRANSPORT_S = 0.1  # a message that was sent earlier, by its time stamp, is of another clock


class OpenCommands:
    """Receives the commands of one node at a time, and has the setpoints for each tick."""

    def __init__(self, node: BackendNode, subscriptions: SafeSubscriptions) -> None:
        self.arbiter = CommandSourceArbiter(node, OPEN_TOPICS, node.spec.safety.relax_after)
        self._node = node
        self._lock = threading.Lock()  # the ticks may have a thread of their own
        self._commands = CommandInterpolator(node.spec, node.dt_ns / SECOND_NS)
        self._slow_messages = 0  # in a row
        self.answers_states = False  # the latest command has the stamp of a state: a simulation may wait for the next
        readers = OpenCommandReaders(node.spec)
        subscribe = partial(subscriptions.subscribe, qos=BEST_EFFORT, with_info=True)
        self.subscriptions: list[Subscription] = [
            subscribe(
                JOINT_COMMANDS,
                readers.read_joint_state,
                partial(self._on_command, JOINT_COMMANDS),
                decode=JointMessageReader(),
            ),
            subscribe(
                JOINT_TRAJECTORY,
                readers.read_trajectory,
                partial(self._on_command, JOINT_TRAJECTORY),
                max_bytes=MAX_TRAJECTORY_BYTES,
            ),
            subscribe(COMMANDS, readers.read_array, partial(self._on_command, COMMANDS)),
        ]

    def clear(self) -> None:
        """Forget all commands: after a stop none of them moves the robot again."""
        with self._lock:
            self._commands.clear()

    def next_command(self) -> tuple[JointCommand | None, float]:
        """Return the setpoints for the tick that begins now, and how old their command is (s)."""
        if self._node.supervised.supervisor.motion not in MOVING_STATES:
            self.clear()
            return None, 0.0
        with self._lock:
            return self._commands.sample(self._node.supervised.observation.time_ns)

    @property
    def has_trajectory(self) -> bool:
        """True while a trajectory is under way, for which time in lockstep need not wait."""
        return self._commands.is_under_way(self._node.supervised.observation.time_ns)

    def _on_command(self, topic: Topic, sent: OpenCommand, info: Mapping[str, Any]) -> None:
        if not self._node.active:
            return
        if not self.arbiter.accept_message(topic, info, allow_takeover=not self.has_trajectory):
            self._node.warn(self.arbiter.warning(topic.name))
            return
        try:
            self._take(topic, sent, info)
        except UserError as error:
            self._node.reject_command(str(error))

    def _take(self, topic: Topic, sent: OpenCommand, info: Mapping[str, Any]) -> None:
        supervisor, now_ns = self._node.supervised.supervisor, self._now_ns()
        age_ns = self._age_ns(topic, sent, now_ns, info)
        if supervisor.motion not in MOVING_STATES:
            raise UserError(
                f"{topic.name} is not followed, since motion is {supervisor.motion.value}: call "
                f"{self._node.get_fully_qualified_name()}/enable first, for instance by 'crawler steer enable'."
            )
        answers_state = sent.stamp > 0 and self._node.stamps.has(sent.stamp)  # 0 stands for now
        is_answer = self._node.settings.lockstep or answers_state
        is_answer_to_earlier = answers_state and sent.stamp != now_ns
        with self._lock:
            if isinstance(sent.command, CommandedTrajectory):
                self._commands.start_trajectory(now_ns, now_ns - age_ns, sent.command, supervisor.setpoints)
                self.answers_states = False
            elif self._node.settings.lockstep and is_answer_to_earlier:
                return  # a state that was published twice was answered twice
            else:
                self._check_rate(topic, now_ns)
                sent_ns = now_ns if self._node.settings.lockstep else now_ns - max(0, age_ns)
                jumped = self._commands.add_setpoints(
                    now_ns, sent_ns, sent.command, supervisor.setpoints, is_answer=is_answer
                )
                self.answers_states = is_answer
                for k in jumped[:1]:
                    joint = self._node.spec.actuated_names[k]
                    supervisor.report_clamp(
                        f"{joint} was commanded to jump, by more than its limits allow: it is brought there gently"
                    )
        self._node.on_open_command(sent.stamp)

    def _now_ns(self) -> int:
        """Return the run's time: that of the present state, and what has passed since it was published."""
        node = self._node
        now_ns = node.supervised.observation.time_ns
        if node.settings.lockstep or self.answers_states:
            return now_ns
        passed_ns = node.time_factor * SECOND_NS * (time.monotonic() - node.published_s)
        return now_ns + min(max(0, round(passed_ns)), node.dt_ns)

    def _age_ns(self, topic: Topic, sent: OpenCommand, now_ns: int, info: Mapping[str, Any]) -> int:
        """Return how long ago a command was sent, by its stamp or else by the middleware. Raises UserError.

        A stamp is of the run's time or of the wall clock.
        """
        factor, wall_ns = self._node.time_factor, time.time_ns()
        if not sent.stamp:
            transport_ns = wall_ns - (info.get("source_timestamp") or 0)
            is_known = 0 <= transport_ns <= MAX_TRANSPORT_S * SECOND_NS and not isinstance(
                sent.command, CommandedTrajectory
            )
            return round(factor * transport_ns) if is_known else 0
        ages_ns = now_ns - sent.stamp, wall_ns - sent.stamp
        age_ns = min(ages_ns, key=abs)
        max_age_s = min_age_s = MAX_STAMP_AGE_S
        if isinstance(sent.command, CommandedTrajectory):
            max_age_s, min_age_s = max(max_age_s, sent.command.time_ns[-1] / SECOND_NS), MAX_START_DELAY_S
        if not -min_age_s <= age_ns / SECOND_NS <= max_age_s:
            when = f"{abs(age_ns) / SECOND_NS:.3g} s {'ago' if age_ns > 0 else 'ahead'}"
            raise UserError(
                f"{topic.name} is stamped {when}: stamp it with the present time, of the simulation or of the wall "
                "clock, or with 0."
            )
        return age_ns if age_ns == ages_ns[0] else round(factor * age_ns)

    def _check_rate(self, topic: Topic, now_ns: int) -> None:
        """Warn where messages come so seldom that the joints are held between them."""
        timeout_s, interval_s = self._node.spec.safety.command_timeout, self._commands.interval_s(now_ns)
        self._slow_messages = self._slow_messages + 1 if timeout_s < interval_s < math.inf else 0
        if self._slow_messages >= 3:
            self._node.warn(
                f"{topic.name} came after {interval_s:.2g} s: the joints are held {timeout_s:g} s after each; publish "
                "more often, or a joint_trajectory."
            )

"""Parameters of the controller node; those of the law are declared in addition."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.loop.backend_settings import NodeSettings
from crawler_core.parameters import parameter
from crawler_nodes.topics import CONTACT_STATES


@dataclass(frozen=True)
class ControllerSettings(NodeSettings):
    """The law, and the waiting in lockstep."""

    law: str = parameter("", doc="name of the control law; empty: the robot's default", constant=True)
    lockstep: bool = parameter(False, doc="wait for the reference of every tick instead of stopping", constant=True)
    reference_timeout: float = parameter(
        1.0, unit="s", lower=0.05, upper=60.0, doc="wall time that lockstep waits for a reference", constant=True
    )
    readers: int = parameter(
        0,
        lower=0,
        upper=100,
        doc="lockstep sends its first command once joint_commands has so many subscribers, so that they miss nothing",
        constant=True,
    )
    contact_topic: str = parameter(
        CONTACT_STATES.name,
        doc="contacts that the law reads: contact_states, or the topic of another node",
        constant=True,
    )
    state_rate: float = parameter(
        50.0, unit="Hz", lower=0.1, upper=4000.0, doc="controller_state per second of the run's time", constant=True
    )

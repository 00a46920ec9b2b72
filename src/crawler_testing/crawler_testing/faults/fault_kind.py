"""What a kind of fault is: what is done to the ring, where that applies, and what must follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crawler_core.robot.robot_file import default_robot

if TYPE_CHECKING:
    from crawler_testing.fixtures.run_harness import Scene

SIMULATIONS = ("pybullet", "mujoco", "model")
REAL_TIME = ("mock", "emulated")
EVERY = (*SIMULATIONS, *REAL_TIME)
RECOVERY = 1.0  # s of the run's own time within which it crawls again
SAFE = 1.0  # s within which the joints are at rest or without torque, where nothing else is said
LIFTED = "leaves the ground"  # with this fault a robot's equations end: they have no feet in the air
OVER = 10.0  # s within which a run that cannot go on has ended


@dataclass(frozen=True)
class NeededRun:
    """The run that a kind of fault needs: what `crawler run` is told besides its backend."""

    robot: str = field(default_factory=default_robot)
    controller: str = ""
    gait: str = ""
    sets: tuple[str, ...] = ()  # of --set
    starts: bool = True  # False: it must be refused, or be at fault, before it crawls
    out: str = ""  # of --out; empty: a new directory
    lasts: float = 8.0  # s of its own time, where the fault to come is its only one
    spins: bool = False  # its processes can be told to spin in a callback: Scene.spin


@dataclass(frozen=True)
class Must:
    """What has to follow. Besides, always: limits of speed and acceleration kept, no traceback, nobody left behind."""

    text: str  # the same in words, for people
    crawls: bool = False  # goes on, or goes on again, within RECOVERY of its own time
    rests: float = 0.0  # s within which it is at rest or without torque; 0: that is not asked
    trembles: float = 0.0  # rad by which its joints may tremble where they rest
    returns: bool = False  # after reset and enable it crawls again
    ends: float = 0.0  # s within which the run has ended by itself; 0: it goes on
    says: tuple[str, ...] = ()  # one of these stands in diagnostics, or at the end in what the run prints; any case
    code: tuple[int, ...] | None = (0,)  # exit codes that are right; None: any but 0
    keeps: bool = True  # summary and recording are there and can be read


@dataclass(frozen=True)
class FaultKind:
    """One kind of fault."""

    name: str  # <family>/<what>
    does: str  # what is done, a phrase
    must: Must
    inject: Callable[[Scene], None]  # returns once the last of it is done; may raise scene.Unmet
    backends: tuple[str, ...] = EVERY
    stage: NeededRun = field(default_factory=NeededRun)
    jolts: bool = False  # the joints may be driven as hard as their limits allow: a foot may leave the ground

    alone: bool = False  # what it leaves behind would be laid to the next one: a gait at its slowest, for a cycle

    @property
    def family(self) -> str:
        """The first part of its name."""
        return self.name.partition("/")[0]

    @property
    def shares(self) -> bool:
        """Whether other kinds may come after it in the same run."""
        return (
            not self.alone and self.must.crawls and not self.must.ends and self.must.code == (0,) and self.stage.starts
        )


def crawls(*says: str, text: str = "", **more: Any) -> Must:
    """The ring crawls on; where `says` has words, one of them must be said."""
    words = text or ("refused and said; crawls on" if says else "crawls on")
    return Must(words, crawls=True, says=says, **more)


def stops(*says: str, within: float = SAFE, text: str = "at rest or torque off, said", **more: Any) -> Must:
    """The robot is made safe, it is said, and the run is no success."""
    return Must(text, rests=within, says=says, **{"code": None, **more})


def ends(
    *says: str, within: float = OVER, text: str = "the run ends and says why, exit code not 0", **more: Any
) -> Must:
    """The run ends by itself, with the cause and an exit code that is not 0."""
    return Must(text, ends=within, says=says, **{"code": None, **more})

"""A robot's contact modes as a graph: the states of its feet by the equations, and the events between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from crawler_core.errors import BackendFault, UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode
from crawler_studies.plots.drawing import BLUE, GREEN, GREY, ORANGE, RED, Array, Drawing
from crawler_studies.simulation.robot import start_loop
from crawler_studies.study.study_case import StudyCase

State = tuple[ContactMode, ...]
"""The mode of each foot; of one or two feet the robot's hybrid mode."""
Transition = tuple[State, State]

SLIPS = (ContactMode.SLIP_NEG, ContactMode.SLIP_POS)
MODE_WORDS = {
    ContactMode.OPEN: "in the air",
    ContactMode.STICK: "sticks",
    ContactMode.SLIP_POS: "slips forward",
    ContactMode.SLIP_NEG: "slips backward",
}
MODE_COLOURS = {
    ContactMode.OPEN: GREY,
    ContactMode.STICK: GREEN,
    ContactMode.SLIP_POS: ORANGE,
    ContactMode.SLIP_NEG: RED,
}
MODE_PLACES = {  # in the graph of a single foot
    ContactMode.SLIP_NEG: (-1.3, 0.0),
    ContactMode.STICK: (0.0, 0.0),
    ContactMode.SLIP_POS: (1.3, 0.0),
    ContactMode.OPEN: (0.0, 1.0),
}
LANDS, LIFTS, BREAKS, STOPS = "lands", "lifts", "breaks", "stops"
EVENT_COLOURS = {LANDS: BLUE, LIFTS: GREY, BREAKS: RED, STOPS: GREEN}
MIN_RUN_TIME_S, MIN_CYCLES = 12.0, 8  # of the half that is counted: the longer of both
MAX_FEET = 4  # of a robot whose graph can still be read
MIN_USUAL_RATE = 0.4  # times in a cycle: a transition that is rarer comes from ticks or from the start


@dataclass(frozen=True)
class ModeGraph:
    """The graph of some feet in a run once it was steady: states by their time, and transitions."""

    shares: dict[State, float]  # of the time
    transitions: dict[Transition, float]  # times in a cycle


def event(before: State, after: State) -> str:
    """Return the event between two states, of the feet that changed: landing counts before all else."""
    changes = [(old, new) for old, new in zip(before, after, strict=True) if old is not new]
    if any(old is ContactMode.OPEN for old, _ in changes):
        return LANDS
    if any(new is ContactMode.OPEN for _, new in changes):
        return LIFTS
    return STOPS if any(old in SLIPS for old, _ in changes) else BREAKS


def guards(spec: RobotSpec) -> dict[str, str]:
    """Describe the events: of Coulomb's friction, or of one that grows with the speed up to a threshold."""
    creeps = any(foot.slip_damping is not None for foot in spec.feet)
    return {
        LANDS: "the foot comes down",
        LIFTS: "$F_N$ falls to 0: it lifts off",
        BREAKS: "$|v|$ rises above $V_s$: it slips" if creeps else "$|F_T|$ reaches $\\mu F_N$: it slips",
        STOPS: "$|v|$ falls below $V_s$" if creeps else "$v$ comes to 0: it sticks, or turns round",
    }


def possible_states(spec: RobotSpec, feet: Sequence[str]) -> list[State]:
    """Return every state that these feet may be in."""
    lifts = {foot.name: foot.lifts for foot in spec.feet}
    modes = [[mode for mode in MODE_PLACES if mode is not ContactMode.OPEN or lifts[foot]] for foot in feet]
    return list(product(*modes))


def group_feet(spec: RobotSpec) -> list[tuple[str, ...]]:
    """Return the feet of each graph: two feet are one system, of more each is a graph by itself."""
    names = spec.foot_names
    return [names] if len(names) <= 2 else [(name,) for name in names]


def count_modes(case: StudyCase, seconds: float = MIN_RUN_TIME_S) -> list[ModeGraph]:
    """Count the modes of each group of feet in the later half of a run by the equations.

    It lasts `seconds`, or longer for a slow gait. Raises UserError where the robot has no equations, and BackendFault
    where they end.
    """
    spec, gait = case.at({})
    seconds = max(seconds, 2 * MIN_CYCLES * gait.period)
    with start_loop(case, "model", {}) as loop:
        seen = loop.run(round(seconds * 1e9 / loop.dt_ns))
        steady = [state for state in seen if state.time_ns * 1e-9 >= 0.5 * seconds]
    cycles = (steady[-1].time_ns - steady[0].time_ns) * 1e-9 / gait.period
    statistics = []
    for feet in group_feet(spec):
        indices = [spec.foot_names.index(foot) for foot in feet]
        states = [tuple(observation.contacts[i].mode for i in indices) for observation in steady]
        if any(ContactMode.UNKNOWN in state for state in states):
            raise UserError(
                f"there is no graph of {', '.join(feet)}: the equations of '{spec.name}' do not report its contacts."
            )
        shares = {state: count / len(states) for state, count in Counter(states).items()}
        changes = Counter((a, b) for a, b in pairwise(states) if a != b)
        statistics.append(ModeGraph(shares, {change: count / cycles for change, count in changes.items()}))
    return statistics


def draw_modes(case: StudyCase) -> Drawing:
    """Draw the graph of a gait, with the transitions of the robot's other gaits. Raises as `count_modes` does."""
    spec, groups = case.spec, group_feet(case.spec)
    statistics = count_modes(case)
    other_gaits = [name for name in spec.section("gait") if name not in ("default", case.gait_name)]
    others = [found for name in other_gaits if (found := _count_or_none(StudyCase(case.robot, name))) is not None]

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 2) if len(groups) > 1 else figure.subplots(squeeze=False)
        for axes in panels.flat:
            axes.axis("off")
        for k, (axes, feet) in enumerate(zip(panels.flat, groups, strict=False)):
            rare = {transition for other in others for transition in other[k].transitions}
            _draw_graph(axes, spec, feet, statistics[k], rare)
        figure.legend(handles=_legend_lines(spec, bool(others)), loc="outside lower center", ncols=2, frameon=False)

    title = f"what the feet of {spec.name} do in the gait {case.gait_name}, in % of the time, by the equations"
    size = (8.0, 4.4) if len(spec.foot_names) == 1 else (9.0, 7.0)
    return Drawing("modes", title, {"": _share_table(spec, statistics)}, draw, size)


def _count_or_none(case: StudyCase) -> list[ModeGraph] | None:
    """Count the modes in another gait; None where the equations end in it."""
    try:
        return count_modes(case)
    except (BackendFault, UserError):
        return None


def _share_table(spec: RobotSpec, statistics: Sequence[ModeGraph]) -> dict[str, Array]:
    rows = [
        (k, *(state + (ContactMode.UNKNOWN,))[:2], found.shares.get(state, 0.0))
        for k, (feet, found) in enumerate(zip(group_feet(spec), statistics, strict=True))
        for state in possible_states(spec, feet)
    ]
    names = ("feet", "mode_of_the_first", "mode_of_the_second", "share_of_time")
    return {name: np.array(column, dtype=float) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def _legend_lines(spec: RobotSpec, has_others: bool) -> list[Line2D]:
    lifts = any(foot.lifts for foot in spec.feet)
    words = {name: text for name, text in guards(spec).items() if lifts or name not in (LANDS, LIFTS)}
    lines = [Line2D([], [], color=EVENT_COLOURS[name], linewidth=2.2, label=text) for name, text in words.items()]
    if has_others:
        lines.append(Line2D([], [], color=GREY, linewidth=0.8, label="thin: seldom, or in other gaits"))
    return lines


def _draw_graph(axes: Axes, spec: RobotSpec, feet: Sequence[str], found: ModeGraph, rare: Iterable[Transition]) -> None:
    """Draw states as boxes, stronger the longer they last, and transitions as arrows, strong if in most cycles."""
    arrows = {*rare, *found.transitions}
    states = [*possible_states(spec, feet), *(state for arrow in arrows for state in arrow)]
    places = {state: _place(state) for state in states}
    boxes = {
        state: _draw_state(axes, place, feet, state, found.shares.get(state, 0.0)) for state, place in places.items()
    }
    for before, after in arrows:
        usual = found.transitions.get((before, after), 0.0) >= MIN_USUAL_RATE
        arrow = {
            "arrowstyle": "-|>",
            "color": EVENT_COLOURS[event(before, after)],
            "lw": 2.2 if usual else 0.8,
            "alpha": 1.0 if usual else 0.5,
            "patchA": boxes[before],
            "patchB": boxes[after],
            "connectionstyle": "arc3,rad=0.25",
        }
        # drawn after the boxes, whose sizes are known by then
        axes.annotate("", places[after], places[before], arrowprops=arrow, zorder=4)
    if len(feet) < len(spec.foot_names):
        axes.set_title(", ".join(feet), fontsize=10)
    xs, ys = zip(*places.values(), strict=True)
    axes.set_xlim(min(xs) - 0.6, max(xs) + 0.6)
    axes.set_ylim(min(ys) - 0.4, max(ys) + 0.3)


def _draw_state(axes: Axes, place: tuple[float, float], feet: Sequence[str], state: State, share: float) -> Any:
    """Draw the box of a state and return its patch."""
    words = [MODE_WORDS[mode] for mode in state]
    if len(feet) > 1:
        words = [f"{foot} {word}" for foot, word in zip(feet, words, strict=True)]
    text = "\n".join([*words, f"{100.0 * share:.1f} %" if share else "never"])
    colour, strength = np.array(to_rgb(MODE_COLOURS[state[0]] if len(feet) == 1 else BLUE)), 0.15 + 0.5 * share
    box = {"boxstyle": "round,pad=0.5", "facecolor": 1.0 - strength * (1.0 - colour), "edgecolor": colour}
    return axes.text(*place, text, ha="center", va="center", fontsize=8, bbox=box, zorder=3).get_bbox_patch()


def _place(state: State) -> tuple[float, float]:
    """Return the place of a state. Of two feet the first goes across and the second upwards, in a star.

    Its points are so far out that no arrow between its corners goes through them.
    """
    if len(state) == 1:
        return MODE_PLACES[state[0]]
    levels = {ContactMode.SLIP_NEG: -1.0, ContactMode.STICK: 0.0, ContactMode.SLIP_POS: 1.0}
    x, y = (levels.get(mode, 2.0) for mode in state)
    return (x, y) if x and y else (1.75 * x, 1.6 * y)

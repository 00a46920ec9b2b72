"""A robot's contact modes as a graph: what its feet do by the equations, and what ends each mode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from crawler_core.errors import BackendFault, UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode
from crawler_studies.plots.drawing import BLUE, GREEN, GREY, ORANGE, RED, Drawing
from crawler_studies.simulation.simulate import simulate
from crawler_studies.study.study_case import StudyCase

State = tuple[ContactMode, ...]
"""What each foot does: of two feet or one the robot's hybrid mode."""

SLIPS = (ContactMode.SLIP_NEG, ContactMode.SLIP_POS)
WORDS = {
    ContactMode.OPEN: "in the air",
    ContactMode.STICK: "sticks",
    ContactMode.SLIP_POS: "slips forward",
    ContactMode.SLIP_NEG: "slips backward",
}
COLOURS = {
    ContactMode.OPEN: GREY,
    ContactMode.STICK: GREEN,
    ContactMode.SLIP_POS: ORANGE,
    ContactMode.SLIP_NEG: RED,
}
PLACES = {  # of one foot's modes
    ContactMode.SLIP_NEG: (-1.3, 0.0),
    ContactMode.STICK: (0.0, 0.0),
    ContactMode.SLIP_POS: (1.3, 0.0),
    ContactMode.OPEN: (0.0, 1.0),
}
LANDS, LIFTS, BREAKS, STOPS = "lands", "lifts", "breaks", "stops"
EVENTS = {LANDS: BLUE, LIFTS: GREY, BREAKS: RED, STOPS: GREEN}
SECONDS = 12.0  # of a run, or so many cycles:
CYCLES = 8
MOST_FEET = 4  # of a robot whose graph can still be read
OFTEN = 0.4  # times in a cycle: what is rarer is what ticks or a start leave over


@dataclass(frozen=True)
class Seen:
    """What some feet did in a run once it was steady."""

    shares: dict[State, float]  # of the time
    passages: dict[tuple[State, State], float]  # from one state to another, in a cycle


def event(before: State, after: State) -> str:
    """What made the one state the other, of the feet that changed: landing counts before all else."""
    changes = [(old, new) for old, new in zip(before, after, strict=True) if old is not new]
    if any(old is ContactMode.OPEN for old, _ in changes):
        return LANDS
    if any(new is ContactMode.OPEN for _, new in changes):
        return LIFTS
    return STOPS if any(old in SLIPS for old, _ in changes) else BREAKS


def guards(spec: RobotSpec) -> dict[str, str]:
    """What the events are: of Coulomb's friction, or of one that grows with the speed up to a threshold."""
    creeps = any(foot.slip_damping is not None for foot in spec.feet)
    return {
        LANDS: "the foot comes down",
        LIFTS: "$F_N$ falls to 0: it lifts off",
        BREAKS: "$|v|$ rises above $V_s$: it slips" if creeps else "$|F_T|$ reaches $\\mu F_N$: it slips",
        STOPS: "$|v|$ falls below $V_s$" if creeps else "$v$ comes to 0: it sticks, or turns round",
    }


def states_of(spec: RobotSpec, feet: Sequence[str]) -> list[State]:
    """Every state that these feet may be in."""
    lifts = {foot.name: foot.lifts for foot in spec.feet}
    modes = [[mode for mode in PLACES if mode is not ContactMode.OPEN or lifts[foot]] for foot in feet]
    return list(product(*modes))


def groups_of(spec: RobotSpec) -> list[tuple[str, ...]]:
    """The feet whose modes make one graph: two feet are one system, of more each is looked at by itself."""
    names = spec.foot_names
    return [names] if len(names) <= 2 else [(name,) for name in names]


def watch(case: StudyCase, seconds: float = SECONDS) -> list[Seen]:
    """The feet of a robot under its law by its equations, group by group, in the later half of a run.

    It lasts `seconds`, or longer for a slow gait. Raises UserError where the robot has no equations, and BackendFault
    where they end.
    """
    spec, motion = case.at({})
    seconds = max(seconds, 2 * CYCLES * motion.period)
    run = simulate(case, "model", {}, seconds, lambda _: None)
    steady = [seen for seen in run if seen.time_ns * 1e-9 >= 0.5 * seconds]
    cycles = (steady[-1].time_ns - steady[0].time_ns) * 1e-9 / motion.period
    names = list(spec.foot_names)
    found = []
    for feet in groups_of(spec):
        which = [names.index(foot) for foot in feet]
        states = [tuple(seen.contacts[i].mode for i in which) for seen in steady]
        if any(ContactMode.UNKNOWN in state for state in states):
            raise UserError(f"the equations of '{spec.name}' do not tell what {', '.join(feet)} does: no graph.")
        changes = Counter((a, b) for a, b in pairwise(states) if a != b)
        found.append(
            Seen(
                {state: count / len(states) for state, count in Counter(states).items()},
                {change: count / cycles for change, count in changes.items()},
            )
        )
    return found


def make(case: StudyCase) -> Drawing:
    """The graph of a gait, with what the robot's other gaits do besides. Raises as `watch` does."""
    spec, groups = case.spec, groups_of(case.spec)
    others = [name for name in spec.section("gait") if name not in ("default", case.gait_name)]
    seen = watch(case)
    besides = [found for name in others if (found := _or_none(StudyCase(case.robot, name))) is not None]
    rows = [
        (k, *(state + (ContactMode.UNKNOWN,))[:2], one.shares.get(state, 0.0))
        for k, (feet, one) in enumerate(zip(groups, seen, strict=True))
        for state in states_of(spec, feet)
    ]
    names = ("feet", "mode_of_the_first", "mode_of_the_second", "share_of_time")
    table = {name: np.array(column, dtype=float) for name, column in zip(names, zip(*rows, strict=True), strict=True)}

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 2) if len(groups) > 1 else figure.subplots(squeeze=False)
        for axes in panels.flat:
            axes.axis("off")
        for k, (axes, feet) in enumerate(zip(panels.flat, groups, strict=False)):
            draw_graph(axes, spec, feet, seen[k], {change for found in besides for change in found[k].passages})
        figure.legend(handles=_key(spec, bool(besides)), loc="outside lower center", ncols=2, frameon=False)

    title = f"what the feet of {spec.name} do in the gait {case.gait_name}, in % of the time, by the equations"
    size = (8.0, 4.4) if len(spec.foot_names) == 1 else (9.0, 7.0)
    return Drawing("modes", title, {"": table}, draw, size)


def _place(state: State) -> tuple[float, float]:
    """Of one foot as `PLACES` says; of two feet the first goes across and the second upwards, in a star.

    Its points are so far out that no arrow between its corners goes through them.
    """
    if len(state) == 1:
        return PLACES[state[0]]
    x, y = (float({ContactMode.SLIP_NEG: -1, ContactMode.STICK: 0, ContactMode.SLIP_POS: 1}.get(m, 2)) for m in state)
    return (x, y) if x and y else (1.75 * x, 1.6 * y)


def _key(spec: RobotSpec, others: bool) -> list[Line2D]:
    """What the arrows mean."""
    lifts = any(foot.lifts for foot in spec.feet)
    words = {name: text for name, text in guards(spec).items() if lifts or name not in (LANDS, LIFTS)}
    key = [Line2D([], [], color=EVENTS[name], linewidth=2.2, label=text) for name, text in words.items()]
    if others:
        key.append(Line2D([], [], color=GREY, linewidth=0.8, label="thin: seldom, or in other gaits"))
    return key


def _or_none(case: StudyCase) -> list[Seen] | None:
    """What the feet do in another gait; None where the equations end in it."""
    try:
        return watch(case)
    except (BackendFault, UserError):
        return None


def draw_graph(
    axes: Axes, spec: RobotSpec, feet: Sequence[str], seen: Seen, besides: Iterable[tuple[State, State]]
) -> None:
    """States as boxes, strong where the robot is often; arrows strong where the default gait passes in every cycle."""
    arrows = {*besides, *seen.passages}
    places = {
        state: _place(state) for state in [*states_of(spec, feet), *(state for arrow in arrows for state in arrow)]
    }
    boxes = {}
    for state, (x, y) in places.items():
        share = seen.shares.get(state, 0.0)
        words = "\n".join(
            f"{foot} {WORDS[mode]}" if len(feet) > 1 else WORDS[mode] for foot, mode in zip(feet, state, strict=True)
        )
        words += f"\n{100.0 * share:.1f} %" if share else "\nnever"
        strong, pale = np.array(to_rgb(COLOURS[state[0]] if len(feet) == 1 else BLUE)), 0.15 + 0.5 * share
        box = {"boxstyle": "round,pad=0.5", "facecolor": 1.0 - pale * (1.0 - strong), "edgecolor": strong}
        boxes[state] = axes.text(x, y, words, ha="center", va="center", fontsize=8, bbox=box, zorder=3).get_bbox_patch()
    for before, after in arrows:
        usual = seen.passages.get((before, after), 0.0) >= OFTEN
        axes.annotate(
            "",
            places[after],
            places[before],
            arrowprops={
                "arrowstyle": "-|>",
                "color": EVENTS[event(before, after)],
                "lw": 2.2 if usual else 0.8,
                "alpha": 1.0 if usual else 0.5,
                "patchA": boxes[before],
                "patchB": boxes[after],
                "connectionstyle": "arc3,rad=0.25",
            },
            zorder=4,  # behind a box in time, whose size is known once it is drawn
        )
    if len(feet) < len(spec.foot_names):
        axes.set_title(", ".join(feet), fontsize=10)
    xs, ys = zip(*places.values(), strict=True)
    axes.set_xlim(min(xs) - 0.6, max(xs) + 0.6)
    axes.set_ylim(min(ys) - 0.4, max(ys) + 0.3)

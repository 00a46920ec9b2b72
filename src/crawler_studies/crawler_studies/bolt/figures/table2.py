"""Table 2: the design variables, as printed, in the robot file, and as the search of section 3 finds them here."""

from __future__ import annotations

import math

from crawler_models.bolt.equations.leg import PARAMETER_OF_SYMBOL
from crawler_studies.bolt.design.bars import RANGES, Bars, MechanismSpace
from crawler_studies.bolt.design.designer import MechanismSearch
from crawler_studies.bolt.design.mechanism_goal import MechanismGoal
from crawler_studies.bolt.design.mechanism_report import COLUMNS, evaluate_mechanism
from crawler_studies.bolt.figures.figure_data import HEURISTIC, FigureData
from crawler_studies.plots.drawing import TextTable
from crawler_studies.study.study_case import group_by_section

PRINTED_BARS = Bars(0.080, math.radians(41.41), 0.020, 0.105, 0.190, 0.210, 0.303, 0.052, 0.080, 0.050)


def make_table2(data: FigureData) -> TextTable:
    goal = MechanismGoal()
    search = MechanismSearch(data.spec, goal, RANGES, MechanismSpace.of(RANGES, goal), 0)
    found = search.run(lambda evaluated, words: None, lambda: False)
    made = [Bars.of(group_by_section(found.settings)["robot"])] if found else []
    columns = [HEURISTIC, PRINTED_BARS, Bars.of(data.spec.parameters), *made]
    rows = []
    for symbol in Bars._fields:
        name = PARAMETER_OF_SYMBOL[symbol]
        texts = [_text(symbol, getattr(bars, symbol)) for bars in columns]
        low, high = RANGES[symbol]
        rows.append([f"{symbol} (`{name}`)", *texts, f"{low:g} to {high:g}"])
    evaluated = [evaluate_mechanism(bars, goal) for bars in columns]
    for column in COLUMNS:
        values = [each[column.key] for each in evaluated]
        shown = ["-" if isinstance(v, float) and math.isnan(v) else column.text(v) for v in values]
        rows.append([column.meaning, *shown, ""])
    head = ["design variable", "heuristic, printed", "optimised, printed", "robot file", "found here", "searched"]
    return TextTable(
        "table 2",
        "optimised design variables",
        [*head[: 1 + len(columns)], "searched"],
        rows,
        "The heuristic column never closes loop 2: l_s = l_2 puts pin C on B, 85 mm from the knee, and l_3 and l_t "
        "bridge 168 mm or more. The optimised column has l_4 + l_5 = 0.513 m, above the 0.50 m of Table 1; what "
        "is found here keeps every limit of Table 1. The paper has no ranges of l_1 to l_5 and theta.",
    )


def _text(symbol: str, value: float) -> str:
    return f"{math.degrees(value):g}°" if symbol == "theta" else f"{value:g} m"

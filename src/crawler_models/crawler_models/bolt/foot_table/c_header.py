"""The foot's table as a C header that needs nothing but <stdint.h>."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

from crawler_models.bolt.foot_table.fixed_table import FixedTable, IntArray

COLUMN_NAMES = ("x", "y", "dx", "dy")
HEADER_TEMPLATE = """\
/*
 * The foot of {title}, over the crank's angle q1.
 *
 * Made from the robot file of '{robot}' by: crawler model {robot} --table {name}_foot.h
 * with the lengths
{lengths}
 *
 * Frame: the body's, x forward, y up, from the crank's axis. The crank's angle counts counter-clockwise from x, as
 * 0 to 65535 for a whole turn; running forward it decreases.
 * Units: x, y in 2^-{places} m, dx = dx/dq1 and dy = dy/dq1 in 2^-{places} m/rad ({step:.4g} m).
 * Error of {name}_foot(), rounding included, at any angle: {foot:.1f} um in position, {slope:.1f} um/rad in dx and dy.
 * A force (F_x, F_y) on the foot asks the torque -(F_x dx + F_y dy) of the crank, beside what gravity and inertia ask.
 */
#ifndef {guard}_FOOT_H
#define {guard}_FOOT_H

#include <stdint.h>

#define {guard}_FOOT_ENTRIES {entries}
#define {guard}_FOOT_SHIFT {shift} /* bits of the angle below an entry's number */
#define {guard}_FOOT_STEP (1.0f / {scale}.0f) /* m, m/rad */

typedef struct {{
    int16_t x, y, dx, dy;
}} {name}_foot_t;

{arrays}
static inline int16_t {name}_foot_between(const int16_t *table, uint16_t crank)
{{
    const uint16_t low = (uint16_t)(crank >> {guard}_FOOT_SHIFT);
    const int32_t part = crank & ((1 << {guard}_FOOT_SHIFT) - 1);
    const int32_t first = table[low];
    const int32_t second = table[(low + 1) % {guard}_FOOT_ENTRIES];
    /* >> of a negative number keeps its sign with every compiler that microcontrollers have */
    return (int16_t)(first + (((second - first) * part + (1 << ({guard}_FOOT_SHIFT - 1))) >> {guard}_FOOT_SHIFT));
}}

static inline {name}_foot_t {name}_foot(uint16_t crank)
{{
    const {name}_foot_t foot = {{
        {name}_foot_between({name}_foot_x, crank),
        {name}_foot_between({name}_foot_y, crank),
        {name}_foot_between({name}_foot_dx, crank),
        {name}_foot_between({name}_foot_dy, crank),
    }};
    return foot;
}}

#endif
"""


def header(robot: str, title: str, bars: Mapping[str, tuple[str, float]], table: FixedTable) -> str:
    """The text of the header; `bars` are the robot file's names and values by the paper's symbols."""
    name = re.sub(r"\W", "_", robot)
    return HEADER_TEMPLATE.format(
        title=title,
        robot=robot,
        name=name,
        guard=name.upper(),
        lengths="\n".join(f" *   {symbol:5} = {value:<9g} {own}" for symbol, (own, value) in bars.items()),
        places=table.places,
        step=table.step,
        scale=2**table.places,
        foot=1e6 * table.foot_error,
        slope=1e6 * table.slope_error,
        entries=table.rows.shape[1],
        shift=table.shift,
        arrays="\n".join(
            _array(f"{name}_foot_{which}", row) for which, row in zip(COLUMN_NAMES, table.rows, strict=True)
        ),
    )


def _array(name: str, row: IntArray) -> str:
    lines = textwrap.fill(", ".join(str(value) for value in row), 110, initial_indent="    ", subsequent_indent="    ")
    return f"static const int16_t {name}[{len(row)}] = {{\n{lines},\n}};\n"

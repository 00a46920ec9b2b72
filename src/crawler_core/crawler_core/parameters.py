"""Parameters as typed dataclasses with bounds and units, validated in the same way wherever they come from::

    @dataclass(frozen=True)
    class Tick:
        rate: float = parameter(200.0, unit="Hz", lower=10, upper=2000, doc="ticks per second")

`describe` lists the parameters of such a class, `build` makes an instance from given values.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, get_type_hints

from crawler_core.errors import UserError, quoted, unknown_name

T = TypeVar("T")
_KEY = "parameter"
WIDE_RATIO = 10.0  # a bound that is so many times the start value, or more, is too far for a slider
USUAL_RANGE_TEXT = "; usual range "  # between the allowed values and the usual ones
USUAL_RATIO = 4.0  # of the end of a usual range to the start value, where none is declared


@dataclass(frozen=True)
class ParameterInfo:
    """The description of one parameter."""

    name: str
    type: type
    default: Any
    unit: str
    lower: float | None
    upper: float | None
    choices: tuple[str, ...]
    doc: str
    constant: bool  # read at start only
    periodic: bool = False  # an angle for which a full turn more is the same
    search_range: tuple[float, float] | None = None  # of sliders and searches, within the bounds

    def usual_range(self, start: float) -> tuple[float, float] | None:
        """Return the values for a slider, within the bounds; None where those are no wider.

        It is the search range, or as wide as the start value suggests.
        """
        if self.lower is None or self.upper is None:
            return None
        low, high = self.search_range or (self.lower, self.upper)
        if self.search_range is None and start and math.isfinite(start):
            end = float(f"{USUAL_RATIO * abs(start):.2g}")
            low = -end if self.lower < -WIDE_RATIO * abs(start) else self.lower
            high = end if self.upper > WIDE_RATIO * abs(start) else self.upper
        usual = max(low, self.lower), min(high, self.upper)
        return None if usual == (self.lower, self.upper) else usual

    def range_text(self) -> str:
        """Return the allowed values, for a sentence."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        unit = f" {self.unit}" if self.unit else ""
        if self.lower is not None and self.upper is not None:
            return f"{self.lower:g} to {self.upper:g}{unit}"
        if self.lower is not None:
            return f"at least {self.lower:g}{unit}"
        if self.upper is not None:
            return f"at most {self.upper:g}{unit}"
        return {bool: "true or false", str: "text", int: "a whole number", float: "a number"}[self.type] + unit

    def constraints_text(self, start: Any) -> str:
        """Return the allowed values, and the usual ones where a slider needs them."""
        usual = self.usual_range(start) if self.type in (int, float) else None
        return self.range_text() + (f"{USUAL_RANGE_TEXT}{usual[0]:g} to {usual[1]:g}" if usual else "")


def split_constraints(text: str) -> tuple[str, tuple[float, float] | None]:
    """Return the two parts of `ParameterInfo.constraints_text`."""
    allowed, _, usual = text.partition(USUAL_RANGE_TEXT)
    low, to, high = usual.partition(" to ")
    return allowed, (float(low), float(high)) if to else None


def parameter(
    default: Any,
    *,
    doc: str,
    unit: str = "",
    lower: float | None = None,
    upper: float | None = None,
    choices: Sequence[str] = (),
    constant: bool = False,
    periodic: bool = False,
    search_range: tuple[float, float] | None = None,
) -> Any:
    """Return a dataclass field that carries its unit, bounds and meaning."""
    info = {
        "unit": unit,
        "lower": lower,
        "upper": upper,
        "choices": tuple(choices),
        "doc": doc,
        "constant": constant,
        "periodic": periodic,
        "search_range": search_range,
    }
    return dataclasses.field(default=default, metadata={_KEY: info})


def describe(cls: type, start: object = None) -> tuple[ParameterInfo, ...]:
    """Return the parameters of a dataclass, in order. Defaults are the values of the instance `start`, if given."""
    infos = _described(cls)
    if start is None:
        return infos
    return tuple(dataclasses.replace(info, default=getattr(start, info.name)) for info in infos)


def si_values(parameters: Any) -> dict[str, Any]:
    """Return the values of a parameter dataclass by name, with degrees converted to radians."""
    values = {info.name: (info.unit, getattr(parameters, info.name)) for info in describe(type(parameters))}
    return {name: math.radians(value) if unit == "deg" else value for name, (unit, value) in values.items()}


@cache
def _described(cls: type) -> tuple[ParameterInfo, ...]:
    hints = get_type_hints(cls)
    return tuple(
        ParameterInfo(name=f.name, type=hints[f.name], default=f.default, **f.metadata[_KEY])
        for f in dataclasses.fields(cls)
        if _KEY in f.metadata
    )


def check_value(info: ParameterInfo, value: Any, *, label: str) -> Any:
    """Return `value` in the parameter's type. Raise UserError with name, value and range where it is not allowed."""
    bad = UserError(f"{label} = {quoted(value)} is not allowed: it must be {info.range_text()}.")
    if info.type is bool:
        if not isinstance(value, bool):
            raise bad
        return value
    if info.type is str:
        if not isinstance(value, str) or (info.choices and value not in info.choices):
            raise bad
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= sys.float_info.max:
        raise bad
    if info.type is int and value != int(value):
        raise UserError(f"{label} = {quoted(value)} is not allowed: it must be a whole number, {info.range_text()}.")
    if (info.lower is not None and value < info.lower) or (info.upper is not None and value > info.upper):
        raise bad
    return info.type(value)


def build(cls: type[T], values: Mapping[str, Any], *, section: str) -> T:
    """Return an instance of `cls` from `values` over its defaults. Raise UserError for an unknown name or bad value.

    `section` is the users' prefix of these parameters, such as "gait".
    """
    infos = {info.name: info for info in describe(cls)}
    checked = {}
    for name, value in values.items():
        if name not in infos:
            raise unknown_name("parameter", f"{section}.{name}", (f"{section}.{known}" for known in infos))
        checked[name] = check_value(infos[name], value, label=f"{section}.{name}")
    return cls(**checked)

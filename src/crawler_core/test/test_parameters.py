"""Parameters with bounds and units."""

from dataclasses import dataclass

import pytest

from crawler_core.errors import UserError
from crawler_core.parameters import build, describe, parameter, split_constraints


@dataclass(frozen=True)
class Tick:
    rate: float = parameter(200.0, unit="Hz", lower=10, upper=2000, doc="ticks per second")
    count: int = parameter(3, lower=1, doc="how many")
    law: str = parameter("a", choices=("a", "b"), doc="which")
    fast: bool = parameter(False, doc="whether")


def test_values_go_over_defaults_and_whole_numbers_serve_as_floats():
    tick = build(Tick, {"rate": 500, "law": "b"}, section="tick")
    assert tick == Tick(500.0, 3, "b", False)
    assert isinstance(tick.rate, float)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"rate": 5}, ["tick.rate = 5", "10 to 2000 Hz"]),
        ({"rate": float("inf")}, ["tick.rate", "inf"]),
        ({"rate": "fast"}, ["tick.rate = 'fast'"]),
        ({"rate": True}, ["tick.rate = True"]),
        ({"count": 2.5}, ["tick.count", "2.5"]),
        ({"count": 0}, ["at least 1"]),
        ({"law": "c"}, ["one of a, b"]),
        ({"fast": 1}, ["true or false"]),
        ({"rat": 5}, ["tick.rat", "did you mean 'tick.rate'"]),
    ],
)
def test_a_bad_value_names_the_parameter_the_value_and_the_range(values, words):
    with pytest.raises(UserError) as error:
        build(Tick, values, section="tick")
    for word in words:
        assert word in str(error.value)


@dataclass(frozen=True)
class Gains:
    narrow: float = parameter(2.0, lower=0.0, upper=10.0, doc="a slider fits")
    wide: float = parameter(1e-4, unit="N", lower=0.0, upper=1e3, doc="of a loop")
    signed: float = parameter(-1.5, lower=-100.0, upper=100.0, doc="of a loop")
    zero: float = parameter(0.0, lower=0.0, upper=100.0, doc="has no scale")
    whole: int = parameter(3, lower=1, upper=4000, doc="how many")
    searched: float = parameter(20.0, lower=-360.0, upper=360.0, search_range=(0.0, 180.0), doc="an angle")
    open: float = parameter(1.0, lower=0.0, doc="without an end")


def test_a_usual_range_has_the_scale_of_the_start_value_or_is_the_search_range():
    infos = {info.name: info for info in describe(Gains)}
    found = {name: info.usual_range(info.default) for name, info in infos.items()}
    assert found == {
        "narrow": None,
        "wide": (0.0, 4e-4),
        "signed": (-6.0, 6.0),
        "zero": None,
        "whole": (1, 12),
        "searched": (0.0, 180.0),
        "open": None,
    }
    assert infos["wide"].constraints_text(2e-4) == "0 to 1000 N; usual range 0 to 0.0008"
    assert split_constraints(infos["wide"].constraints_text(2e-4)) == ("0 to 1000 N", (0.0, 8e-4))
    assert split_constraints(infos["narrow"].constraints_text(2.0)) == ("0 to 10", None)

"""Parameters with bounds and units."""

from dataclasses import dataclass

import pytest

from crawler_core.errors import UserError
from crawler_core.parameters import build, parameter


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

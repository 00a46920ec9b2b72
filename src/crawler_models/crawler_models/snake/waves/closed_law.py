"""The joint angles of a step that keeps P_0 to P_(n+1) exactly: length, level and the links ahead.

Links 2 to n keep the paper's inner angles J_3 to J_n. With the chord from P_1 to P_n for a coupler, link 1, this
chord and link n + 1 are the three bars of a four-bar linkage over the fixed base P_0 P_(n+1): two equations for three
directions, and J_(n+2) levels the links ahead. The direction psi of the chord is free. It goes evenly from where the
step begins to where it ends, which keeps the mirror symmetry of the wave (s to 1 - s) and asks less speed of the
joints than a cosine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crawler_models.snake.waves import serpenoid_law

if TYPE_CHECKING:
    from crawler_models.snake.waves.wave import Wave

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]


def angles(wave: Wave, s: Array) -> tuple[Array, Array, Array]:
    """J_1 to J_(n+2) in the last axis, and their first two derivatives by s."""
    inner = serpenoid_law.inner(wave, s)
    bends = tuple(np.cumsum(values, axis=-1) for values in inner)  # of links 3 to n against link 2
    chord = _chord(*bends)  # from P_1 to P_n, with link 2 along the x-axis
    psi_0 = float(np.angle(np.exp(1j * wave.link_angles[1:]).sum()))
    psi = (psi_0 * (1.0 - 2.0 * s), np.full_like(s, -2.0 * psi_0), np.zeros_like(s))

    # what links 1 and n + 1 must span: the base less the chord; exp(a + i psi) with a = log |chord|
    size = _log(*chord)
    along = tuple(a.real + 1j * p for a, p in zip(size, psi, strict=True))
    span = [-values for values in _exp(*along)]
    span[0] = span[0] + (wave.n + 1 - wave.d_unit)
    gap = _log(*span)
    half = _arccos_half(*(values.real for values in gap))

    first = [g.imag + h for g, h in zip(gap, half, strict=True)]  # direction of link 1,
    last = [g.imag - h for g, h in zip(gap, half, strict=True)]  # of link n + 1,
    second = [p - a.imag for p, a in zip(psi, size, strict=True)]  # and of link 2
    return tuple(  # type: ignore[return-value]
        np.concatenate([_column(t1), _column(t2 - t1), middle, _column(t3 - t2 - bend[..., -1]), _column(-t3)], axis=-1)
        for t1, t2, t3, middle, bend in zip(first, second, last, inner, bends, strict=True)
    )


def _column(values: Array) -> Array:
    return values[..., np.newaxis]


def _chord(bend: Array, first: Array, second: Array) -> tuple[Complex, Complex, Complex]:
    """1 + the sum of exp(i bend), with derivatives."""
    unit = np.exp(1j * bend)
    return (
        1.0 + unit.sum(axis=-1),
        (1j * first * unit).sum(axis=-1),
        ((1j * second - first**2) * unit).sum(axis=-1),
    )


def _log(value: Complex, first: Complex, second: Complex) -> tuple[Complex, Complex, Complex]:
    rate = first / value
    return np.log(value), rate, second / value - rate**2


def _exp(value: Complex, first: Complex, second: Complex) -> tuple[Complex, Complex, Complex]:
    size = np.exp(value)
    return size, size * first, size * (second + first**2)


def _arccos_half(log: Array, first: Array, second: Array) -> tuple[Array, Array, Array]:
    """arccos(exp(log) / 2), with derivatives."""
    cos = 0.5 * np.exp(log)
    rate, gain = cos * first, cos * (second + first**2)
    sin = np.sqrt(1.0 - cos**2)
    return np.arccos(cos), -rate / sin, -(gain + cos * (rate / sin) ** 2) / sin

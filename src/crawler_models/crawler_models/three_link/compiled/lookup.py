"""Reading the tables of one gait, at nodes and between them."""

from __future__ import annotations

from numba import njit

from crawler_models.three_link.compiled.interpolation import lagrange, quintic
from crawler_models.three_link.compiled.table import D1, D2, KD2, PAD_ROWS, QA, QG, C, D, K, P


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def node(mass, gamma, chain, i):
    """The instant at node i: (d'', C, P, K, K d'', Q)."""
    row = chain[i + PAD_ROWS]
    return row[D2], row[C], row[P] + gamma * mass, row[K], row[KD2], row[QA] + gamma * row[QG]


@njit(cache=True, nogil=True, error_model="numpy")
def instant(mass, gamma, chain, i, s):
    """The same at s in cell i."""
    w = lagrange(s)
    d2 = c = p = k = kd2 = q = 0.0
    for j in range(6):
        e2, ec, ep, ek, ekd2, eq = node(mass, gamma, chain, i + j - 2)
        d2 += w[j] * e2
        c += w[j] * ec
        p += w[j] * ep
        k += w[j] * ek
        kd2 += w[j] * ekd2
        q += w[j] * eq
    return d2, c, p, k, kd2, q


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def feet_distance(chain, h, i):
    """d in cell i as a quintic of s."""
    a, b = chain[i + PAD_ROWS], chain[i + 1 + PAD_ROWS]
    return quintic(a[D], h * a[D1], h * h * a[D2], b[D], h * b[D1], h * h * b[D2])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def foot_path(slip, gamma, h, i):
    """The slip mode's own x_1 in cell i as a quintic of s."""
    a, b = slip[i], slip[i + 1]
    hh = h * h
    return quintic(
        a[4] + gamma * a[5],
        h * (a[2] + gamma * a[3]),
        hh * (a[0] + gamma * a[1]),
        b[4] + gamma * b[5],
        h * (b[2] + gamma * b[3]),
        hh * (b[0] + gamma * b[1]),
    )

"""The acquisition function, and the search for its maximum."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import erfcx
from scipy.stats import norm

from crawler_core.types import FloatArray

Score = Callable[[FloatArray], FloatArray]
ROUNDS = 6  # of refinement, each closer than the one before
REFINED_STARTS = 6
CLOUD_SIZE = 40  # candidates around each


def log_expected_improvement(mean: FloatArray, deviation: FloatArray, best: float) -> FloatArray:
    """Return log E[max(0, f - best)], also where E is far too small to be represented."""
    z = (mean - best) / deviation
    direct = np.log(np.maximum(norm.pdf(z) + z * norm.cdf(z), 1e-300))
    # phi(z) + z Phi(z) = phi(z) (1 - |z| sqrt(pi/2) erfcx(|z|/sqrt 2)), where the direct form cancels
    far = np.minimum(z, -5.0)
    ratio = math.sqrt(math.pi / 2.0) * erfcx(-far / math.sqrt(2.0))
    tail = norm.logpdf(far) + np.log1p(np.maximum(far * ratio, -1.0 + 1e-12))
    return np.log(deviation) + np.where(z > -5.0, direct, tail)


def most_promising(
    score: Score,
    starts: FloatArray,
    inside: Callable[[FloatArray], FloatArray],
    width: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the best place found around the best of `starts`, closer each round; `width` is the first distance."""
    values = score(starts)
    order = np.argsort(-values, kind="stable")[:REFINED_STARTS]
    places, values = starts[order], values[order]
    for k in range(ROUNDS):
        spread = width * 0.5**k
        cloud = inside(places[:, None, :] + spread * rng.standard_normal((len(places), CLOUD_SIZE, places.shape[1])))
        scores = score(cloud.reshape(-1, places.shape[1])).reshape(len(places), CLOUD_SIZE)
        better = np.argmax(scores, axis=1)
        for i, j in enumerate(better):
            if scores[i, j] > values[i]:
                places[i], values[i] = cloud[i, j], scores[i, j]
    return places[int(np.argmax(values))]

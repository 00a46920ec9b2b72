"""What the evaluations so far suggest: Gaussian processes for the value and for whether a place is valid."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from crawler_core.types import FloatArray

LENGTHS = (0.03, 3.0)  # of the kernel, in widths of the ranges: shorter is noise, longer is flat
NOISE = (1e-6, 0.3)  # variance over that of the values; estimated, because physics and real robots scatter
SQUASH = 1.0  # standard deviations below the median from which poor values are drawn together
BORDER = 0.15  # the length over which a valid neighbour vouches for a place
DOUBT = 0.15  # of a label, so that one invalid point does not wall off what is around it


@dataclass(frozen=True)
class Surrogate:
    """Fitted processes. `mean` and `deviation` are in squashed units, in which a larger value is still a better one."""

    value: GaussianProcessRegressor
    valid: GaussianProcessRegressor | None  # None: nothing was invalid yet

    def predict(self, features: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of the noise-free value."""
        mean, deviation = self.value.predict(features, return_std=True)
        noise = self.value.kernel_.k2.noise_level
        return mean, np.sqrt(np.maximum(deviation**2 - noise, 1e-12))

    def log_valid(self, features: FloatArray) -> FloatArray:
        """Logarithm of the probability that a place is valid."""
        if self.valid is None:
            return np.zeros(len(features))
        mean, deviation = self.valid.predict(features, return_std=True)
        return np.asarray(norm.logcdf(mean / np.maximum(deviation, 1e-6)))


def squash(values: FloatArray) -> FloatArray:
    """Values in units of their spread. How poor the poor ones are says nothing about the best: they are drawn together.

    Without this a deep trough decides the kernel, and the hill that is looked for is a detail of it.
    """
    spread = float(np.std(values)) or 1.0
    z = (values - np.median(values)) / spread
    return np.where(z < -SQUASH, -SQUASH - np.log1p(np.maximum(-z - SQUASH, 0.0)), z)


def fit(features: FloatArray, squashed: FloatArray, seed: int) -> GaussianProcessRegressor:
    """The process of the value."""
    kernel = ConstantKernel(1.0, (0.05, 50.0)) * Matern(np.full(features.shape[1], 0.3), LENGTHS, nu=2.5) + WhiteKernel(
        1e-3, NOISE
    )
    process = GaussianProcessRegressor(kernel, alpha=1e-10, n_restarts_optimizer=1, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a length at its bound is an answer
        return process.fit(features, squashed)


def fit_valid(features: FloatArray, valid: np.ndarray, wide: bool) -> GaussianProcessRegressor:
    """The process of the label: 1 where valid, -1 where not; optimistic where nothing is known.

    `wide`: an evaluation speaks for twice as much of what is around it.
    """
    kernel = ConstantKernel(1.0, "fixed") * Matern(2.0 * BORDER if wide else BORDER, "fixed", nu=1.5)
    process = GaussianProcessRegressor(kernel, alpha=DOUBT, optimizer=None)
    labels = np.where(valid, 1.0, -1.0) - 1.0
    return process.fit(features, labels)

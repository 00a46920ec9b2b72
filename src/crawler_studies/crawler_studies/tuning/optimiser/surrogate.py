"""The surrogate of the objective: Gaussian processes for the value and for the validity of a place."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from crawler_core.types import FloatArray

LENGTH_BOUNDS = (0.03, 3.0)  # of the kernel, in widths of the ranges: shorter is noise, longer is flat
NOISE_BOUNDS = (1e-6, 0.3)  # variance over that of the values; estimated, because physics and real robots scatter
SQUASH_LIMIT = 1.0  # standard deviations below the median from which poor values are compressed
VALIDITY_LENGTH = 0.15  # of the kernel for validity
LABEL_NOISE = 0.15  # variance, so that one invalid point does not exclude its surroundings


@dataclass(frozen=True)
class Surrogate:
    """Fitted processes, for squashed values, of which a larger one is still a better one."""

    value: GaussianProcessRegressor
    valid: GaussianProcessRegressor | None  # None: nothing was invalid yet

    def predict(self, features: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of the noise-free value."""
        mean, deviation = self.value.predict(features, return_std=True)
        noise = self.value.kernel_.k2.noise_level
        return mean, np.sqrt(np.maximum(deviation**2 - noise, 1e-12))

    def log_valid(self, features: FloatArray) -> FloatArray:
        """Return the logarithm of the probability that a place is valid."""
        if self.valid is None:
            return np.zeros(len(features))
        mean, deviation = self.valid.predict(features, return_std=True)
        return np.asarray(norm.logcdf(mean / np.maximum(deviation, 1e-6)))


def squash(values: FloatArray) -> FloatArray:
    """Return the values in units of their spread, with the poor ones compressed.

    Otherwise a deep trough decides the kernel, and the hill that is searched for is a detail of it.
    """
    spread = float(np.std(values)) or 1.0
    z = (values - np.median(values)) / spread
    return np.where(z < -SQUASH_LIMIT, -SQUASH_LIMIT - np.log1p(np.maximum(-z - SQUASH_LIMIT, 0.0)), z)


def fit(features: FloatArray, squashed: FloatArray, seed: int) -> GaussianProcessRegressor:
    """Fit the process of the value."""
    kernel = ConstantKernel(1.0, (0.05, 50.0)) * Matern(
        np.full(features.shape[1], 0.3), LENGTH_BOUNDS, nu=2.5
    ) + WhiteKernel(1e-3, NOISE_BOUNDS)
    process = GaussianProcessRegressor(kernel, alpha=1e-10, n_restarts_optimizer=1, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a length at its bound is an answer
        return process.fit(features, squashed)


def fit_valid(features: FloatArray, valid: np.ndarray, wide: bool) -> GaussianProcessRegressor:
    """Fit the process of the label, 1 where valid and -1 where not; it is optimistic far from evaluations.

    `wide`: an evaluation counts for twice as much of its surroundings.
    """
    kernel = ConstantKernel(1.0, "fixed") * Matern(2.0 * VALIDITY_LENGTH if wide else VALIDITY_LENGTH, "fixed", nu=1.5)
    process = GaussianProcessRegressor(kernel, alpha=LABEL_NOISE, optimizer=None)
    labels = np.where(valid, 1.0, -1.0) - 1.0
    return process.fit(features, labels)

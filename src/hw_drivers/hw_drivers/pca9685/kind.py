"""PCA9685 as a kind of bus."""

from __future__ import annotations

from hw_drivers.bus import BusKind
from hw_drivers.pca9685.driver import Pca9685Bus
from hw_drivers.pca9685.settings import Pca9685Joint, Pca9685Settings

KIND = BusKind(Pca9685Settings, Pca9685Joint, Pca9685Bus, "hw_drivers.pca9685.emulator:emulate")

"""Options of a film: which part of a run, how fast, and how large."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_bringup.stack.stack import Stack
from crawler_core.errors import UserError

DEFAULT_LENGTH_S = 5.0  # of film
DEFAULT_SPEEDS = (1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01)  # times real time: the fastest one that ...
MIN_PERIOD_S = 1.0  # ... shows a period of the gait for so long
DEFAULT_FPS, MIN_FPS, MAX_FPS = 25.0, 1.0, 50.0
DEFAULT_WIDTH_PX, MIN_WIDTH_PX, MAX_WIDTH_PX = 700, 200, 3840
MAX_PIXELS = 5 * 10**8  # of all frames together


@dataclass(frozen=True)
class FilmOptions:
    """Begin and end in s of the run, speed in times real time, width in pixels. Raises UserError."""

    begin: float = 0.0
    end: float | None = None
    speed: float | None = None
    fps: float = DEFAULT_FPS
    width: int = DEFAULT_WIDTH_PX

    def __post_init__(self) -> None:
        if self.begin < 0.0 or (self.end is not None and self.end <= self.begin):
            until = "" if self.end is None else f" --to {self.end:g}"
            raise UserError(f"--from {self.begin:g}{until} is not allowed: give 0 <= from < to, in seconds.")
        if self.speed is not None and self.speed <= 0.0:
            raise UserError(f"--speed {self.speed:g} is not allowed: give more than 0; 1 is real time.")
        if not MIN_FPS <= self.fps <= MAX_FPS:
            raise UserError(f"--fps {self.fps:g} is not allowed: give {MIN_FPS:g} to {MAX_FPS:g}.")
        if not MIN_WIDTH_PX <= self.width <= MAX_WIDTH_PX:
            raise UserError(f"--width {self.width} is not allowed: give {MIN_WIDTH_PX} to {MAX_WIDTH_PX} pixels.")

    @property
    def frame_time_ms(self) -> int:
        """Time for which each frame is shown; a GIF counts in hundredths of a second."""
        return round(100.0 / self.fps) * 10

    def playback_speed(self, stack: Stack | None) -> float:
        """Return the film's speed in times real time."""
        if self.speed is not None:
            return self.speed
        slow_enough = (s for s in DEFAULT_SPEEDS if stack is None or not stack.period < MIN_PERIOD_S * s)
        return next(slow_enough, DEFAULT_SPEEDS[-1])

    def sample_times(self, stack: Stack | None) -> tuple[float, float, float]:
        """Return begin, end and step in s of the run. Raises UserError for a film that is too large."""
        speed = self.playback_speed(stack)
        end = self.begin + DEFAULT_LENGTH_S * speed if self.end is None else self.end
        step = 1e-3 * self.frame_time_ms * speed
        frames = (end - self.begin) / step
        if frames * self.width**2 / 2 > MAX_PIXELS:
            raise UserError(
                f"a film of {frames:.0f} frames with a width of {self.width} pixels is too large: "
                "give less time between --from and --to, a higher --speed, less --fps or less --width."
            )
        return self.begin, end, step

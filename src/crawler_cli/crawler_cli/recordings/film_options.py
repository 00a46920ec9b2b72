"""Which film is wanted of a run."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_bringup.stack.stack import Stack
from crawler_core.errors import UserError

LASTS = 5.0  # s of film, where no end is given
SLOW = (1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01)  # speeds that are taken where none is given: ...
STRIDE = 1.0  # ... the fastest in which a period of the gait lasts as many seconds of film
FPS, SLOWEST, FASTEST = 25.0, 1.0, 50.0  # frames a second
WIDTH, NARROWEST, WIDEST = 700, 200, 3840  # pixels
PIXELS = 5 * 10**8  # of all pictures of a film together


@dataclass(frozen=True)
class FilmOptions:
    """From when to when (s of the run), how fast beside real time, and how large. Raises UserError."""

    begin: float = 0.0
    end: float | None = None
    speed: float | None = None
    fps: float = FPS
    width: int = WIDTH

    def __post_init__(self) -> None:
        if self.begin < 0.0 or (self.end is not None and self.end <= self.begin):
            until = "" if self.end is None else f" --to {self.end:g}"
            raise UserError(f"--from {self.begin:g}{until} is no time of a run: give 0 <= from < to, in seconds.")
        if self.speed is not None and self.speed <= 0.0:
            raise UserError(f"--speed {self.speed:g} is not allowed: give more than 0; 1 is real time.")
        if not SLOWEST <= self.fps <= FASTEST:
            raise UserError(f"--fps {self.fps:g} is not allowed: give {SLOWEST:g} to {FASTEST:g}.")
        if not NARROWEST <= self.width <= WIDEST:
            raise UserError(f"--width {self.width} is not allowed: give {NARROWEST} to {WIDEST} pixels.")

    @property
    def delay(self) -> int:
        """ms that each picture is shown; a GIF counts in hundredths of a second."""
        return round(100.0 / self.fps) * 10

    def speed_of(self, stack: Stack | None) -> float:
        """Times real time, of the film of this run."""
        if self.speed is not None:
            return self.speed
        return next((speed for speed in SLOW if stack is None or stack.gait.period >= STRIDE * speed), SLOW[-1])

    def span(self, stack: Stack | None) -> tuple[float, float, float]:
        """Begin, end and step, s of the run. Raises UserError for a film that is too large to be made."""
        speed = self.speed_of(stack)
        end = self.begin + LASTS * speed if self.end is None else self.end
        step = 1e-3 * self.delay * speed
        if (end - self.begin) / step * self.width**2 / 2 > PIXELS:
            raise UserError(
                f"a film of {(end - self.begin) / step:.0f} frames with a width of {self.width} pixels is too large: "
                "give less time between --from and --to, a higher --speed, less --fps or less --width."
            )
        return self.begin, end, step

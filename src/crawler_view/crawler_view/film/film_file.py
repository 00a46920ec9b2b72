"""The file of a film: a GIF, or an MP4 where ffmpeg is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from PIL import Image

from crawler_core.errors import UserError

SUFFIXES = (".gif", ".mp4")
FREE_COLOURS = 80  # of a GIF, added to the given ones
PALETTE_SAMPLES = 8  # pictures from which the free colours are chosen
Colour = tuple[int, int, int]


def check_kind(file: Path) -> None:
    """Raise UserError for a film that this machine cannot make."""
    if file.suffix not in SUFFIXES:
        raise UserError(f"{file} has no suffix of a film: give one of {', '.join(SUFFIXES)}.")
    if file.suffix == ".mp4" and shutil.which("ffmpeg") is None:
        raise UserError("an MP4 needs ffmpeg, which is not installed: install it, or give a name that ends in .gif.")
    if file.is_dir() or not file.parent.is_dir():
        raise UserError(f"{file} cannot be written: {'it is a' if file.is_dir() else 'there is no such'} directory.")


def write_film(
    count: int, picture: Callable[[int], Image.Image], colours: Sequence[Colour], delay: int, file: Path
) -> None:
    """Write the pictures 0 to `count` - 1 to `file`, each shown for `delay` ms.

    A GIF has few colours; it has the given `colours` exactly. The same pictures give the same bytes.
    """
    if file.suffix == ".gif":
        _gif(count, picture, colours, delay, file)
    else:
        _by_ffmpeg(count, picture, delay, file)


def _gif(count: int, picture: Callable[[int], Image.Image], colours: Sequence[Colour], delay: int, file: Path) -> None:
    chosen = {int(i): picture(int(i)) for i in np.linspace(0, count - 1, min(count, PALETTE_SAMPLES))}
    samples = Image.fromarray(np.concatenate([np.asarray(image) for image in chosen.values()]))
    free = samples.quantize(FREE_COLOURS, method=Image.Quantize.MEDIANCUT).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([value for colour in colours for value in colour] + free[: 3 * FREE_COLOURS])

    def reduced(i: int) -> Image.Image:
        image = chosen[i] if i in chosen else picture(i)
        return image.quantize(palette=palette, dither=Image.Dither.NONE)

    others = (reduced(i) for i in range(1, count))
    with file.open("wb") as target:
        reduced(0).save(target, format="GIF", save_all=True, append_images=others, duration=delay, loop=0)


def _by_ffmpeg(count: int, picture: Callable[[int], Image.Image], delay: int, file: Path) -> None:
    first = picture(0)
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{first.width}x{first.height}", "-r", f"1000/{delay}"]
    plain = ["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-fflags", "+bitexact", "-flags:v", "+bitexact"]
    command = ["ffmpeg", "-loglevel", "error", "-y", *raw, "-i", "-", *plain, str(file)]
    encoder = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert encoder.stdin is not None
    images: Iterable[Image.Image] = chain([first], (picture(i) for i in range(1, count)))
    try:
        for image in images:
            encoder.stdin.write(image.tobytes())
        _, errors = encoder.communicate()
    except BrokenPipeError:
        _, errors = encoder.communicate()
    finally:
        encoder.kill()
        encoder.wait()
    if encoder.returncode:
        why = (errors.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]
        raise UserError(f"ffmpeg could not write {file.name}: {why.rstrip('.')}.")

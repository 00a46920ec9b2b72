"""A process that reads files with limited memory and time, and reports what a command that reads must not do."""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from crawler_core.errors import UserError

MAX_SECONDS = 10.0  # of the process's own work for one file
COMPILED_SHARE = 1.2  # of it, after which compiled code is ended too
MAX_WALL_S = 300.0  # for one file, on a busy machine: it may also wait for something
MAX_GROWTH_BYTES = 2**30  # of the process while it reads one file
KILOBYTE = 1024
OPEN_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link", "os.truncate", "os.chmod")
PROCESSES = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty")
NETWORK = ("socket.connect", "socket.bind", "socket.sendto")
Read = Callable[[Path, Path], None]
"""Reads the corrupted file; the second path is that of a whole one. Raises UserError."""


class ReadResult(NamedTuple):
    """The result of one file."""

    accepted: bool  # read without an error
    seconds: float  # of the process's own work
    growth: int  # bytes of the process at its largest, more than before
    problems: tuple[tuple[str, str], ...]  # each with a key, by which equal ones are counted


class TooSlowError(BaseException):
    """A file took too long. No handler of exceptions in between may stop it."""


class ReaderProcess:
    """A forked process that has imported everything already. It is started again where a file ends it.

    It may write to `directory` only, which is its current directory, and start nothing.
    """

    def __init__(self, read: Read, whole: Path, directory: Path) -> None:
        self._read, self._whole, self._directory = read, whole, directory
        self._process = 0  # its id; 0: none

    def __enter__(self) -> ReaderProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def read(self, file: Path) -> ReadResult:
        """Let the process read a file."""
        if not self._process:
            self._start()
        self._requests.write(f"{file}\n")
        self._requests.flush()
        is_waiting = not select.select([self._answers], [], [], MAX_WALL_S)[0]
        answer = "" if is_waiting else self._answers.readline()
        if answer:
            accepted, seconds, growth, problems = json.loads(answer)
            return ReadResult(accepted, seconds, growth, tuple((key, text) for key, text in problems))
        status = self._end()
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        text = f"it waited for {MAX_WALL_S:g} s" if is_waiting else f"it ended the process, signal {number}"
        if number == signal.SIGPROF:
            text = f"it took more than {MAX_SECONDS:g} s, in compiled code"
        return ReadResult(False, MAX_SECONDS if is_waiting or number == signal.SIGPROF else 0.0, 0, ((text, text),))

    def _start(self) -> None:
        request, requests = os.pipe()
        answers, answer = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which hold nothing that reading needs
            self._process = os.fork()
        if not self._process:
            try:
                os.close(requests)
                os.close(answers)
                _serve(self._read, self._whole, self._directory, os.fdopen(request), os.fdopen(answer, "w"))
            finally:
                os._exit(1)
        os.close(request)
        os.close(answer)
        self._requests, self._answers = os.fdopen(requests, "w"), os.fdopen(answers)

    def _end(self) -> int:
        """End the process and return its status."""
        if not self._process:
            return 0
        process, self._process = self._process, 0
        with contextlib.suppress(BrokenPipeError):
            self._requests.close()  # it ends, unless it hangs
        if not select.select([self._answers], [], [], 1.0)[0]:
            os.kill(process, signal.SIGKILL)
        self._answers.close()
        return os.waitpid(process, 0)[1]


def _serve(read: Read, whole: Path, directory: Path, requests: io.TextIOBase, answers: io.TextIOBase) -> None:
    """Read files until there are no more. Runs in the forked process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal, to all of its processes
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)  # the middleware reports each invalid message there, from C
    os.chdir(directory)
    tempfile.tempdir = str(directory)
    _import_all(read, whole, directory)
    watch = _Watch(directory)
    sys.addaudithook(watch)
    for line in requests:
        watch.found.clear()
        result = _read(read, Path(line.rstrip("\n")), whole)
        result = result._replace(problems=(*result.problems, *watch.found.items()))
        answers.write(f"{json.dumps(result)}\n")
        answers.flush()


def _import_all(read: Read, whole: Path, directory: Path) -> None:
    """Read the whole file, so that no corrupted one has to do with imports; remove what that leaves."""
    known = set(directory.iterdir())
    with contextlib.suppress(Exception, TooSlowError), _limited_time(), contextlib.redirect_stdout(io.StringIO()):
        read(whole, whole)
    for path in set(directory.iterdir()) - known:
        path.unlink()


def _read(read: Read, file: Path, whole: Path) -> ReadResult:
    begin, accepted = time.process_time(), False
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    before, problems = _status("VmRSS"), list[tuple[str, str]]()
    limit = KILOBYTE * _status("VmSize") + MAX_GROWTH_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    try:
        with _limited_time(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            read(file, whole)
        accepted = True
    except UserError as error:
        if "\n" in str(error):
            problems.append(("lines", f"the error has several lines: {str(error)!r:.200}"))
        if memory_error := _find_memory_error(error):
            problems.append((f"memory {_place(memory_error)}", _memory_text(memory_error)))
    except MemoryError as error:
        problems.append((f"memory {_place(error)}", _memory_text(error)))
    except TooSlowError as error:
        problems.append((f"hang {_place(error)}", f"it took more than {MAX_SECONDS:g} s, {_place(error)}"))
    except (Exception, SystemExit) as error:
        text = f"{type(error).__name__}: {str(error)[:150]!r}, {_place(error)}"
        problems.append((f"{type(error).__name__} {_place(error)}", text))
    growth = KILOBYTE * max(0, _status("VmHWM") - before)
    return ReadResult(accepted, time.process_time() - begin, growth, tuple(problems))


class _Watch:
    """An audit hook that finds what is written outside of a directory, processes, the network, and run code."""

    def __init__(self, directory: Path) -> None:
        self.found: dict[str, str] = {}
        self._allowed = (f"{directory}/", f"{directory.resolve()}/", os.devnull, "/proc/self/clear_refs")

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _mode, flags = arguments
            if isinstance(flags, int) and flags & OPEN_TO_WRITE and isinstance(path, str | bytes):
                self._check_path("wrote to", path)
        elif event in CHANGES:
            self._check_path("changed", arguments[1] if event in ("os.rename", "os.link") else arguments[0])
        elif event == "sqlite3.connect":
            self._check_path("opened", arguments[0])
        elif event in PROCESSES:
            self.found.setdefault(event, f"it started a process, {str(arguments)[:100]}")
        elif event in NETWORK:
            self.found.setdefault(event, f"it used the network, {str(arguments)[:100]}")
        elif event == "exec" and getattr(arguments[0], "co_filename", "").startswith(self._allowed[:2]):
            self.found.setdefault(event, f"it ran code of {arguments[0].co_filename}")

    def _check_path(self, verb: str, path: Any) -> None:
        if isinstance(path, str | bytes | os.PathLike):
            place = os.path.abspath(os.fsdecode(path))
            if not place.startswith(self._allowed) and "/__pycache__/" not in place:  # of compiled code
                self.found.setdefault(f"{verb} {place}", f"it {verb} {place}")


def _find_memory_error(error: BaseException | None) -> BaseException | None:
    """Return the MemoryError that another error was raised for; None if there is none."""
    while error is not None and not isinstance(error, MemoryError):
        error = error.__cause__ or error.__context__
    return error


def _memory_text(error: BaseException) -> str:
    return f"it wanted more than {MAX_GROWTH_BYTES >> 20} MB, {_place(error)}"


def _status(key: str) -> int:
    """Return a value of this process's memory, in kB."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{key}:"))


def _place(error: BaseException) -> str:
    """Return the innermost line of this project, but for this module, where an error was raised."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename != __file__]
    own = [one for one in frames if "crawler" in Path(one.filename).parts[-3:][0]]
    frame = (own or frames)[-1]
    return f"in {Path(frame.filename).name}, {frame.name}, line {frame.lineno}"


@contextlib.contextmanager
def _limited_time() -> Iterator[None]:
    """Raise TooSlowError after MAX_SECONDS of this process's own work; end the process where compiled code goes on."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    signal.setitimer(signal.ITIMER_PROF, COMPILED_SHARE * MAX_SECONDS)  # the signal's default action ends the process
    old = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, old)

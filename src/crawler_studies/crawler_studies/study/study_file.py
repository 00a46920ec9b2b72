"""The study file: every finished evaluation of one study, in SQLite, safe against whatever ends the process.

An evaluation is on the disk when `Study.add` returns. The file knows what it is a study of, and refuses to go on as
another one; the process that has it open has it alone.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from crawler_core.errors import UserError

APPLICATION = 0x43524157  # "CRAW", SQLite's mark of whose file this is
FORMAT = 1
PATIENCE = 0.5  # s that another process may take to let go of the file
KINDS = {bool: "INTEGER", int: "INTEGER", float: "REAL", str: "TEXT"}
MOST_DIFFERENCES = 3  # in one sentence

Row = Sequence[Any]
"""A number that is this evaluation's alone, and then one value per column; a NaN stays one."""


class Study:
    """An open study file. Made by `open_study`; a context manager that closes it."""

    def __init__(self, path: Path, connection: sqlite3.Connection, columns: Mapping[str, type]) -> None:
        self.path = path
        self._connection = connection
        self._columns = dict(columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """What a row holds after its number."""
        return tuple(self._columns)

    def numbers(self) -> set[int]:
        """The numbers of the evaluations that are finished."""
        return {number for (number,) in self._connection.execute("SELECT number FROM evaluations")}

    def finished(self) -> list[tuple[Any, ...]]:
        """The finished evaluations as rows, in the order of their numbers."""
        real = [False, *(kind is float for kind in self._columns.values())]
        rows = self._connection.execute("SELECT * FROM evaluations ORDER BY number")
        return [
            tuple(math.nan if value is None and is_real else value for value, is_real in zip(row, real, strict=True))
            for row in rows
        ]

    def add(self, rows: Iterable[Row]) -> None:
        """Put all of `rows` on the disk, or none. Raises UserError where the disk does not take them.

        A number that is there already is a mistake of the caller's: sqlite3.IntegrityError.
        """
        marks = ", ".join("?" * (1 + len(self._columns)))
        try:
            with _Transaction(self._connection):
                self._connection.executemany(f"INSERT INTO evaluations VALUES ({marks})", rows)
        except sqlite3.OperationalError as error:
            raise UserError(
                f"{self.path} cannot be written: {error}; what was finished before is in it, and the same command "
                "goes on there."
            ) from None

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def open_study(path: Path, identity: Mapping[str, Any], columns: Mapping[str, type]) -> Study:
    """The study in the file `path`, which is made where there is none; its directory must exist.

    `identity` says what every evaluation in the file depends on, in nested mappings of what JSON has; `columns` names
    what an evaluation has, each a bool, an int, a float or a str. Raises UserError for a file that is of another study,
    is no study, is damaged, cannot be written, or is open in another process.
    """
    if not path.parent.is_dir():
        raise UserError(f"{path} cannot be made: there is no directory {path.parent}.")
    if path.is_dir():
        raise UserError(f"{path} is a directory: give the study a file.")
    if path.is_file() and path.stat().st_size and not path.open("rb").read(16).startswith(b"SQLite format 3"):
        raise UserError(f"{path} is no study file: give another name.")  # SQLite takes short ones for empty
    try:
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    except sqlite3.DatabaseError as error:
        raise _sentence(path, error) from None
    try:
        # the lock that a transaction takes is kept until the file is closed, by whatever end
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA synchronous = FULL")
        with _Transaction(connection):
            _make_or_check(path, connection, identity, columns)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise _sentence(path, error) from None
    except BaseException:
        connection.close()
        raise
    return Study(path, connection, columns)


def differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """What two identities differ in, each as "name is this in the file and that here"."""
    theirs, ours = _flat(stored), _flat(wanted)
    names = [*ours, *(name for name in theirs if name not in ours)]
    return [
        f"{name} is {theirs.get(name, 'not given')} in the file and {ours.get(name, 'not given')} here"
        for name in names
        if theirs.get(name) != ours.get(name)
    ]


class _Transaction:
    """All or nothing. Exclusive from its start, because two that read first and then write cannot both go on."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN EXCLUSIVE")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self._connection.execute("COMMIT")
        elif self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _make_or_check(
    path: Path, connection: sqlite3.Connection, identity: Mapping[str, Any], columns: Mapping[str, type]
) -> None:
    wanted = json.loads(json.dumps(identity))  # as it is read back: tuples are lists, keys are text
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        kinds = "".join(f', "{name}" {KINDS[kind]}' for name, kind in columns.items())
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("CREATE TABLE identity (document TEXT NOT NULL)")
        connection.execute(f"CREATE TABLE evaluations (number INTEGER PRIMARY KEY{kinds})")
        connection.execute("INSERT INTO identity VALUES (?)", [json.dumps(wanted)])
        return
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise UserError(f"{path} is a database, but no study file: give another name.")
    if (found := connection.execute("PRAGMA user_version").fetchone()[0]) != FORMAT:
        raise UserError(f"{path} has format {found} of study files and this stack writes {FORMAT}: give another name.")
    if (report := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise sqlite3.DatabaseError(report)
    (document,) = connection.execute("SELECT document FROM identity").fetchone()
    apart = differences(json.loads(document), wanted)
    if apart:
        more = f", and {len(apart) - MOST_DIFFERENCES} more" if len(apart) > MOST_DIFFERENCES else ""
        raise UserError(
            f"{path} is another study: {', '.join(apart[:MOST_DIFFERENCES])}{more}; give this one another file, or "
            "remove that one."
        )
    there = [row[1] for row in connection.execute("PRAGMA table_info(evaluations)")]
    if there != ["number", *columns]:
        raise UserError(f"{path} has other columns than this study: give another name.")


def _flat(document: Any, prefix: str = "") -> dict[str, Any]:
    """Nested mappings as one, with dotted names."""
    if not isinstance(document, Mapping):
        return {prefix: document}
    flat: dict[str, Any] = {}
    for key, value in document.items():
        flat.update(_flat(value, f"{prefix}.{key}" if prefix else key))
    return flat


def _sentence(path: Path, error: sqlite3.DatabaseError) -> UserError:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return UserError(f"{path} is in use by another process: wait for its end, or give this one another file.")
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_FULL", "SQLITE_IOERR")):
        return UserError(f"{path} cannot be written: {error}.")
    return UserError(f"{path} is no study file, or is damaged ({error}): remove it, or give another name.")

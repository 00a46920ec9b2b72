"""The study file: the finished evaluations of one study in an SQLite database that survives a crash.

An evaluation is on the disk when `StudyFile.add` returns. The file stores the identity of its study and opens for no
other one. One process at a time can have it open.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from crawler_core.errors import UserError
from crawler_core.files import NOT_REGULAR

APPLICATION_ID = 0x43524157  # "CRAW"; SQLite keeps it in the file's header
FORMAT_VERSION = 1
LOCK_TIMEOUT_S = 0.5
SQL_TYPES = {bool: "INTEGER", int: "INTEGER", float: "REAL", str: "TEXT"}
STUDIES_DIRECTORY = Path("studies")
MAX_LISTED_DIFFERENCES = 3

Row = Sequence[Any]
"""The evaluation's number, then one value per column. A NaN stays a NaN."""


class StudyFile:
    """An open study file, made by `open_study`; a context manager that closes it."""

    def __init__(self, path: Path, connection: sqlite3.Connection, columns: Mapping[str, type]) -> None:
        self.path = path
        self._connection = connection
        self._columns = dict(columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def numbers(self) -> set[int]:
        """Return the numbers of the finished evaluations."""
        try:
            return {number for (number,) in self._connection.execute("SELECT number FROM evaluations")}
        except sqlite3.DatabaseError as error:
            raise _user_error(self.path, error) from None

    def finished(self) -> list[tuple[Any, ...]]:
        """Return the finished evaluations as rows, in the order of their numbers."""
        real = [False, *(kind is float for kind in self._columns.values())]
        try:
            rows = self._connection.execute("SELECT * FROM evaluations ORDER BY number").fetchall()
        except sqlite3.DatabaseError as error:
            raise _user_error(self.path, error) from None
        return [
            tuple(math.nan if value is None and is_real else value for value, is_real in zip(row, real, strict=True))
            for row in rows
        ]

    def add(self, rows: Iterable[Row]) -> None:
        """Write all of `rows` to the disk, or none. Raises UserError where that fails.

        A number that is in the file already is the caller's mistake: sqlite3.IntegrityError.
        """
        marks = ", ".join("?" * (1 + len(self._columns)))
        try:
            with _transaction(self._connection):
                self._connection.executemany(f"INSERT INTO evaluations VALUES ({marks})", rows)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.IntegrityError):
                raise
            raise UserError(
                f"{self.path} cannot be written: {error}. The evaluations finished before are in it; the same command "
                "goes on from there."
            ) from None

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> StudyFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def open_study(path: Path, identity: Mapping[str, Any], columns: Mapping[str, type]) -> StudyFile:
    """Open the study in the file `path`, or create it; its directory must exist.

    `identity` holds all that every evaluation in the file depends on, in nested mappings of JSON values. `columns` maps
    the name of each column to bool, int, float or str. Raises UserError for a file that is of another study, is no
    study file, is damaged, cannot be written, or is open in another process.
    """
    if not path.parent.is_dir():
        raise UserError(f"{path} cannot be made: there is no directory {path.parent}.")
    if path.is_dir():
        raise UserError(f"{path} is a directory: give the study a file.")
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is {NOT_REGULAR}: give the study a file.")
    if path.is_file() and path.stat().st_size and not path.open("rb").read(16).startswith(b"SQLite format 3"):
        raise UserError(f"{path} is no study file: give another name.")  # SQLite takes short ones for empty
    try:
        connection = sqlite3.connect(path, timeout=LOCK_TIMEOUT_S, isolation_level=None)
    except sqlite3.DatabaseError as error:
        raise _user_error(path, error) from None
    try:
        # the lock of the first transaction lasts until the process closes the file or ends
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA trusted_schema = OFF")
        with _transaction(connection):
            _create_or_check(path, connection, identity, columns)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise _user_error(path, error) from None
    except UserError:
        connection.close()
        raise
    except (TypeError, KeyError, AttributeError, RecursionError, ValueError) as error:  # of its content
        connection.close()
        raise _user_error(path, sqlite3.DatabaseError(str(error))) from None
    except BaseException:
        connection.close()
        raise
    return StudyFile(path, connection, columns)


def default_study_path(parts: Sequence[str], identity: Mapping[str, Any], suffix: str) -> Path:
    """Return a path in studies/ that depends on `identity`, so that the same command finds its study again.

    Creates the directory. Raises UserError where that fails.
    """
    try:
        STUDIES_DIRECTORY.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(f"{STUDIES_DIRECTORY} cannot be made: {error.strerror}; give a file elsewhere.") from None
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:8]
    return STUDIES_DIRECTORY / f"{'_'.join([*parts, digest])}{suffix}"


def differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Return the differences of two identities, each as "name is this in the file and that here"."""
    theirs, ours = _flatten(stored), _flatten(wanted)
    names = [*ours, *(name for name in theirs if name not in ours)]
    return [
        f"{name} is {theirs.get(name, 'not given')} in the file and {ours.get(name, 'not given')} here"
        for name in names
        if theirs.get(name) != ours.get(name)
    ]


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    # exclusive from its start: of two processes that read first and then write, one would fail
    connection.execute("BEGIN EXCLUSIVE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _create_or_check(
    path: Path, connection: sqlite3.Connection, identity: Mapping[str, Any], columns: Mapping[str, type]
) -> None:
    wanted = json.loads(json.dumps(identity))  # as JSON returns it: tuples are lists, keys are text
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        kinds = "".join(f', "{name}" {SQL_TYPES[kind]}' for name, kind in columns.items())
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
        connection.execute("CREATE TABLE identity (document TEXT NOT NULL)")
        connection.execute(f"CREATE TABLE evaluations (number INTEGER PRIMARY KEY{kinds})")
        connection.execute("INSERT INTO identity VALUES (?)", [json.dumps(wanted)])
        return
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise UserError(f"{path} is a database, but no study file: give another name.")
    if (found := connection.execute("PRAGMA user_version").fetchone()[0]) != FORMAT_VERSION:
        raise UserError(
            f"{path} has format {found} of study files and this stack writes {FORMAT_VERSION}: give another name."
        )
    if (report := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise sqlite3.DatabaseError(report)
    (document,) = connection.execute("SELECT document FROM identity").fetchone()
    if found := differences(json.loads(document), wanted):
        listed = ", ".join(found[:MAX_LISTED_DIFFERENCES])
        more = f", and {len(found) - MAX_LISTED_DIFFERENCES} more" if len(found) > MAX_LISTED_DIFFERENCES else ""
        raise UserError(f"{path} is another study: {listed}{more}; give this one another file, or remove that one.")
    names = [row[1] for row in connection.execute("PRAGMA table_info(evaluations)")]
    if names != ["number", *columns]:
        raise UserError(f"{path} has other columns than this study: give another name.")


def _flatten(document: Any, prefix: str = "") -> dict[str, Any]:
    """Flatten nested mappings into one with dotted names."""
    if not isinstance(document, Mapping):
        return {prefix: document}
    flat: dict[str, Any] = {}
    for key, value in document.items():
        flat.update(_flatten(value, f"{prefix}.{key}" if prefix else key))
    return flat


def _user_error(path: Path, error: sqlite3.DatabaseError) -> UserError:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return UserError(f"{path} is in use by another process: wait for its end, or give this one another file.")
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_FULL", "SQLITE_IOERR")):
        return UserError(f"{path} cannot be written: {error}.")
    return UserError(f"{path} is no study file, or is damaged ({error}): remove it, or give another name.")

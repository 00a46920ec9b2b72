"""The one form of table by which things are found: a name, and where its object is, imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from crawler_core.errors import UserError, unknown_name

T = TypeVar("T")


class LazyRegistry(Mapping[str, T], Generic[T]):
    """Names to objects that are written as "module:object"; only what is asked for is imported.

    `what` is what an entry is to the user, such as "gait": an unknown name is a UserError that says so.
    """

    def __init__(self, what: str, entries: Mapping[str, str]) -> None:
        self._what = what
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            raise unknown_name(self._what, name, self._entries)
        return import_object(self._entries[name], what=f"the {self._what} '{name}'")

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def import_object(reference: str, *, what: str) -> Any:
    """The object that "module:object" names. Raises UserError, about `what`, where there is none."""
    module, colon, name = reference.partition(":")
    if not (module and colon and name):
        raise UserError(f"{what} is given as '{reference}': it must be written as module:object.")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except ImportError as error:
        raise UserError(f"{what} is in '{reference}', which cannot be imported: {error}.") from error
    except AttributeError:
        raise UserError(f"{what} is said to be '{reference}', but {module} has no '{name}'.") from None
    return found

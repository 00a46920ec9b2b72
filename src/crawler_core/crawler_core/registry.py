"""Registries by name, such as those of gaits, laws and backends; an entry is imported when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from crawler_core.errors import UserError, unknown_name

T = TypeVar("T")


class LazyRegistry(Mapping[str, T], Generic[T]):
    """A mapping from names to objects that are given as "module:object"; an entry is imported at its first use.

    An unknown name raises UserError; `kind`, such as "gait", is its word for an entry.
    """

    def __init__(self, kind: str, entries: Mapping[str, str]) -> None:
        self._kind = kind
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            raise unknown_name(self._kind, name, self._entries)
        return import_object(self._entries[name], what=f"the {self._kind} '{name}'")

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def import_object(reference: str, *, what: str) -> Any:
    """Import and return the object "module:object". Raise UserError about `what` where there is none."""
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
        raise UserError(f"{what} is given as '{reference}', but {module} has no '{name}'.") from None
    return found

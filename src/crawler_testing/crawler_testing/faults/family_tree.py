"""The processes of a run, found by a word in their environment that every one of them inherits."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

VARIABLE = "CRAWLER_STORM"


class FamilyTree:
    """One run and all that came from it, however it was started and whoever is its parent now."""

    def __init__(self) -> None:
        self.mark = {VARIABLE: secrets.token_hex(8)}  # for the environment of the first of them

    def living(self) -> dict[int, str]:
        """The processes that have not ended, and the name of each: the node's, or `cli`."""
        needle = f"{VARIABLE}={self.mark[VARIABLE]}".encode()
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            with suppress(OSError):  # it ended meanwhile
                folder = Path("/proc", entry)
                if needle not in (folder / "environ").read_bytes().split(b"\0"):
                    continue
                if (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z":
                    continue
                words = (folder / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
                node = re.search(r"__node:=(\w+)", words)
                found[int(entry)] = node[1] if node else "cli" if "crawler_cli run" in words else "other"
        return found

    def pid(self, name: str) -> int:
        """Of the first process of that name. Raises LookupError where it does not live."""
        found = [pid for pid, its in sorted(self.living().items()) if its == name]
        if not found:
            raise LookupError(f"there is no process '{name}'")
        return found[0]

"""Corruption of YAML documents, URDF texts and bytes."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import yaml

WRONG_VALUES: tuple[Any, ...] = (
    *(None, True, "x", "", -1, 0, 1, 0.5, 10**9, 2**62, 1e308, -1e-308, math.nan, math.inf, -math.inf, [], {}),
    *([[1, [2]]], {"a": {"b": 1}}, "y" * 10_000, "../../../x", "a\nb", "/etc/passwd", "/dev/zero", "$x$", "\u202e"),
    *("os:system", "./robot.yaml", "!!python/object/apply:os.system [x]", "\x1b[31m", "-0", "1e999"),
)
WRONG_TEXTS = (
    *("", "nan", "inf -inf nan", "0 0 0", "1e308 1e308 1e308", "-1", "0", "x", "1 2", "1 2 3 4", "1e-320", " "),
    *("base_link", "body", "red", "&", "9" * 400, "1e200 0 0", "-1 -1 -1", "continuous", "prismatic", "mesh"),
)
SPECIAL_BYTES = (
    *(bytes(4), b"\xff" * 4, b"\x00\x00\x00\x80", b"\x01\x00\x00\x00", b"\x10\x00\x00\x00", b"\xff\xff\xff\x7f"),
    *(b"\x00\x00\x00\x00\x00\x00\xf8\x7f", b"\x00\x00\x00\x00\x00\x00\xf0\x7f", b"\xff\xff\xff\xff\xff\xff\xef\x7f"),
)
MAX_CHANGES = 4
MANY = 400  # copies of an element


def corrupt_bytes(rng: random.Random, data: bytes, begin: int = 0) -> bytes:
    """Overwrite, insert, remove or cut some bytes from `begin` on."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, MAX_CHANGES)):
        at = rng.randrange(begin, max(begin + 1, len(changed)))
        kind = rng.randrange(6)
        if kind <= 1:
            value = rng.choice(SPECIAL_BYTES)
            at -= (at - begin) % 4
            changed[at : at + len(value)] = value
        elif kind == 2:
            changed[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 3:
            changed[at:at] = rng.choice(SPECIAL_BYTES)
        elif kind == 4:
            del changed[at : at + rng.randint(1, 16)]
        elif rng.random() < 0.3:
            del changed[at:]
    return bytes(changed)


def corrupt_document(rng: random.Random, document: Any) -> Any:
    """Return a copy of a YAML document with wrong values, or without some."""
    changed = copy.deepcopy(document)
    for _ in range(rng.randint(1, MAX_CHANGES)):
        places = list(_places(changed))
        if not places:
            break
        holder, key = rng.choice(places)
        if rng.random() < 0.15:
            del holder[key]
        elif isinstance(holder, dict) and rng.random() < 0.1:
            holder[rng.choice(("x", "", "robot", "seed"))] = rng.choice(WRONG_VALUES)
        else:
            holder[key] = copy.deepcopy(rng.choice(WRONG_VALUES))
    return changed


def corrupt_yaml(rng: random.Random, text: str) -> str:
    """Return the text with wrong values, or with wrong characters."""
    if rng.random() < 0.2:
        return corrupt_bytes(rng, text.encode()).decode(errors="replace")
    document = corrupt_document(rng, yaml.load(text, yaml.CSafeLoader))
    return str(yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=False, default_flow_style=None))


def corrupt_urdf(rng: random.Random, text: str) -> str:
    """Return a URDF with wrong attributes, links or joints."""
    if rng.random() < 0.1:
        return corrupt_bytes(rng, text.encode()).decode(errors="replace")
    root = ElementTree.fromstring(text)
    for _ in range(rng.randint(1, 2 * MAX_CHANGES)):
        elements = list(root.iter())
        element = rng.choice(elements)
        kind = rng.randrange(10)
        if kind <= 5 and element.attrib:
            element.set(rng.choice(list(element.attrib)), rng.choice(WRONG_TEXTS))
        elif kind == 6:
            parent = rng.choice(elements)
            if len(parent):
                parent.remove(rng.choice(list(parent)))
        elif kind == 7:
            rng.choice(elements).append(copy.deepcopy(rng.choice(list(root))))
        elif kind == 8:
            _join(rng, root)
        elif rng.random() < 0.1:
            root.extend(copy.deepcopy(rng.choice(list(root))) for _ in range(MANY))
    return ElementTree.tostring(root, encoding="unicode")


def _join(rng: random.Random, root: ElementTree.Element) -> None:
    """Let a joint hang on any link, itself included, so that trees become cycles."""
    links = [link.get("name", "") for link in root.iter("link")]
    joints = [end for joint in root.iter("joint") for end in joint if end.tag in ("parent", "child")]
    if links and joints:
        rng.choice(joints).set("link", rng.choice(links))


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the mapping or list, and the key, of every value."""
    items: Any = document.items() if isinstance(document, dict) else ()
    for key, value in list(enumerate(document) if isinstance(document, list) else items):
        yield document, key
        yield from _places(value)

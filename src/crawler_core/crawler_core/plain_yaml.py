"""YAML of which nothing can come but plain data of a bounded size: what people write, and no more.

Text keys, each once; numbers that a computer has; no dates, tags or objects; aliases as long as what they stand for is
small.
"""

from __future__ import annotations

from typing import Any

import yaml
from yaml.constructor import ConstructorError

DEEPEST = 40  # sections within sections
MOST_NODES = 100_000  # with every alias spelt out
LARGEST = 2**63  # of whole numbers, either way
PLAIN = ("null", "bool", "int", "float", "str", "seq", "map")


class PlainLoader(yaml.SafeLoader):
    """A loader whose errors are all of the kind that has a place: yaml.MarkedYAMLError."""

    # dates are texts here, as whoever writes `title: 2026-01-01` means them
    yaml_implicit_resolvers = {  # noqa: RUF012  PyYAML's own, which it never changes
        start: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for start, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    yaml_constructors = {  # noqa: RUF012
        tag: constructor
        for tag, constructor in yaml.SafeLoader.yaml_constructors.items()
        if tag is None or tag.rpartition(":")[2] in PLAIN
    }

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = 0
        self._nodes = 0
        self._sizes: dict[int, int] = {}  # of the nodes that are whole, by their identity

    def compose_node(self, parent: Any, index: Any) -> Any:
        """As the composer does, counting."""
        event = self.peek_event()
        mark: Any = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            node = super().compose_node(parent, index)
            if id(node) not in self._sizes:
                raise ConstructorError(None, None, f"'*{event.anchor}' stands within itself", mark)
            self._count(self._sizes[id(node)], mark)
            return node
        before = self._nodes
        self._count(1, mark)
        self._depth += 1
        if self._depth > DEEPEST:
            raise ConstructorError(None, None, f"it is nested more than {DEEPEST} deep", mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        self._sizes[id(node)] = self._nodes - before
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """As the constructor does, for text keys that occur once."""
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, _ in node.value:
                if key.tag == "tag:yaml.org,2002:merge":
                    continue
                if key.tag != "tag:yaml.org,2002:str":
                    said = key.value if isinstance(key, yaml.ScalarNode) else "of several values"
                    raise ConstructorError(None, None, f"the key {said} is no text: quote it", key.start_mark)
                if key.value in seen:
                    raise ConstructorError(None, None, f"the key '{key.value}' is there a second time", key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """As the constructor does, for numbers that there are; what an alias stands for is made for it anew."""
        try:
            value = super().construct_object(node, deep)
        except (ValueError, OverflowError, KeyError):
            raise ConstructorError(
                None, None, "that is not what its tag says, or no number that there is", node.start_mark
            ) from None
        self.constructed_objects.pop(node, None)
        if isinstance(value, int) and not -LARGEST <= value < LARGEST:
            raise ConstructorError(None, None, "that number is too large", node.start_mark)
        return value

    def _count(self, nodes: int, mark: Any) -> None:
        self._nodes += nodes
        if self._nodes > MOST_NODES:
            raise ConstructorError(None, None, f"it holds more than {MOST_NODES} values", mark)

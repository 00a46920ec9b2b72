"""The fast way of `crawler steer estop`: stacks on this machine stop before anything large is imported.

./crawler calls it from setup/start.py, with Python's own library alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from crawler_nodes.transport.estop_socket import stop_local_stacks


def stop_at_once(words: Sequence[str], domain: str) -> int | None:
    """Stop the stacks on this machine where the words of the command line are an emergency stop.

    `domain` is the text of ROS_DOMAIN_ID. Returns the exit code; None for other words, and where stacks have not
    answered here: then the command itself goes on.
    """
    namespace, other = _read_words(words)
    if namespace is None or not other <= {"--json"} or not (domain.strip() or "0").isdigit():
        return None
    answers = {answer.namespace: answer for answer in stop_local_stacks(int(domain.strip() or 0), namespace)}
    elsewhere = {name for answer in answers.values() for name in answer.stacks if not namespace} - set(answers)
    if not answers or elsewhere:
        return None
    done, text = describe_answers(answers)
    if other:
        import json

        print(json.dumps({"action": "estop", "namespace": namespace, "done": done, "message": text}), flush=True)
    else:
        print(text if done else f"crawler: {text}", file=sys.stdout if done else sys.stderr, flush=True)
    return 0 if done else 1


def describe_answers(answers: Mapping[str, Any]) -> tuple[bool, str]:
    """Return whether all have `done` it, and their `text`, which begins with the namespace where there are several."""
    texts = [f"{stack_name(name)}: {answer.text}" for name, answer in answers.items()]
    is_done = all(answer.done for answer in answers.values())
    return is_done, "; ".join(texts) if len(answers) > 1 else next(iter(answers.values())).text


def stack_name(namespace: str) -> str:
    """Return the words for a stack."""
    return namespace or "the stack without a namespace"


def _read_words(words: Sequence[str]) -> tuple[str | None, set[str]]:
    """Return the namespace of an emergency stop, None for any other command, and its remaining words."""
    if list(words[:2]) != ["steer", "estop"]:
        return None, set()
    namespace, rest = "", list(words[2:])
    for i, word in enumerate(rest):
        option, equals, value = word.partition("=")
        if option == "--namespace" and (equals or i + 1 < len(rest)):
            namespace = value if equals else rest[i + 1]
            del rest[i : i + (1 if equals else 2)]
            break
    return namespace.strip("/"), set(rest)

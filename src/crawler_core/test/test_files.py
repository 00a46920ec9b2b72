"""What a YAML file may hold, and what is said of the others."""

import math
from pathlib import Path

import pytest

from crawler_core.errors import UserError
from crawler_core.files import MAX_TEXT_BYTES, parse_value, parse_yaml, read_yaml

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
)

REFUSED = {
    "a section that is there twice": ("safety: {}\nfeet: {}\nsafety: {}", "line 3, .*'safety' is there a second time"),
    "a key that is there twice deeper down": ("a:\n  b: 1\n  b: 2", "line 3, .*'b' is there a second time"),
    "aliases that multiply": (BOMB, "line 5, .*more than 20000 values"),
    "an alias within itself": ("a: &b [1, *b]", "stands within itself"),
    "deep nesting": ("a: " + "[" * 100_000, "nested more than 40 deep"),
    "a number of 5000 digits": ("a: " + "9" * 5000, "line 1, .*no number that there is"),
    "a number of 4000 digits": ("a: " + "9" * 4000, "too large"),
    "a number in many sixtieths": ("a: " + "1:" * 2000 + "2.5", "no number that there is"),
    "a word that is no truth": ("a: !!bool x", "not what its tag says"),
    "an object": ("a: !!python/object/apply:os.system [true]", "could not determine a constructor"),
    "bytes": ("a: !!binary x", "could not determine a constructor"),
    "a key that is no text": ("b: 2\n1: 2", "line 2, .*key 1 is no text"),
    "a key that YAML takes for a truth": ("on: 2", "key on is no text"),
    "a key that is a list": ("[a]: 2", "is no text"),
    "a character that no text has": ("b: 1\na: \x00", "line 2 has a character"),
    "two documents": ("a: 1\n---\nb: 1", "line 2"),
    "a list": ("[1, 2]", "must hold 'key: value' pairs, but holds a list"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_with_one_line_that_says_where(what: str) -> None:
    text, words = REFUSED[what]
    with pytest.raises(UserError, match=words) as error:
        parse_yaml(text, "robot.yaml")
    assert str(error.value).startswith("robot.yaml")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_dates_are_texts_and_infinities_numbers() -> None:
    assert parse_yaml("title: 2020-13-45", "") == {"title": "2020-13-45"}
    assert parse_value(".inf", "") == math.inf
    assert parse_value("", "") is None


def test_what_two_names_stand_for_can_be_changed_apart() -> None:
    document = parse_yaml("a: &a {value: 1}\nb: *a\nc: {<<: *a, unit: m}", "")
    document["a"]["value"] = 2
    assert document == {"a": {"value": 2}, "b": {"value": 1}, "c": {"value": 1, "unit": "m"}}


def test_a_file_from_another_system_is_read(tmp_path: Path) -> None:
    file = tmp_path / "robot.yaml"
    file.write_bytes(b"\xef\xbb\xbfname: x\r\nunit: \xc2\xb0\r\n")
    assert read_yaml(file) == {"name": "x", "unit": "°"}
    file.write_bytes(b"")
    assert read_yaml(file) == {}


def test_what_is_no_file_of_text_is_named(tmp_path: Path) -> None:
    latin, huge, gone = tmp_path / "latin.yaml", tmp_path / "huge.yaml", tmp_path / "gone.yaml"
    latin.write_bytes(b"a: 1\nunit: \xb0\n")
    with huge.open("wb") as file:
        file.truncate(2**30)  # zeros that take no place
    gone.symlink_to(tmp_path / "nowhere")
    for path, words in (
        (latin, "line 2 is no text in UTF-8"),
        (huge, f"larger than {MAX_TEXT_BYTES // 2**20} MB"),
        (gone, "cannot be read: No such file"),
        (tmp_path, "cannot be read: Is a directory"),
        (Path("a\0b"), "cannot be read: embedded null byte"),
        (Path("x" * 5000), "cannot be read: File name too long"),
        (Path("/dev/zero"), "no regular file"),
    ):
        with pytest.raises(UserError, match=words) as error:
            read_yaml(path)
        assert "\n" not in str(error.value)


def test_a_message_stays_one_line_whatever_it_quotes() -> None:
    said = str(UserError("there is no robot 'a\nb\x1b[31m" + "x" * 10_000 + "': known are snake."))
    assert said.startswith("there is no robot 'a b [31mxxx")
    assert said.endswith("xxx': known are snake.")
    assert len(said) < 1100

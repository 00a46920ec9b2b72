"""Help and tables of the command line: width, the three facts of each command, old words."""

import pytest

from crawler_cli.__main__ import COMMANDS, load_command

FACTS = ("makes", "where", "time")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_100_columns_and_begins_with_what_where_and_how_long(call, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = call(command, "--help")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 100
    lines = out.splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("  makes "))
    block = lines[first : lines.index("", first)]
    assert tuple(line.split()[0] for line in block if line[2] != " ") == FACTS
    summary = " ".join((load_command(command).__doc__ or "").split())
    assert summary in " ".join(" ".join(lines[:first]).split())


def test_the_list_of_commands_without_python_is_that_of_the_commands(request):
    text = (request.config.rootpath / "setup/help.txt").read_text()
    assert max(map(len, text.splitlines())) <= 100
    for command in COMMANDS:
        summary = " ".join((load_command(command).__doc__ or "").split()).rstrip(".")
        assert f" {command} {summary} " in " ".join(text.split()), command


@pytest.mark.parametrize("words", [["design", "bolt", "--options"], ["model", "bolt"]])
def test_a_table_in_a_pipe_of_80_columns_is_whole(call, monkeypatch, words):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = call(*words)
    assert "…" not in out
    rows = [line for line in out.splitlines() if line.startswith("│")]
    assert rows
    assert all(line.split("│")[1].strip() for line in rows)  # no row is folded into a second line


@pytest.mark.parametrize(
    ("words", "new"),
    [
        (["sweep", "--output", "map.csv"], "--out"),
        (["design", "bolt", "--save=found.yaml"], "--out"),
        (["tune", "--study", "a.sqlite"], "--out"),
        (["storm", "--patience", "2"], "--timeout-scale"),
        (["soak", "--settles", "5"], "--warmup"),
    ],
)
def test_an_old_option_is_one_sentence_with_the_new_name(call, words, new):
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    assert f"now called {new}" in err
    assert len(err.splitlines()) == 1


def test_an_old_command_runs_under_its_new_name(call):
    code, _, err = call("witness", "--within", "0")
    assert code == 2
    assert err.splitlines()[0] == "crawler: the command 'witness' is now called 'compare'."
    assert "--within 0 is not allowed" in err.splitlines()[1]

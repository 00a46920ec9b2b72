"""The parameters that `crawler steer show` prints."""

from crawler_cli.commands.steer import _parameter_lines


def test_names_and_meanings_of_parameters_are_whole_and_values_are_below_one_another():
    about = {"unit": "", "meaning": "a sentence of " + 20 * "many words ", "range": "0 to 1", "set": "any time"}
    names = ("gait.omega", "controller.a_long_name_that_no_narrow_table_can_hold")
    lines = list(
        _parameter_lines({name: {**about, "value": value} for name, value in zip(names, (8.0, 0.25), strict=True)})
    )
    assert [line.split() for line in lines[::2]] == [
        [names[0], "8.0", "0", "to", "1,", "any", "time"],
        [names[1], "0.25", "0", "to", "1,", "any", "time"],
    ]
    assert lines[0].index("8.0") == lines[2].index("0.25")
    assert lines[1::2] == [f"    {about['meaning']}"] * 2

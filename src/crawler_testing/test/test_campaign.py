"""The kinds of fault, the runs that they share, and their order by seed."""

import random
from collections import Counter

import pytest

from crawler_core.errors import UserError
from crawler_testing.faults.campaign import MAX_KINDS_PER_RUN, group_kinds, is_applicable
from crawler_testing.faults.catalogue import FAMILIES, FAULT_KINDS, kinds_for_robot, select_kinds
from crawler_testing.faults.report import tables, write_tables
from crawler_testing.faults.verdict import Verdict
from crawler_testing.fixtures.run_config import ALL_BACKENDS
from crawler_testing.marked_page import BEGIN, END
from hw_drivers.emulation.emulated_settings import FAULTS
from sim_bridge.mock.mock_backend import MockSettings


def test_every_backend_is_given_at_least_eighty_kinds_of_fault():
    assert len({kind.name for kind in FAULT_KINDS}) == len(FAULT_KINDS)
    for backend in ALL_BACKENDS:
        assert sum(is_applicable(kind, backend) for kind in FAULT_KINDS) >= 80, backend


def test_every_fault_of_mock_and_emulated_motors_is_injected():
    injected = {word for kind in FAULT_KINDS for word in kind.run_config.settings if word.startswith("backend.fail=")}
    (mock,) = [
        field.metadata["parameter"]["choices"]
        for field in MockSettings.__dataclass_fields__.values()
        if field.name == "fail"
    ]
    assert {word.partition("=")[2] for word in injected} == ({*FAULTS, *mock} - {"none"})


def test_kinds_are_selected_by_name_and_by_family():
    assert {kind.family for kind in select_kinds(["services"])} == {"services"}
    assert [kind.name for kind in select_kinds(["joint_commands/nan"])] == ["joint_commands/nan"]
    assert select_kinds([]) == list(FAULT_KINDS)
    with pytest.raises(UserError, match="did you mean 'services/estop'"):
        select_kinds(["services/estpo"])


def test_another_robot_has_the_kinds_that_need_nothing_of_the_default_one():
    kinds = kinds_for_robot(FAULT_KINDS, "snake")
    assert {kind.run_config.robot for kind in kinds} == {"snake"}
    assert {kind.family for kind in FAULT_KINDS} - {kind.family for kind in kinds} == {
        "contact_states",
        "odom",
        "cmd_vel",
        "devices",
        "sensors",
    }
    assert all(not kind.run_config.settings and not kind.run_config.controller for kind in kinds)


def test_contacts_and_odometry_are_forged_for_a_law_that_reads_them():
    configs = {kind.family: kind.run_config for kind in FAULT_KINDS if kind.family in ("contact_states", "odom")}
    assert {family: config.controller for family, config in configs.items()} == {
        "contact_states": "hybrid",
        "odom": "hybrid",
    }
    assert configs["odom"].settings == ("controller.contacts=estimated",)


def test_the_seed_determines_the_order_and_each_kind_comes_once():
    first, again, other = (group_kinds(FAULT_KINDS, random.Random(seed)) for seed in (1, 1, 2))
    names = [[kind.name for kind in group] for group in first]
    assert names == [[kind.name for kind in group] for group in again]
    assert names != [[kind.name for kind in group] for group in other]
    assert Counter(name for group in names for name in group) == Counter(kind.name for kind in FAULT_KINDS)
    for group in first:
        assert len(group) == 1 or all(kind.can_share_run for kind in group)
        assert len(group) <= MAX_KINDS_PER_RUN
        assert len({kind.run_config for kind in group}) == 1


def test_the_tables_count_the_verdicts(tmp_path):
    verdicts = [
        Verdict("services/estop", "mock", 0.0),
        Verdict("services/estop", "mock", 0.0, ["it did not stop"]),
        Verdict("services/disable", "model", 0.0),
    ]
    lines = tables(verdicts, "").splitlines()
    assert any(line.startswith("2 of 3 faults ended as expected. ") for line in lines)
    verdicts[2].foot_lifted = True
    assert "1 of them with a foot off the ground" in tables(verdicts, "")
    (estop,) = [line for line in lines if line.startswith("| `services/estop` |")]
    assert estop.split(" | ")[-2:] == ["", "1 of 2 |"]
    (family,) = [line for line in lines if line.startswith("| `services` |")]
    assert family.split(" | ")[-2:] == ["1 of 1", "1 of 2 |"]
    assert sum(line.startswith("| `") for line in lines) == len(FAULT_KINDS) + len(FAMILIES)
    page = tmp_path / "page.md"
    begin, end = BEGIN.format(command="storm"), END
    page.write_text(f"of {end} before\n{begin}\nof yesterday\n{end}\nafter, {end}\n")
    write_tables(page, verdicts, "")
    text = page.read_text()
    assert text.startswith(f"of {end} before\n{begin}\n\n### Results")
    assert text.endswith(f"{end}\nafter, {end}\n")
    assert "yesterday" not in text
    other = tmp_path / "other.md"
    other.write_text("a page without marks")
    with pytest.raises(UserError, match="has no lines"):
        write_tables(other, verdicts, "")

"""The profiles of Fast DDS: one for each generation, with equal content."""

import os
import xml.etree.ElementTree as xml
from pathlib import Path

from crawler_bringup.fastdds_profile import PROFILES, SKIP_CURRENT_FOLDER, fastdds_environment, use_fastdds_profile


def test_the_profiles_of_both_generations_are_equal(monkeypatch):
    for variable in PROFILES:
        monkeypatch.delenv(variable, raising=False)
    two, three = (Path(fastdds_environment()[name]).read_text() for name in PROFILES)
    assert two.replace("heartbeatPeriod", "heartbeat_period") == three
    assert [xml.fromstring(text).tag.rpartition("}")[2] for text in (two, three)] == ["profiles"] * 2


def test_a_profile_in_the_current_folder_is_not_read():
    assert SKIP_CURRENT_FOLDER.items() <= fastdds_environment().items()


def test_a_profile_of_the_user_is_kept(monkeypatch):
    for variable in PROFILES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("FASTDDS_DEFAULT_PROFILES_FILE", "/my/own.xml")
    use_fastdds_profile()
    assert "FASTRTPS_DEFAULT_PROFILES_FILE" not in os.environ

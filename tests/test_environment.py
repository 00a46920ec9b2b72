"""What the environment denies, a command says in one sentence, and soon: disk, memory, handles, home, middleware."""

import os
import subprocess
from pathlib import Path

import pytest
from stack_helpers import set_timeouts

from crawler_cli.console.environment_error import describe_environment_error
from crawler_core.errors import UserError
from crawler_core.files import check_writable
from crawler_core.loop.backend_settings import BackendSettings, check_time_settings
from crawler_nodes.transport.discovery_server import SERVER_VARIABLE
from crawler_nodes.transport.domain_id import RANGE_VARIABLE

ROOT = Path(__file__).resolve().parents[1]
RUN = f"{ROOT}/crawler run --backend model --lockstep --duration 0.1 --no-picture --out out"
CASES = {
    "a home that cannot be written": (f"HOME=/proc/none exec {RUN}", 2, "Set HOME, or ROS_LOG_DIR"),
    "peers that are none": (f"ROS_STATIC_PEERS='nonsense;;' exec {RUN}", 2, "Check ROS_STATIC_PEERS"),
    "few handles": (f"ulimit -n 20; exec {RUN}", 2, "may open too few files"),
    "a full disk behind stdout": (
        f"exec {ROOT}/crawler model >/dev/full",
        2,
        "standard output, or a file, cannot be written",
    ),
    "a closed stdout": (f"exec {ROOT}/crawler model >&-", 2, "standard output is closed"),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_one_sentence(tmp_path, case):
    command, code, words = CASES[case]
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == code, done.stderr
    assert words in done.stderr.strip().splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(28, "No space left on device", "x.png"), "x.png cannot be written: No space left on device"),
        (OSError(24, "Too many open files"), "too few files"),
        (MemoryError(), "not enough memory"),
        (RuntimeError("can't start new thread"), "not enough memory"),
        (ImportError("libx.so: failed to map segment from shared object"), "not enough memory"),
        (type("RCLError", (RuntimeError,), {})("failed to initialize logging: no log directory"), "Set HOME"),
    ],
)
def test_each_error_of_the_environment_has_its_sentence(error, words):
    assert words in describe_environment_error(error)


def test_other_errors_stay_errors():
    for error in (ValueError("x"), OSError(5, "Input/output error"), RuntimeError("x")):
        assert describe_environment_error(error) == ""


@pytest.mark.parametrize("value", ["OFF", "everywhere"])
def test_nodes_that_cannot_discover_each_other_are_not_started(call, monkeypatch, value):
    monkeypatch.setenv(RANGE_VARIABLE, value)
    code, _, err = call("run", "--backend", "model", "--lockstep")
    assert code == 2
    assert "would not discover each other" in err


def test_a_discovery_server_that_is_not_there(crawler, tmp_path):
    words = ["run", "--backend", "model", "--lockstep"]
    # not in this process: it would look for the server's nodes alone for ever, as the middleware keeps the variable
    with set_timeouts({"crawler_nodes.transport.discovery_server": {"ANSWER_TIMEOUT_S": 0.1}}):
        done = subprocess.run(
            [*crawler, *words],
            env={**os.environ, SERVER_VARIABLE: "127.0.0.1:9"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=200,
        )
    assert done.returncode == 2
    assert "the discovery server ROS_DISCOVERY_SERVER = '127.0.0.1:9' does not answer" in done.stderr


@pytest.mark.parametrize("namespace", ["/a/", "a/", "a//b", "a__b"])
def test_a_namespace_that_is_none(call, namespace):
    code, _, err = call("run", "--namespace", namespace)
    assert code == 2
    assert "namespace" in err


def test_a_pace_that_takes_years_is_rejected():
    check_time_settings(BackendSettings(real_time_factor=1e-3))
    with pytest.raises(UserError, match=r"at least 0\.001"):
        check_time_settings(BackendSettings(real_time_factor=1e-9))


def test_a_result_that_cannot_be_written_is_known_before_the_work(tmp_path):
    check_writable(tmp_path / "found.yaml")
    assert not os.listdir(tmp_path)
    with pytest.raises(UserError, match="cannot be written"):
        check_writable(Path("/proc/found.yaml"))

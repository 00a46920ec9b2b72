"""Who may command: keys, what they allow, and a ring of real processes that uses them where the middleware can."""

import json
import os
import re
import stat
import subprocess
import sys
import xml.etree.ElementTree as ET
from fnmatch import fnmatch
from pathlib import Path

import pytest
from stack_helpers import DEADLINE_S, lockstep_settings

from crawler_bringup.security.enclave import ENCLAVES
from crawler_bringup.security.enclave_environment import check_middleware, enclave_environment, use_viewer_enclave
from crawler_bringup.security.keystore import ENCLAVE_FILES, enclave_directory, make_keys, missing_files
from crawler_bringup.stack.options import Options
from crawler_core.errors import UserError
from crawler_testing.fixtures.running_stack import RunningStack

SOMEONE = Path(__file__).with_name("external_node.py")
RINGS_OWN = [name for name, member in ENCLAVES.items() if member.is_node]


@pytest.fixture(scope="module")
def keystore(tmp_path_factory):
    place = tmp_path_factory.mktemp("keys")
    make_keys(place, "")
    return place


def verified(enclave, document):
    """What a document says, once openssl has found that the enclave's authority signed it."""
    words = ["openssl", "smime", "-verify", "-in", f"{document}.p7s", "-CAfile", "permissions_ca.cert.pem"]
    return subprocess.run(words, cwd=enclave, capture_output=True, check=True).stdout.partition(b"\n")[2].strip()


def may(keystore, member, how, topic, namespace=""):
    """Whether the permissions of a member let it publish or subscribe a topic of DDS, as DDS Security reads them."""
    root = ET.fromstring(verified(enclave_directory(keystore, member, namespace), "permissions"))
    for rule in root.findall(".//grant/*"):
        if rule.tag in ("allow_rule", "deny_rule"):
            patterns = [one.text or "" for one in rule.findall(f"{how}/topics/topic")]
            if any(fnmatch(topic, pattern) for pattern in patterns):
                return rule.tag == "allow_rule"
    return False


def test_an_enclave_is_complete_its_key_is_for_its_owner_alone_and_openssl_believes_its_certificate(keystore):
    assert not missing_files(keystore, ENCLAVES, "")
    for name in ENCLAVES:
        enclave = enclave_directory(keystore, name, "")
        assert set(ENCLAVE_FILES) <= {file.name for file in enclave.iterdir()}
        assert stat.S_IMODE((enclave / "key.pem").stat().st_mode) == 0o600
        words = ["openssl", "verify", "-CAfile", "identity_ca.cert.pem", "cert.pem"]
        subprocess.run(words, cwd=enclave, check=True, capture_output=True)
        words = ["openssl", "x509", "-in", "cert.pem", "-noout", "-subject", "-nameopt", "RFC2253"]
        subject = subprocess.run(words, cwd=enclave, check=True, capture_output=True, text=True).stdout
        assert subject.strip() == f"subject=CN=/{name}"
        assert f"<subject_name>CN=/{name}</subject_name>".encode() in verified(enclave, "permissions")
        governance = verified(enclave, "governance")
        assert b"<allow_unauthenticated_participants>false<" in governance
    assert stat.S_IMODE((keystore / "private").stat().st_mode) == 0o700


def test_only_the_controller_writes_commands_only_the_gait_its_reference_and_everybody_with_keys_reads(keystore):
    writers = {
        "rt/joint_commands": {"controller"},
        "rt/gait_reference": {"gait"},
        "rt/joint_states": {"backend"},
        "rt/cmd_vel": {"operator"},
        "rq/backend/estopRequest": {"operator"},
        "rr/backend/estopReply": {"backend"},
        "rt/rosout": set(ENCLAVES),
    }
    for topic, names in writers.items():
        assert {name for name in ENCLAVES if may(keystore, name, "publish", topic)} == names, topic
    for topic in ("rt/joint_commands", "rt/joint_states", "rt/left/joint_states"):
        assert all(may(keystore, name, "subscribe", topic) for name in ENCLAVES)
    assert may(keystore, "viewer", "publish", "rr/watch/get_parametersReply")  # every node has such services
    assert not may(keystore, "viewer", "subscribe", "rq/backend/estopRequest")


def test_keys_that_are_there_stay_and_those_of_another_namespace_come_beside_them(keystore):
    before = {file: file.read_bytes() for file in keystore.rglob("*.pem")}
    assert make_keys(keystore, "") == []
    assert [place.name for place in make_keys(keystore, "left")] == list(ENCLAVES)
    assert {file: file.read_bytes() for file in before} == before
    assert may(keystore, "controller", "publish", "rt/left/joint_commands", "left")
    assert not may(keystore, "controller", "publish", "rt/joint_commands", "left")
    assert not may(keystore, "controller", "publish", "rt/left/joint_commands")


class Someone:
    """A process of its own, with the keys of a member or with none."""

    def __init__(self, keys, *words):
        outside = {name: value for name, value in os.environ.items() if not name.startswith("ROS_SECURITY")}
        self.process = subprocess.Popen(
            [sys.executable, str(SOMEONE), *words],
            env={**outside, **keys},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begun(self):
        """Wait until it runs; Fast DDS speaks on its stdout too, and in the middle of a line."""
        assert self.process.stdout is not None
        assert any("ready" in line for line in self.process.stdout)

    def said(self):
        """What it says at its end, which it is asked for."""
        try:
            out, _ = self.process.communicate(timeout=DEADLINE_S)
        finally:
            self.process.kill()
        assert self.process.returncode == 0
        return json.loads(re.findall(r"\{.*\}", out)[-1])


@pytest.fixture(scope="module")
def plain_ring(tmp_path_factory):
    record = str(tmp_path_factory.mktemp("run") / "recording")
    with RunningStack(Options(backend="mock", record=record, rviz=True)) as stack:
        yield stack


@pytest.mark.parametrize("name", RINGS_OWN)
def test_what_a_node_of_the_ring_writes_and_serves_its_keys_allow(keystore, plain_ring, name):
    graph, own = plain_ring.node, f"/{ENCLAVES[name].topics[0]}"

    def writes():
        there = name in graph.get_node_names()
        return [topic for topic, _ in graph.get_publisher_names_and_types_by_node(name, "/")] if there else []

    # so that every node is there, with all that it has
    plain_ring.wait_until(lambda: plain_ring.log.states and own in writes(), DEADLINE_S)
    assert plain_ring.log.states
    written = writes()
    heard = [topic for topic, _ in graph.get_subscriber_names_and_types_by_node(name, "/")]
    services = [service for service, _ in graph.get_service_names_and_types_by_node(name, "/")]
    assert own in written
    assert all(may(keystore, name, "publish", f"rt{topic}") for topic in written), written
    assert all(may(keystore, name, "subscribe", f"rt{topic}") for topic in heard), heard
    for service in services:
        assert may(keystore, name, "subscribe", f"rq{service}Request"), service
        assert may(keystore, name, "publish", f"rr{service}Reply"), service


def test_in_a_ring_without_keys_anybody_hears_commands_and_stops(plain_ring):
    told = Someone({}, "--heard", "20").said()
    assert told["heard"] >= 20
    assert told["wrote_to"] >= 1
    assert told["estop"] is True
    plain_ring.wait_until(lambda: plain_ring.log.status.motion == "e-stopped", DEADLINE_S)
    assert plain_ring.log.status.motion == "e-stopped"


def test_without_keys_a_secure_run_is_refused_with_the_command_that_makes_them(call, tmp_path, monkeypatch):
    monkeypatch.delenv("ROS_SECURITY_KEYSTORE", raising=False)
    code, _, words = call("run", "--secure", "--namespace", "left", "--duration", "1")
    assert code == 2
    assert f"'./crawler keys {tmp_path / 'keys'} --namespace left' makes the keys." in words
    assert not (tmp_path / "runs").exists()


def test_keys_says_what_it_made_and_how_it_is_used(call, tmp_path):
    code, out, _ = call("keys", str(tmp_path / "mine"), "--json")
    assert code == 0
    told = json.loads(out)
    assert len(told["made"]) == len(ENCLAVES)
    assert told["enclaves"]["viewer"]["environment"] == enclave_environment(tmp_path / "mine", "viewer", "")
    code, out, _ = call("keys", str(tmp_path / "mine"))
    assert "(new)" not in out
    assert "export ROS_SECURITY_ENCLAVE_OVERRIDE=/viewer" in out


def test_without_openssl_there_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="openssl is missing"):
        make_keys(tmp_path / "keys", "")


def test_keys_that_cannot_be_used_and_a_middleware_without_security_are_a_sentence(keystore, tmp_path):
    empty = tmp_path / "broken" / "enclaves" / "viewer"
    empty.mkdir(parents=True)
    for name in ENCLAVE_FILES:
        (empty / name).touch()
    with pytest.raises(UserError, match=r"was built without DDS Security|cannot be used: "):
        check_middleware(enclave_environment(tmp_path / "broken", "viewer", ""))


# real processes with keys


@pytest.fixture
def secure_ring(keystore, monkeypatch):
    """A ring with keys; this process looks on."""
    for name, value in {**enclave_environment(keystore, "viewer", ""), "ROS_SECURITY_ENABLE": "false"}.items():
        monkeypatch.setenv(name, value)  # what looking on changes is as it was afterwards
    try:
        use_viewer_enclave("")
    except UserError as error:
        if "built without DDS Security" in str(error):
            pytest.skip(str(error))
        raise
    with RunningStack(Options(backend="model", secure=True, settings=lockstep_settings(1.0))) as stack:
        stack.wait_until(lambda: stack.log.status.motion == "active", DEADLINE_S)
        assert stack.log.status.motion == "active"
        yield stack


def test_a_stranger_and_a_forger_hear_and_command_nothing_a_viewer_reads_and_an_operator_stops(
    secure_ring, keystore, tmp_path
):
    make_keys(tmp_path / "forged", "")  # by the same names, from another authority
    forged = enclave_environment(tmp_path / "forged", "controller", "")
    outsiders = [Someone({}), Someone(forged, "--name", "controller")]
    for outsider in outsiders:
        outsider.begun()
    viewer = Someone(enclave_environment(keystore, "viewer", ""), "--heard", "200").said()  # while the outsiders try
    assert viewer["heard"] >= 200
    assert not viewer["writes"]
    assert not viewer["calls"]
    for outsider in outsiders:
        told = outsider.said()
        assert told["writes"]  # into a network of its own
        assert (told["heard"], told["wrote_to"], told["found"]) == (0, 0, False)
    seen = secure_ring.log.states
    secure_ring.wait_until(lambda: secure_ring.log.states > seen + 100, DEADLINE_S)
    assert secure_ring.log.status.motion == "active"
    gait = Someone(enclave_environment(keystore, "gait", ""), "--heard", "20", "--name", "gait").said()
    assert gait["heard"] >= 20
    assert not gait["writes"]
    operator = Someone(enclave_environment(keystore, "operator", ""), "--heard", "200").said()
    assert not operator["writes"]  # who steers does not drive the joints
    assert operator["estop"] is True

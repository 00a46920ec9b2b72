"""Keys and their permissions, and a stack of real processes that uses them where the middleware can."""

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

EXTERNAL_NODE = Path(__file__).with_name("external_node.py")
STACK_NODES = [name for name, member in ENCLAVES.items() if member.is_node]


@pytest.fixture(scope="module")
def keystore(tmp_path_factory):
    place = tmp_path_factory.mktemp("keys")
    make_keys(place, "")
    return place


def verified(enclave, document):
    """Return the content of a document, after openssl has verified its signature by the enclave's authority."""
    words = ["openssl", "smime", "-verify", "-in", f"{document}.p7s", "-CAfile", "permissions_ca.cert.pem"]
    return subprocess.run(words, cwd=enclave, capture_output=True, check=True).stdout.partition(b"\n")[2].strip()


def is_permitted(keystore, member, how, topic, namespace=""):
    """Return True if an enclave may publish or subscribe to a DDS topic, as DDS Security reads its permissions."""
    root = ET.fromstring(verified(enclave_directory(keystore, member, namespace), "permissions"))
    for rule in root.findall(".//grant/*"):
        if rule.tag in ("allow_rule", "deny_rule"):
            patterns = [one.text or "" for one in rule.findall(f"{how}/topics/topic")]
            if any(fnmatch(topic, pattern) for pattern in patterns):
                return rule.tag == "allow_rule"
    return False


def test_an_enclave_is_complete_with_a_private_key_and_a_valid_certificate(keystore):
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


def test_only_the_controller_writes_commands_only_the_gait_its_reference_and_all_enclaves_read(keystore):
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
        assert {name for name in ENCLAVES if is_permitted(keystore, name, "publish", topic)} == names, topic
    for topic in ("rt/joint_commands", "rt/joint_states", "rt/left/joint_states"):
        assert all(is_permitted(keystore, name, "subscribe", topic) for name in ENCLAVES)
    assert is_permitted(keystore, "viewer", "publish", "rr/watch/get_parametersReply")  # every node has such services
    assert not is_permitted(keystore, "viewer", "subscribe", "rq/backend/estopRequest")


def test_existing_keys_stay_when_those_of_another_namespace_are_added(keystore):
    before = {file: file.read_bytes() for file in keystore.rglob("*.pem")}
    assert make_keys(keystore, "") == []
    assert [place.name for place in make_keys(keystore, "left")] == list(ENCLAVES)
    assert {file: file.read_bytes() for file in before} == before
    assert is_permitted(keystore, "controller", "publish", "rt/left/joint_commands", "left")
    assert not is_permitted(keystore, "controller", "publish", "rt/joint_commands", "left")
    assert not is_permitted(keystore, "controller", "publish", "rt/left/joint_commands")


class ExternalNode:
    """A process of its own, with the keys of an enclave or with none."""

    def __init__(self, keys, *words):
        outside = {name: value for name, value in os.environ.items() if not name.startswith("ROS_SECURITY")}
        self.process = subprocess.Popen(
            [sys.executable, str(EXTERNAL_NODE), *words],
            env={**outside, **keys},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def wait_until_ready(self):
        """Wait until it runs; Fast DDS prints on its stdout, too, and in the middle of a line."""
        assert self.process.stdout is not None
        assert any("ready" in line for line in self.process.stdout)

    def result(self):
        """End it and return its results."""
        try:
            out, _ = self.process.communicate(timeout=DEADLINE_S)
        finally:
            self.process.kill()
        assert self.process.returncode == 0
        return json.loads(re.findall(r"\{.*\}", out)[-1])


@pytest.fixture(scope="module")
def open_stack(tmp_path_factory):
    record = str(tmp_path_factory.mktemp("run") / "recording")
    with RunningStack(Options(backend="mock", record=record, rviz=True)) as stack:
        yield stack


@pytest.mark.parametrize("name", STACK_NODES)
def test_the_keys_of_a_node_permit_its_topics_and_services(keystore, open_stack, name):
    graph, own = open_stack.node, f"/{ENCLAVES[name].topics[0]}"

    def writes():
        there = name in graph.get_node_names()
        return [topic for topic, _ in graph.get_publisher_names_and_types_by_node(name, "/")] if there else []

    # so that every node is there, with all that it has
    open_stack.wait_until(lambda: open_stack.log.states and own in writes(), DEADLINE_S)
    assert open_stack.log.states
    written = writes()
    read = [topic for topic, _ in graph.get_subscriber_names_and_types_by_node(name, "/")]
    services = [service for service, _ in graph.get_service_names_and_types_by_node(name, "/")]
    assert own in written
    assert all(is_permitted(keystore, name, "publish", f"rt{topic}") for topic in written), written
    assert all(is_permitted(keystore, name, "subscribe", f"rt{topic}") for topic in read), read
    for service in services:
        assert is_permitted(keystore, name, "subscribe", f"rq{service}Request"), service
        assert is_permitted(keystore, name, "publish", f"rr{service}Reply"), service


@pytest.mark.exhaustive  # the counterpart of what keys prevent
def test_without_keys_any_node_reads_commands_and_stops(open_stack):
    output = ExternalNode({}, "--states", "20").result()
    assert output["states"] >= 20
    assert output["subscribers"] >= 1
    assert output["estop"] is True
    open_stack.wait_until(lambda: open_stack.log.status.motion == "e-stopped", DEADLINE_S)
    assert open_stack.log.status.motion == "e-stopped"


def test_without_keys_a_secure_run_is_rejected_with_the_command_that_makes_them(call, tmp_path, monkeypatch):
    monkeypatch.delenv("ROS_SECURITY_KEYSTORE", raising=False)
    code, _, words = call("run", "--secure", "--namespace", "left", "--duration", "1")
    assert code == 2
    assert f"'./crawler keys {tmp_path / 'keys'} --namespace left' makes the keys." in words
    assert not (tmp_path / "runs").exists()


def test_keys_prints_its_files_and_their_use(call, tmp_path):
    code, out, _ = call("keys", str(tmp_path / "mine"), "--json")
    assert code == 0
    output = json.loads(out)
    assert len(output["made"]) == len(ENCLAVES)
    assert output["enclaves"]["viewer"]["environment"] == enclave_environment(tmp_path / "mine", "viewer", "")
    code, out, _ = call("keys", str(tmp_path / "mine"))
    assert "(new)" not in out
    assert "export ROS_SECURITY_ENCLAVE_OVERRIDE=/viewer" in out


def test_without_openssl_the_error_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="openssl is missing"):
        make_keys(tmp_path / "keys", "")


def test_invalid_keys_and_a_middleware_without_security_are_one_sentence(keystore, tmp_path):
    empty = tmp_path / "broken" / "enclaves" / "viewer"
    empty.mkdir(parents=True)
    for name in ENCLAVE_FILES:
        (empty / name).touch()
    with pytest.raises(UserError, match=r"was built without DDS Security|cannot be used: "):
        check_middleware(enclave_environment(tmp_path / "broken", "viewer", ""))


# real processes with keys


@pytest.fixture
def secure_stack(keystore, monkeypatch):
    """Start a stack with keys; this process is a viewer."""
    for name, value in {**enclave_environment(keystore, "viewer", ""), "ROS_SECURITY_ENABLE": "false"}.items():
        monkeypatch.setenv(name, value)  # which the viewer changes, and monkeypatch restores
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


def test_with_keys_only_enclaves_have_access_each_with_its_permissions(secure_stack, keystore, tmp_path):
    make_keys(tmp_path / "forged", "")  # by the same names, from another authority
    forged = enclave_environment(tmp_path / "forged", "controller", "")
    outsiders = [ExternalNode({}), ExternalNode(forged, "--name", "controller")]
    for outsider in outsiders:
        outsider.wait_until_ready()
    viewer = ExternalNode(enclave_environment(keystore, "viewer", ""), "--states", "200").result()
    assert viewer["states"] >= 200
    assert not viewer["can_publish"]
    assert not viewer["can_call"]
    for outsider in outsiders:
        output = outsider.result()
        assert output["can_publish"]  # into a network of its own
        assert (output["states"], output["subscribers"], output["service_found"]) == (0, 0, False)
    seen = secure_stack.log.states
    secure_stack.wait_until(lambda: secure_stack.log.states > seen + 100, DEADLINE_S)
    assert secure_stack.log.status.motion == "active"
    gait = ExternalNode(enclave_environment(keystore, "gait", ""), "--states", "20", "--name", "gait").result()
    assert gait["states"] >= 20
    assert not gait["can_publish"]
    operator = ExternalNode(enclave_environment(keystore, "operator", ""), "--states", "200").result()
    assert not operator["can_publish"]  # an operator does not command the joints
    assert operator["estop"] is True

"""A keystore in the layout of SROS 2: an authority, and an enclave with keys and signed permissions for each member.

The authority's key, in private/, signs; no node needs it. An enclave's folder is all that a machine needs to be that
member.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from crawler_bringup.security.dds_documents import GOVERNANCE, permissions
from crawler_bringup.security.enclave import ENCLAVES, Enclave
from crawler_core.errors import UserError

VARIABLE = "ROS_SECURITY_KEYSTORE"
DEFAULT = "keys"  # in the working directory
FILES = ("identity_ca.cert.pem", "permissions_ca.cert.pem", "cert.pem", "key.pem", "governance.p7s", "permissions.p7s")
DAYS = 3650
EARLIER = timedelta(days=1)  # a clock of another machine that is slow believes the keys all the same
CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-sha256")  # as DDS Security asks for
REQUEST = """[req]
prompt = no
distinguished_name = name
[name]
CN = {name}
[authority]
basicConstraints = critical, CA:TRUE, pathlen:1
[member]
basicConstraints = CA:FALSE
"""


def keystore_path(said: str = "") -> Path:
    """Where the keys are: as said, by the variable of SROS 2, or in keys/ here."""
    return Path(said or os.environ.get(VARIABLE) or DEFAULT).resolve()


def enclave_name(member: str, namespace: str) -> str:
    """An enclave's name, such as /left/viewer."""
    return f"/{namespace}/{member}" if namespace else f"/{member}"


def enclave_directory(keystore: Path, member: str, namespace: str) -> Path:
    """Where its files are."""
    return keystore / "enclaves" / enclave_name(member, namespace).lstrip("/")


def missing(keystore: Path, members: Iterable[str], namespace: str) -> list[Path]:
    """The files that these members lack."""
    needed = (enclave_directory(keystore, member, namespace) / name for member in members for name in FILES)
    return [file for file in needed if not file.is_file()]


def make_keys(keystore: Path, namespace: str) -> list[Path]:
    """Make what is missing of a keystore for the ring of this namespace; returns the enclaves that were made.

    Keys that are there stay. Raises UserError where it cannot be written, or openssl is not there.
    """
    if shutil.which("openssl") is None:
        raise UserError("openssl is missing, which makes the keys: sudo apt install openssl")
    try:
        for name, mode in (("", 0o755), ("public", 0o755), ("enclaves", 0o755), ("private", 0o700)):
            (keystore / name).mkdir(mode=mode, parents=True, exist_ok=True)
        if not _authority(keystore)[1].is_file():
            _make_authority(keystore)
        made = []
        for member in ENCLAVES.values():
            if missing(keystore, [member.name], namespace):
                made.append(_make_enclave(keystore, member, namespace))
    except OSError as error:
        raise UserError(f"{error.filename or keystore} cannot be written: {error.strerror}.") from None
    return made


def _authority(keystore: Path) -> tuple[Path, Path]:
    """The authority's certificate and key."""
    return keystore / "public" / "ca.cert.pem", keystore / "private" / "ca.key.pem"


def _make_authority(keystore: Path) -> None:
    certificate, key = _authority(keystore)
    with tempfile.TemporaryDirectory(dir=keystore / "private") as scratch:
        config = _config(Path(scratch), "crawler")
        new = Path(scratch) / "key.pem"
        _openssl(
            *("req", "-x509", *CURVE, "-config", config, "-extensions", "authority", "-days", DAYS),
            *("-keyout", new, "-out", certificate),
        )
        new.replace(key)  # last: it is there when all of it is
    for use in ("identity_ca", "permissions_ca"):  # the names that the tools of SROS 2 look for
        for file, link in ((certificate, f"{use}.cert.pem"), (key, f"{use}.key.pem")):
            (file.parent / link).unlink(missing_ok=True)
            (file.parent / link).symlink_to(file.name)


def _make_enclave(keystore: Path, member: Enclave, namespace: str) -> Path:
    certificate, key = _authority(keystore)
    place, name = enclave_directory(keystore, member.name, namespace), enclave_name(member.name, namespace)
    place.parent.mkdir(parents=True, exist_ok=True)
    begin = datetime.now(UTC) - EARLIER
    with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
        new = Path(scratch) / "enclave"
        new.mkdir(mode=0o700)
        config, request = _config(Path(scratch), name), Path(scratch) / "request.pem"
        _openssl("req", "-new", *CURVE, "-config", config, "-keyout", new / "key.pem", "-out", request)
        _openssl(
            *("x509", "-req", "-in", request, "-CA", certificate, "-CAkey", key, "-sha256", "-days", DAYS),
            *("-set_serial", f"0x{secrets.token_hex(16)}", "-extfile", config, "-extensions", "member"),
            *("-out", new / "cert.pem"),
        )
        for copy in FILES[:2]:
            shutil.copyfile(certificate, new / copy)
        text = permissions(member, name, namespace, begin, begin + timedelta(days=DAYS))
        for document, words in (("governance", GOVERNANCE), ("permissions", text)):
            plain = new / f"{document}.xml"
            plain.write_text(words)
            _openssl(
                *("smime", "-sign", "-text", "-in", plain, "-out", new / f"{document}.p7s"),
                *("-signer", certificate, "-inkey", key),
            )
        if place.exists():
            shutil.rmtree(place)  # a part of one
        new.rename(place)
    return place


def _config(directory: Path, name: str) -> Path:
    file = directory / "openssl.cnf"
    file.write_text(REQUEST.format(name=name))
    return file


def _openssl(*words: object) -> None:
    done = subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it said nothing"])[0]
        raise UserError(f"openssl {words[0]} failed, so that there are no keys: {reason}")

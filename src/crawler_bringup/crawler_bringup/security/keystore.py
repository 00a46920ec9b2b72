"""A keystore in the layout of SROS 2: a certificate authority, and keys with signed permissions for each enclave.

The authority's key, in private/, only signs: no node needs it. A node needs the folder of its enclave.
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

KEYSTORE_VARIABLE = "ROS_SECURITY_KEYSTORE"
DEFAULT_KEYSTORE = "keys"  # in the working directory
ENCLAVE_FILES = (
    "identity_ca.cert.pem",
    "permissions_ca.cert.pem",
    "cert.pem",
    "key.pem",
    "governance.p7s",
    "permissions.p7s",
)
VALIDITY_DAYS = 3650
CLOCK_TOLERANCE = timedelta(days=1)  # the keys are valid on a machine whose clock is slow too
KEY_OPTIONS = (
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-sha256",
)  # DDS Security requires it
OPENSSL_CONFIG = """[req]
prompt = no
distinguished_name = name
[name]
CN = {name}
[authority]
basicConstraints = critical, CA:TRUE, pathlen:1
[enclave]
basicConstraints = CA:FALSE
"""


def keystore_path(path: str = "") -> Path:
    """Return the keystore: the given path, that of the variable of SROS 2, or keys/ in the working directory."""
    return Path(path or os.environ.get(KEYSTORE_VARIABLE) or DEFAULT_KEYSTORE).resolve()


def enclave_name(enclave: str, namespace: str) -> str:
    """Return an enclave's full name, such as /left/viewer."""
    return f"/{namespace}/{enclave}" if namespace else f"/{enclave}"


def enclave_directory(keystore: Path, enclave: str, namespace: str) -> Path:
    """Return the directory of an enclave's files."""
    return keystore / "enclaves" / enclave_name(enclave, namespace).lstrip("/")


def missing_files(keystore: Path, enclaves: Iterable[str], namespace: str) -> list[Path]:
    """Return the files that these enclaves lack."""
    needed = (enclave_directory(keystore, enclave, namespace) / name for enclave in enclaves for name in ENCLAVE_FILES)
    return [file for file in needed if not file.is_file()]


def make_keys(keystore: Path, namespace: str) -> list[Path]:
    """Make the keys that the stack of this namespace lacks, and return the directories of the new enclaves.

    Existing keys stay. Raises UserError where the keystore cannot be written or openssl is missing.
    """
    if shutil.which("openssl") is None:
        raise UserError("openssl is missing, and only openssl makes keys: sudo apt install openssl")
    try:
        for name, mode in (("", 0o755), ("public", 0o755), ("enclaves", 0o755), ("private", 0o700)):
            (keystore / name).mkdir(mode=mode, parents=True, exist_ok=True)
        if not _authority(keystore)[1].is_file():
            _make_authority(keystore)
        made = []
        for enclave in ENCLAVES.values():
            if missing_files(keystore, [enclave.name], namespace):
                made.append(_make_enclave(keystore, enclave, namespace))
    except OSError as error:
        raise UserError(f"{error.filename or keystore} cannot be written: {error.strerror}.") from None
    return made


def _authority(keystore: Path) -> tuple[Path, Path]:
    """Return the paths of the authority's certificate and key."""
    return keystore / "public" / "ca.cert.pem", keystore / "private" / "ca.key.pem"


def _make_authority(keystore: Path) -> None:
    certificate, key = _authority(keystore)
    with tempfile.TemporaryDirectory(dir=keystore / "private") as scratch:
        config = _config(Path(scratch), "crawler")
        new = Path(scratch) / "key.pem"
        _openssl(
            *("req", "-x509", *KEY_OPTIONS, "-config", config, "-extensions", "authority", "-days", VALIDITY_DAYS),
            *("-keyout", new, "-out", certificate),
        )
        new.replace(key)  # last: with the key the authority is complete
    for use in ("identity_ca", "permissions_ca"):  # the names that the tools of SROS 2 expect
        for file, link in ((certificate, f"{use}.cert.pem"), (key, f"{use}.key.pem")):
            (file.parent / link).unlink(missing_ok=True)
            (file.parent / link).symlink_to(file.name)


def _make_enclave(keystore: Path, enclave: Enclave, namespace: str) -> Path:
    certificate, key = _authority(keystore)
    directory, name = enclave_directory(keystore, enclave.name, namespace), enclave_name(enclave.name, namespace)
    directory.parent.mkdir(parents=True, exist_ok=True)
    begin = datetime.now(UTC) - CLOCK_TOLERANCE
    with tempfile.TemporaryDirectory(dir=directory.parent) as scratch:
        new = Path(scratch) / "enclave"
        new.mkdir(mode=0o700)
        config, request = _config(Path(scratch), name), Path(scratch) / "request.pem"
        _openssl("req", "-new", *KEY_OPTIONS, "-config", config, "-keyout", new / "key.pem", "-out", request)
        _openssl(
            *("x509", "-req", "-in", request, "-CA", certificate, "-CAkey", key, "-sha256", "-days", VALIDITY_DAYS),
            *("-set_serial", f"0x{secrets.token_hex(16)}", "-extfile", config, "-extensions", "enclave"),
            *("-out", new / "cert.pem"),
        )
        for copy in ENCLAVE_FILES[:2]:
            shutil.copyfile(certificate, new / copy)
        rights = permissions(enclave, name, namespace, begin, begin + timedelta(days=VALIDITY_DAYS))
        for document, text in (("governance", GOVERNANCE), ("permissions", rights)):
            plain = new / f"{document}.xml"
            plain.write_text(text)
            _openssl(
                *("smime", "-sign", "-text", "-in", plain, "-out", new / f"{document}.p7s"),
                *("-signer", certificate, "-inkey", key),
            )
        if directory.exists():
            shutil.rmtree(directory)  # an incomplete enclave
        new.rename(directory)
    return directory


def _config(directory: Path, name: str) -> Path:
    file = directory / "openssl.cnf"
    file.write_text(OPENSSL_CONFIG.format(name=name))
    return file


def _openssl(*arguments: object) -> None:
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it printed no reason"])[0]
        raise UserError(f"openssl {arguments[0]} failed, so no keys were made: {reason}")

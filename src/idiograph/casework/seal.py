"""A seal over a filed case: a digest of every input, of the case file, of every run and report, in one file.

Digests show that nothing has changed since; whoever can write to the folder can also write another seal. Signed with
the expert's own key (an SSH signature by `ssh-keygen -Y`, beside the seal), it also shows who sealed it.
"""

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any, Literal

from idiograph.casework.case_folder import MANIFEST, SEAL, SIGNATURE, settle
from idiograph.casework.replay import digest_of, found_inputs, located, read_manifest
from idiograph.checking import checks_arguments
from idiograph.errors import InputError
from idiograph.files import as_path, is_link, locked, refuse_links, scratch_folder, write_whole
from idiograph.provenance import VERSION, now
from idiograph.records import misfit, record_in, record_text

NAMESPACE = "idiograph-seal"  # an SSH signature is for one purpose; this is ours
SCHEMA = 1
INTEGRITY = (
    "The seal is not signed: it shows that nothing was changed by accident, and proves nothing against somebody who "
    "can write to the folder."
)
_OWN = (SEAL, SIGNATURE, ".lock")
_TOOL = "ssh-keygen"
_KEY = re.compile(r"with (\S+) key (\S+)")

SignatureState = Literal["none", "good", "bad", "not checked"]


@dataclass(frozen=True)
class Seal:
    """A case that was sealed."""

    path: Path
    n_files: int
    n_inputs: int
    edited: tuple[str, ...]  # files that are no longer as their run wrote them: sealed as they are now
    signed: bool


@dataclass(frozen=True)
class SealCheck:
    """How a case compares with its seal; files of the case by path, inputs by role and name."""

    sealed: str  # UTC
    n_files: int
    n_inputs: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    added: tuple[str, ...]
    signature: SignatureState
    signer: str | None  # kind and fingerprint of the key, where the signature is good
    sentence: str  # what the seal is worth

    @property
    def holds(self) -> bool:
        """Whether everything is as it was sealed, and no signature is wrong."""
        return not (self.changed or self.missing or self.added) and self.signature != "bad"


@checks_arguments
def seal(folder: Path | str, *, key: Path | str | None = None, force: bool = False) -> Seal:
    """Seals a filed case as it is now; with a private SSH key the seal is signed. A sealed case needs `force`."""
    place = as_path(folder, "The folder of the case")
    private = None if key is None else as_path(key, "The key")
    if not place.is_dir():
        raise InputError(f"{place} is not a folder. Name the folder of a filed case.")
    with locked(place):
        refuse_links(place)
        settle(place)
        if (place / SEAL).exists() and not force:
            raise InputError(f"{place} is sealed already. Check the seal, or pass --force to seal the case anew.")
        manifest = read_manifest(place / MANIFEST)
        # Inputs must be those of the latest run: a seal over others would tie together what does not belong together.
        found_inputs(manifest["inputs"], place)
        files = dict(_digests(place))
        inputs = [{name: one[name] for name in ("role", "name", "path", "sha256")} for one in manifest["inputs"]]
        content = {
            "schema": SCHEMA,
            "kind": "idiograph seal",
            "idiograph": VERSION,
            "sealed": now(),
            "run": manifest.get("run"),
            "inputs": inputs,
            "files": files,
        }
        text = record_text(content)
        signature = None if private is None else _signature(text, private)
        # In this order a kill leaves the old seal, or a new one that is not signed yet, and never a wrong signature.
        (place / SIGNATURE).unlink(missing_ok=True)
        write_whole(place / SEAL, text)
        if signature is not None:
            write_whole(place / SIGNATURE, signature)
    edited = tuple(name for name, sha256 in manifest["outputs"].items() if files.get(name) != sha256)
    return Seal(place / SEAL, len(files), len(inputs), edited, signature is not None)


@checks_arguments
def check_seal(folder: Path | str, *, key: Path | str | None = None, inputs: Path | str | None = None) -> SealCheck:
    """Compares a case with its seal, without writing anything; with a public key, it must be signed by it.

    Inputs are looked for where they lay, or by their digests under `inputs`.
    """
    place = as_path(folder, "The folder of the case")
    public = None if key is None else as_path(key, "The key")
    text = _read(place / SEAL, f"{place} has no seal that can be read")
    content = _checked(place / SEAL, text)
    there = dict(_digests(place))
    sealed: dict[str, str] = content["files"]
    elsewhere = None if inputs is None else as_path(inputs, "The folder of the inputs")
    all_inputs = located(content["inputs"], place, elsewhere)
    state, signer = _checked_signature(place, text, public)
    return SealCheck(
        sealed=content["sealed"],
        n_files=len(sealed),
        n_inputs=len(content["inputs"]),
        changed=(
            *(name for name in sealed if name in there and there[name] != sealed[name]),
            *(one.name for one in all_inputs if one.state == "changed"),
        ),
        missing=(
            *(name for name in sealed if name not in there),
            *(one.name for one in all_inputs if one.state == "missing"),
        ),
        added=tuple(name for name in there if name not in sealed),
        signature=state,
        signer=signer,
        sentence=_worth(state, signer, known=public is not None),
    )


def _digests(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file of a case by its path in the folder, but for the seal itself and the lock.

    A link, pipe or device, which no seal covers, is one that has no digest: it is not opened.
    """
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if is_link(path) or not (path.is_dir() or path.is_file()):
            yield name, "not a file"
        elif path.is_file() and name not in _OWN:
            yield name, digest_of(path)


def _read(path: Path, otherwise: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{otherwise} ({error.strerror or error}). Seal the case with `idiograph seal`.") from error


def _checked(path: Path, text: bytes) -> dict[str, Any]:
    """The content of a seal, every key with the type it must have."""
    content: dict[str, Any] = record_in(
        text,
        path,
        kind="idiograph seal",
        schema=SCHEMA,
        damaged="{path} is not valid JSON ({why}). Restore the file from a copy.",
        other="{path} is not a seal that this version of Idiograph reads. Restore the file from a copy.",
    )
    if misfit(content, _SHAPE):
        raise InputError(
            f"{path} is damaged: its files, inputs or time are not what a seal has. Restore it from a copy."
        )
    return content


_SHAPE = {"sealed": str, "files": {str: str}, "inputs": [{"role": str, "name": str, "path": str, "sha256": str}]}


def _signature(text: str, key: Path) -> bytes:
    """The SSH signature of a seal by a private key; the tool itself asks for a passphrase where there is one."""
    if not key.is_file():
        raise InputError(f"The key {key} does not exist. Name a private SSH key; `ssh-keygen -t ed25519` makes one.")
    with scratch_folder() as folder:
        (folder / SEAL).write_text(text, encoding="utf-8", newline="")
        done = _ssh(["sign", "-f", str(key), "-n", NAMESPACE, str(folder / SEAL)])
        if done is None:
            raise InputError(
                f"A seal is signed by {_TOOL}, which is not installed. Install OpenSSH, or leave out --key."
            )
        if done.returncode or not (folder / SIGNATURE).is_file():
            raise InputError(
                f"The seal could not be signed with {key} ({_last(done.stderr)}). Name a private SSH key that you may "
                "read; nothing was sealed."
            )
        return (folder / SIGNATURE).read_bytes()


def _checked_signature(place: Path, text: bytes, public: Path | None) -> tuple[SignatureState, str | None]:
    """Whether the signature is good, and by which key; with a public key, whether it is by that one."""
    path = place / SIGNATURE
    if not path.is_file():
        return ("none" if public is None else "bad"), None
    if public is None:
        done = _ssh(["check-novalidate", "-n", NAMESPACE, "-s", str(path)], text)
    else:
        try:
            own = " ".join(public.read_text(encoding="utf-8").split()[:2])
        except (OSError, UnicodeDecodeError) as error:
            strerror = getattr(error, "strerror", None)
            raise InputError(
                f"The public key {public} could not be read ({strerror or error}). Name its .pub file."
            ) from error
        with scratch_folder() as folder:
            (folder / "signers").write_text(f"expert {own}\n", encoding="utf-8")
            asked = ["verify", "-f", str(folder / "signers"), "-I", "expert", "-n", NAMESPACE, "-s", str(path)]
            done = _ssh(asked, text)
    if done is None:
        return "not checked", None
    found = _KEY.search(done.stdout.decode(errors="replace"))
    return ("good", " ".join(found.groups())) if not done.returncode and found else ("bad", None)


def _ssh(arguments: Sequence[str], given: bytes | None = None) -> "subprocess.CompletedProcess[bytes] | None":
    """Runs `ssh-keygen -Y`; None where it is not installed."""
    if which(_TOOL) is None:
        return None
    return subprocess.run([_TOOL, "-Y", *arguments], input=given, capture_output=True, check=False)


def _last(said: bytes) -> str:
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1].strip().rstrip(".") if lines else "no reason was given"


def _worth(state: SignatureState, signer: str | None, *, known: bool) -> str:
    if state == "none":
        return INTEGRITY
    if state == "not checked":
        return f"The seal is signed, and {_TOOL}, which would check the signature, is not installed. {INTEGRITY}"
    if state == "bad":
        return (
            "The seal is not signed by that key."
            if known
            else "The signature does not belong to this seal: one of the two was changed after signing."
        )
    whose = "the key that was named" if known else "whoever holds the key; compare its fingerprint with the expert's"
    return f"The seal is signed ({signer}): it was sealed by {whose}."

"""A seal over a filed case: a digest of every input, of the case file, of every run and report, in one file.

Digests show that nothing has changed since; whoever can write to the folder can also write another seal. Signed with
the expert's own key (an SSH signature by `ssh-keygen -Y`, beside the seal), it also shows who sealed it. The cover
sheet has the digest of the whole: a copy on paper fixes the folder as it was.
"""

import os
import re
import stat
import subprocess
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any, Literal

from idiograph.casework.case_folder import (
    CASE,
    COVER,
    MANIFEST,
    RESULT,
    SEAL,
    SIGNATURE,
    content_digest,
    settle,
    trail_state,
)
from idiograph.casework.replay import found_inputs, located, read_manifest
from idiograph.checking import checks_arguments
from idiograph.errors import InputError
from idiograph.files import (
    as_path,
    bytes_without_link,
    everything_below,
    is_link,
    locked,
    refuse_links,
    scratch_folder,
    write_whole,
)
from idiograph.provenance import VERSION, digest, digest_of, now
from idiograph.records import bytes_of_file, misfit, record_in, record_text
from idiograph.showing import one_line

NAMESPACE = "idiograph-seal"  # an SSH signature is for one purpose; this is ours
SCHEMA = 1
INTEGRITY = (
    "The seal is not signed: it shows that nothing was changed by accident, and proves nothing against somebody who "
    "can write to the folder."
)
_LOCK = ".lock"
_TOOL = "ssh-keygen"
_LARGEST_KEY = 100_000  # bytes of a public key's file
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
    digest: str  # SHA-256 of the seal itself, which has those of everything
    linked: tuple[str, ...]  # files that have a second name somewhere on the disk
    trail: tuple[str, ...]  # what of the runs was removed, moved or changed before


@one_line
@dataclass(frozen=True)
class SealCheck:
    """How a case compares with its seal; files of the case by path, folders with a stroke, inputs by role and name."""

    sealed: str  # UTC
    n_files: int
    n_inputs: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    added: tuple[str, ...]
    signature: SignatureState
    signer: str | None  # kind and fingerprint of the key, where the signature is good
    sentence: str  # what the seal is worth
    digest: str  # SHA-256 of the seal, to be compared with the cover sheet
    linked: tuple[str, ...]
    trail: tuple[str, ...]
    twins: tuple[str, ...] = ()  # names that only some systems tell apart, such as Q.txt and q.txt

    @property
    def is_unchanged(self) -> bool:
        """Whether everything is as it was sealed, and no signature is wrong."""
        return not (self.changed or self.missing or self.added) and self.signature != "bad"

    @property
    def holds(self) -> bool:
        """Whether besides no run was removed, moved or changed before it was sealed."""
        return self.is_unchanged and not self.trail


@checks_arguments
def seal(folder: Path | str, *, key: Path | str | None = None, force: bool = False) -> Seal:
    """Seals the case filed in `folder` as it is now, signed with a private SSH `key`. A sealed case needs `force`."""
    path = as_path(folder, "The folder of the case")
    private = None if key is None else as_path(key, "The key")
    if not path.is_dir():
        raise InputError(f"{path} is not a folder. Name the folder of a filed case.")
    with locked(path):
        refuse_links(path)
        settle(path)
        if (path / SEAL).exists():
            if not force:
                raise InputError(f"{path} is sealed already. Check the seal, or pass --force to seal the case again.")
            if private is None and _signature_of(path, (path / SEAL).read_bytes()) is not None:
                raise InputError(
                    f"{path} has a signed seal, and one without a signature would take its place. Pass --key to sign "
                    f"the new one, or move {SEAL} and {SIGNATURE} elsewhere first."
                )
        manifest = read_manifest(path / MANIFEST)
        # Inputs must be those of the latest run: a seal over others would tie together what does not belong together.
        found_inputs(manifest["inputs"], path)
        below = _looked_through(path)
        _refuse_unwritable(path, below)
        if below.twins:
            raise InputError(
                f"{path} holds names that only some systems tell apart ({below.twins[0]}): where they are one, a copy "
                "of the folder would lose a file. Rename one of them, then seal the case."
            )
        content = {
            "schema": SCHEMA,
            "kind": "idiograph seal",
            "idiograph": VERSION,
            "sealed": now(),
            "run": manifest["run"],
            "inputs": [
                {name: file[name] for name in ("role", "name", "path", "sha256")} for file in manifest["inputs"]
            ],
            # Not the lock, which is ours, nor what an earlier seal left waiting.
            "files": {
                name: sha256 for name, sha256 in below.files.items() if name != _LOCK and not _WAITING.fullmatch(name)
            },
            "folders": list(below.folders),
        }
        text = record_text(content)
        signature = None if private is None else _signature(text, private)
        results = content_digest((path / CASE).read_bytes(), (path / RESULT).read_bytes(), manifest["inputs"])
        _, signer = _checked_signature(signature, text.encode(), None)
        _put(path, text, signature, _cover(content, digest(text), results, signer))
        trail = trail_state(path).problems
    edited = tuple(name for name, sha256 in manifest["outputs"].items() if content["files"].get(name) != sha256)
    n_files, n_inputs = len(content["files"]), len(content["inputs"])
    return Seal(path / SEAL, n_files, n_inputs, edited, signature is not None, digest(text), below.linked, trail)


def _put(folder: Path, text: str, signature: bytes | None, cover: str) -> None:
    """Puts a seal in the place of an older one: until it is there, that one stays with its signature.

    A signature waits under a name that says whose it is. The moment at which the seal gets its name is the only one in
    which anything changes; what is renamed afterwards is found by either name.
    """
    waiting = {_waiting(SIGNATURE, text.encode()): signature, _waiting(COVER, text.encode()): cover}
    try:
        for name, content in waiting.items():
            if content is not None:
                write_whole(folder / name, content)
        write_whole(folder / SEAL, text)
    except BaseException:
        for name in waiting:
            with suppress(OSError):
                (folder / name).unlink(missing_ok=True)
        raise
    with suppress(OSError):
        for waits, name in zip(waiting, (SIGNATURE, COVER), strict=True):
            if (folder / waits).exists():
                (folder / waits).replace(folder / name)
        for left in folder.iterdir():
            if _WAITING.fullmatch(left.name):
                left.unlink()


def _waiting(name: str, text: bytes) -> str:
    return f".{name}.{digest(text)[:16]}"


_WAITING = re.compile(rf"\.({re.escape(SIGNATURE)}|{re.escape(COVER)})\.[0-9a-f]{{16}}")


def _signature_of(folder: Path, text: bytes) -> bytes | None:
    """The signature of the seal with this text; None where there is none."""
    for path in (folder / _waiting(SIGNATURE, text), folder / SIGNATURE):
        if os.path.lexists(path):
            return _read(path, f"{path} could not be read")
    return None


def _cover(content: dict[str, Any], whole: str, results: str, signer: str | None) -> str:
    """The sheet to print: what the folder was when it was sealed, in one digest."""
    signed = f"signed with the key {signer}" if signer else "not signed"
    return f"""Cover sheet of a sealed case

Sealed {content["sealed"]} (UTC) by Idiograph {content["idiograph"]}, {signed}.
Run {content["run"]}: {len(content["files"])} files, {len(content["folders"])} folders, {len(content["inputs"])} inputs.

Digest of everything (the SHA-256 of {SEAL}):
{whole}

Digest of inputs, case file and results (as the report prints it):
{results}

This sheet on paper fixes the folder, the reports and the trail of runs included. To compare a copy of the folder with
it: “idiograph check FOLDER” must say that the case is as it was sealed, and print the first digest. Any program that
computes SHA-256 gives the digest of {SEAL} as well. What no digest can show is a run that was never in this folder.
"""


@checks_arguments
def check_seal(folder: Path | str, *, key: Path | str | None = None, inputs: Path | str | None = None) -> SealCheck:
    """Compares the case in `folder` with its seal, writing nothing; with a public `key`, it must be signed by it.

    Inputs are looked for where they lay, or by their digests under `inputs`.
    """
    path = as_path(folder, "The folder of the case")
    public = None if key is None else as_path(key, "The key")
    text = _read(path / SEAL, f"{path} has no seal that can be read", ". Seal the case with `idiograph seal`.")
    content = _checked(path / SEAL, text)
    below = _looked_through(path)
    there = {**below.files, **(dict.fromkeys(below.folders, "a folder") if "folders" in content else {})}
    sealed: dict[str, str] = {**content["files"], **dict.fromkeys(content.get("folders", ()), "a folder")}
    elsewhere = None if inputs is None else as_path(inputs, "The folder of the inputs")
    all_inputs = located(content["inputs"], path, elsewhere)
    state, signer = _checked_signature(_signature_of(path, text), text, public)
    strange = any(sha256 == _STRANGE for sha256 in there.values())
    return SealCheck(
        sealed=content["sealed"],
        n_files=len(content["files"]),
        n_inputs=len(content["inputs"]),
        changed=(
            *(name for name in sealed if name in there and there[name] != sealed[name]),
            *(file.name for file in all_inputs if file.state == "changed"),
        ),
        missing=(
            *(name for name in sealed if name not in there),
            *(file.name for file in all_inputs if file.state == "missing"),
        ),
        added=tuple(name for name in there if name not in sealed),
        signature=state,
        signer=signer,
        sentence=_worth(state, signer, known=public is not None),
        digest=digest(text),
        linked=below.linked,
        trail=("the trail was not looked at, because links are not followed",)
        if strange
        else trail_state(path).problems,
        twins=below.twins,
    )


@dataclass(frozen=True)
class _Found:
    """What a folder holds besides its seal: files with their digests, folders, files with a second name, twins."""

    files: dict[str, str]
    folders: tuple[str, ...]  # each with a stroke at its end
    linked: tuple[str, ...]
    twins: tuple[str, ...]


_STRANGE = "not a file"  # in place of a digest: a link, pipe or device, which no seal covers and nobody opens


def _looked_through(folder: Path) -> _Found:
    files: dict[str, str] = {}
    folders, linked = [], []
    for path, status in everything_below(folder):
        name = path.relative_to(folder).as_posix()
        if is_link(path) or not (stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)):
            files[name] = _STRANGE
        elif stat.S_ISDIR(status.st_mode):
            folders.append(f"{name}/")
        elif name not in (SEAL, SIGNATURE, COVER):
            files[name] = digest_of(path)
            if status.st_nlink > 1:
                linked.append(name)
    if os.path.lexists(folder / SEAL) and not is_link(folder / SEAL):
        text = (folder / SEAL).read_bytes()
        for name in (SIGNATURE, COVER):
            files.pop(_waiting(name, text), None)
    return _Found(files, tuple(folders), tuple(linked), tuple(_twins((*files, *folders))))


def _twins(names: Iterable[str]) -> Iterator[str]:
    """Names that differ in capitals, or in how accents are written, alone."""
    first: dict[str, str] = {}
    for name in names:
        before = first.setdefault(unicodedata.normalize("NFC", name.rstrip("/")).casefold(), name)
        if before != name:
            yield f"{before} and {name}"


def _refuse_unwritable(folder: Path, below: _Found) -> None:
    """An error about a name that is no text, which a seal could not be written with."""
    for name in (*below.files, *below.folders):
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{folder} holds a name that is not text ({name!r}). Rename it, then seal the case."
            ) from None


def _read(path: Path, otherwise: str, then: str = ".") -> bytes:
    try:
        return bytes_without_link(path)
    except OSError as error:
        raise InputError(f"{otherwise} ({error.strerror or error}){then}") from error


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
    if misfit(content, _SHAPE) or misfit(content.get("folders", []), [str]):
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
        write_whole(folder / SEAL, text)
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


def _checked_signature(signature: bytes | None, text: bytes, public: Path | None) -> tuple[SignatureState, str | None]:
    """Whether the signature is good, and by which key; with a public key, whether it is by that one."""
    if signature is None:
        return ("none" if public is None else "bad"), None
    with scratch_folder() as folder:
        write_whole(folder / SIGNATURE, signature)
        asked = ["check-novalidate"]
        if public is not None:
            try:
                key = " ".join(bytes_of_file(public, most=_LARGEST_KEY).decode().split()[:2])
            except (OSError, UnicodeDecodeError) as error:
                strerror = getattr(error, "strerror", None)
                raise InputError(
                    f"The public key {public} could not be read ({strerror or error}). Name its .pub file."
                ) from error
            write_whole(folder / "signers", f"expert {key}\n")
            asked = ["verify", "-f", str(folder / "signers"), "-I", "expert"]
        done = _ssh([*asked, "-n", NAMESPACE, "-s", str(folder / SIGNATURE)], text)
    if done is None:
        return "not checked", None
    match = _KEY.search(done.stdout.decode(errors="replace"))
    return ("good", " ".join(match.groups())) if not done.returncode and match else ("bad", None)


def _ssh(arguments: Sequence[str], given: bytes | None = None) -> "subprocess.CompletedProcess[bytes] | None":
    """Runs `ssh-keygen -Y`; None where it is not installed."""
    if which(_TOOL) is None:
        return None
    return subprocess.run([_TOOL, "-Y", *arguments], input=given, capture_output=True, check=False)


def _last(output: bytes) -> str:
    lines = output.decode(errors="replace").strip().splitlines()
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

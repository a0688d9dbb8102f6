"""Does this installation compute what was validated? Checked on the machine at hand, without a network, to be filed.

A check that ends with an error has found a difference. What a self-test cannot show is said on its page: a program that
was changed can say of itself what it likes, so the digest of its RECORD is printed, to be compared with one that was
made elsewhere.
"""

import getpass
import locale
import os
import platform
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cache, partial
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from idiograph.casework.case import Case
from idiograph.casework.replay import agreeing_digits, is_digest, is_number, leaves, numbers_that_differ
from idiograph.casework.verification import Verification, as_result
from idiograph.casework.verify import verify
from idiograph.errors import IdiographError, counted, some
from idiograph.evidence.cosine import ngram_cosine
from idiograph.evidence.methods import hapax, square_root
from idiograph.evidence.metrics import cllr, cllr_min
from idiograph.files import cache_folder, scratch_folder, whole_folder, write_whole
from idiograph.grammar.lambdag import score
from idiograph.laboratory import disk, installation, slow
from idiograph.output.document import Box, BoxKind, Document, Form, Table, code, paragraph
from idiograph.output.filing import write_reports
from idiograph.provenance import VERSION, now
from idiograph.records import parsed_json, record_text
from idiograph.settings import settings_from_options
from idiograph.texts.language import ENGLISH
from idiograph.texts.masking.models import REFERENCE_DIGEST, tagger_of
from idiograph.texts.masking.tagger import kernels_agree
from idiograph.texts.reading.documents import PageReader

State = Literal["as it should be", "different", "not checked"]
Outcome = tuple[State, str, Sequence[str]]  # how it came out, what was done, and a sentence for each difference
FILE = "selftest"
STORED = "stored_cases.json"
_MEMORY, _DISK = 1_000_000_000, 200_000_000  # bytes that a usual case needs
_SHOWN = 6  # differences of a check that the page names
_DIGITS, _NOTHING = 12, 1e-12  # digits in which the engine and the slow code must agree, unless both differ by less


@dataclass(frozen=True)
class StoredCase:
    """A case with its texts, the digests of their masked tokens, and its result."""

    name: str
    settings: Mapping[str, Any]
    texts: Mapping[str, str]  # by the path of their file
    tokens: Mapping[str, str]  # by the text's id
    result: Mapping[str, Any]

    @property
    def n_numbers(self) -> int:
        return sum(is_number(value) for _, value in leaves(self.result))


@dataclass(frozen=True)
class Check:
    """What was checked and what came out; `wrong` has a sentence for each difference."""

    what: str
    state: State
    outcome: str
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class SelfTest:
    """An installation that was checked: what, where, by whom and when."""

    version: str
    date: str
    machine: str
    user: str
    python: str
    record: str  # the digest of the program's RECORD
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        return all(check.state != "different" for check in self.checks)

    @property
    def sentence(self) -> str:
        """The outcome of the whole."""
        different = [check.what for check in self.checks if check.state == "different"]
        left = [check.what for check in self.checks if check.state == "not checked"]
        besides = f" Not checked: {some(left)}." if left else ""
        if different:
            return (
                f"This installation is not what it should be: {some(different)}. Do not use it for a case before that "
                f"is explained.{besides}"
            )
        n = len(self.checks) - len(left)
        return f"All {n} checks came out as they should on this machine.{besides}"


def selftest(chosen: Sequence[Path] = ()) -> SelfTest:
    """Checks this installation; the `chosen` folders are tried besides the one for the cache."""
    places = list(dict.fromkeys([cache_folder(), *chosen]))
    kept: dict[str, Verification] = {}
    checks = [
        _checked("Files of Idiograph against their RECORD", _own_files),
        _checked("Files of the packages that it needs against theirs", _other_files),
        _checked("Versions of packages against the lock", _versions),
        _checked("Weights of the tagger, by digest", _weights),
        _checked("Kernels of the tagger against spaCy", _tagger_kernels),
        _checked("Kernels of the engine against slow code", _engine_kernels),
    ]
    for case in stored_cases():
        checks.append(_checked(f"The {case.name} case: tokens and result", partial(_computed, case, kept)))
    checks.append(_checked("Reports as HTML, DOCX and PDF", partial(_reports, kept)))
    for path in places:
        checks.append(_checked(f"Writing, locking and killing in {path}", partial(_folder, path)))
    checks += [_checked("Free memory", _memory), _checked("Free room on the disks", partial(_room, places))]
    return SelfTest(
        version=VERSION,
        date=now(),
        machine=f"{platform.node()}, {platform.platform()}, {counted(os.cpu_count() or 1, 'processor')}",
        user=_user(),
        python=f"{platform.python_version()} in {sys.prefix}; text is {locale.getpreferredencoding(False)}",
        record=_installed().digest,
        checks=tuple(checks),
    )


def _checked(what: str, check: Callable[[], Outcome]) -> Check:
    """A check that was made; one that ends with an error has found a difference, whatever the error is."""
    try:
        state, outcome, wrong = check()
    except Exception as error:
        sentence = str(error) if isinstance(error, IdiographError) else f"{type(error).__name__}: {error}"
        return Check(what, "different", "could not be carried out", (sentence,))
    return Check(what, state, outcome, tuple(wrong))


def _judged(outcome: str, wrong: Sequence[str]) -> Outcome:
    return ("different" if wrong else "as it should be"), outcome, wrong


@cache
def _installed() -> installation.Installation:
    return installation.looked_at(package=installation.PROGRAM)


def _own_files() -> Outcome:
    looked = _installed()
    if looked.editable and not looked.wrong:
        return "not checked", f"an editable installation of {looked.editable}: its modules have no digests", ()
    return _judged(f"{counted(looked.n_files, 'file')} with a digest, and all compiled copies", looked.wrong)


def _other_files() -> Outcome:
    named = [package.name for package in installation.locked_packages()]
    n_files, wrong = 0, []
    packages = [name for name in named if name in installation.compared_versions().same]
    for name in packages:
        looked = installation.looked_at(name)
        n_files += looked.n_files
        wrong += [f"{name}: {sentence}" for sentence in looked.wrong]
    return _judged(f"{counted(n_files, 'file')} of {counted(len(packages), 'package')}", wrong)


def _versions() -> Outcome:
    versions = installation.compared_versions()
    n = len(versions.same) + len(versions.other)
    return _judged(f"{len(versions.same)} of {n} packages have the version of the lock", versions.other)


def _weights() -> Outcome:
    model = tagger_of(ENGLISH)
    wrong = [] if model.digest == REFERENCE_DIGEST else [f"the digest of {model.name} is {model.digest}"]
    return _judged(f"{model.name} {model.version}, SHA-256 {model.digest[:16]}…", wrong)


def _tagger_kernels() -> Outcome:
    agree = kernels_agree(tagger_of(ENGLISH))
    if agree is None:
        return "not checked", "the kernels do not know the installed spaCy; English is tagged by spaCy itself", ()
    wrong = [] if agree else ["the kernels tag a page differently from spaCy; English is tagged by spaCy itself"]
    return _judged("a page tagged both ways", wrong)


@cache
def stored_cases() -> tuple[StoredCase, ...]:
    """The cases that come with the program."""
    records = parsed_json((files("idiograph.laboratory") / STORED).read_bytes())
    return tuple(StoredCase(**record) for record in records)


def written_case(case: StoredCase, folder: Path) -> Case:
    """The case on its texts, which are written into a folder."""
    for name, content in case.texts.items():
        write_whole(folder / name, content)
    given = {
        "questioned": {"Q1": folder / "q.txt"},
        "known": {"Lee": folder / "known"},
        "reference": folder / "reference",
        "population": "made-up people who live by a harbour",
        **case.settings,
    }
    return settings_from_options(Case, given)


def stored_result(done: Verification) -> dict[str, Any]:
    """Of a result what is compared: its numbers and digests, each in its place."""
    result: dict[str, Any] = _numbers(parsed_json(record_text(as_result(done))))
    return result


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: kept for name, part in value.items() if (kept := _numbers(part)) not in (None, {}, [])}
    if isinstance(value, list):
        parts = [_numbers(part) for part in value]
        return parts if any(part is not None for part in parts) else None
    return value if isinstance(value, int | float) or is_digest(value) else None


def _engine_kernels() -> Outcome:
    """λG token by token, the corrections, the cosine and Cllr, by the engine and by `slow`."""
    sides = {
        name: [tuple(line.split()) for line in content.splitlines()]
        for case in stored_cases()
        if case.name == "masked"
        for name, content in case.texts.items()
    }
    q = sides["q.txt"]
    k = [sentence for name in sides if name.startswith("known/") for sentence in sides[name]]
    others = {name: sentences for name, sentences in sides.items() if name.startswith("reference/")}
    reference = [sentence for sentences in others.values() for sentence in sentences]
    wrong, n = [], 0

    def compare(name: str, ours: Sequence[float], theirs: Sequence[float]) -> None:
        nonlocal n
        n += len(ours)
        digits = [
            17 if abs(our - other) < _NOTHING else agreeing_digits(our, other)
            for our, other in zip(ours, theirs, strict=True)
        ]
        if min(digits) < _DIGITS:
            worst = digits.index(min(digits))
            wrong.append(f"{name}: the engine gives {ours[worst]!r} and the slow code {theirs[worst]!r}")

    for order, repetitions, discount, seed in ((10, 4, 0.75, 1), (3, 2, 0.5, 2), (1, 2, 0.75, 3)):
        settings = {"order": order, "repetitions": repetitions, "discount": discount, "seed": seed}
        ours = score(q=q, k=k, reference=reference, **settings)  # type: ignore[arg-type]
        theirs = slow.lambda_g(q, k, reference, **settings)  # type: ignore[arg-type]
        compare(f"λG of order {order}", [float(ratio) for part in ours.evidence for ratio in part], theirs)
        total = sum(theirs)
        compare("Hapax Correction", [hapax(ours).value], [slow.hapax_bits(total, q)])
        compare("Square Root Correction", [square_root(ours).value], [slow.square_root_bits(total, q)])
    cohort = list(others.values())
    compare("n-gram cosine", [ngram_cosine(q, k, cohort=cohort)], [slow.cosine(q, k, cohort)])
    same = [len(sentence) / 7 for sentence in k]
    different = [len(sentence) / 9 - 1 for sentence in reference[:60]]
    compare("Cllr", [cllr(same=same, different=different)], [slow.cllr(same, different)])
    compare("Cllr_min", [cllr_min(same=same, different=different)], [slow.cllr_min(same, different)])
    return _judged(f"{counted(n, 'number')} agree in their first {_DIGITS} digits", wrong)


def _computed(case: StoredCase, kept: dict[str, Verification]) -> Outcome:
    with scratch_folder() as scratch:
        done = kept[case.name] = verify(written_case(case, scratch), workers=1, cache=False)
    tokens = {text.id: text.masked_sha256 for text in done.texts}
    wrong = [
        f"the masked tokens of {name} have another digest"
        for name, sha256 in case.tokens.items()
        if tokens.get(name) != sha256
    ]
    wrong += [
        f"{difference.where}: stored {difference.filed!r}, here {difference.now!r}"
        for difference in numbers_that_differ(case.result, stored_result(done))
    ]
    return _judged(
        f"{counted(len(case.tokens), 'text')} by digest, {counted(case.n_numbers, 'number')} to the last digit", wrong
    )


def _reports(kept: dict[str, Verification]) -> Outcome:
    """The reports of the first stored case are written, opened again and say its finding."""
    wrong, n = [], 0
    for name, done in list(kept.items())[:1]:
        finding = _unwrapped(done.comparisons[0].wording.conclusion)
        with scratch_folder() as scratch:
            written = write_reports(done, scratch)
            n += len(written)
            report = {path.suffix: path for path in written if path.stem == "report"}
            with closing(PageReader()) as reader:
                pages = reader.pages(report[".pdf"].read_bytes())
            texts = {
                ".html": unescape(report[".html"].read_text(encoding="utf-8")),
                ".docx": _docx_words(report[".docx"]),
                ".pdf": "\n".join(page or "" for page in pages),
            }
        wrong += [
            f"the report of the {name} case as {form} does not say its finding"
            for form, words in texts.items()
            if finding not in _unwrapped(words)
        ]
    return _judged(f"{counted(n, 'file')} written; the reports read again, and their findings are there", wrong)


def _unwrapped(words: str) -> str:
    return " ".join(words.split())


def _docx_words(path: Path) -> str:
    from docx import Document as read_docx

    document = read_docx(str(path))
    cells = (cell.text for table in document.tables for row in table.rows for cell in row.cells)
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def _folder(path: Path) -> Outcome:
    return _judged("a file written, a lock held, a process killed while it wrote", list(disk.what_is_wrong(path)))


def _memory() -> Outcome:
    free = _free_memory()
    if free is None:
        return "not checked", "this system does not say how much memory is free", ()
    wrong = [f"a case takes about {_MEMORY / 1e9:.0f} GB"] if free < _MEMORY else []
    return _judged(f"{free / 1e9:.1f} GB", wrong)


def _free_memory() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name == "MemAvailable":
                return int(value.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


def _room(places: Sequence[Path]) -> Outcome:
    free = {path: shutil.disk_usage(path).free for path in places}
    wrong = [f"{path} has {room / 1e6:.0f} MB left" for path, room in free.items() if room < _DISK]
    return _judged("; ".join(f"{room / 1e9:.1f} GB for {path}" for path, room in free.items()), wrong)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown to the system"


def as_record(test: SelfTest) -> dict[str, object]:
    """The self-test as JSON has it."""
    return {"schema": 1, "kind": "idiograph selftest", "passed": test.passed, "sentence": test.sentence, **asdict(test)}


def page(test: SelfTest) -> Document:
    """The self-test as one page to file."""
    kind: BoxKind = "finding" if test.passed else "refusal"
    rows = tuple((check.what, check.state, check.outcome) for check in test.checks)
    differences = [
        paragraph(f"{check.what}: {some(check.wrong, _SHOWN, between='; ')}.") for check in test.checks if check.wrong
    ]
    return Document(
        title="Self-test of an installation",
        subtitle=f"Idiograph {test.version}, {test.date}",
        header="Idiograph: self-test",
        banner=None,
        footer=f"Idiograph {test.version}, self-test of {test.date}",
        blocks=(
            Box(kind, "Outcome", (paragraph(test.sentence), *differences)),
            Table("What was checked, and what came out", ("check", "came out", "how"), rows, widths=(38, 17, 45)),
            Form((("Machine", test.machine), ("User", test.user), ("Python", test.python), ("Date", test.date))),
            paragraph("Digest of the program's RECORD: ", code(test.record or "none: an editable installation")),
            paragraph(
                "What this does not show: a program that was changed on purpose can say of itself what it likes. "
                "Compare the digest above with that of the wheel, made elsewhere from the wheel's own RECORD "
                "(docs/laboratory.md has the command). That the method suits a kind of case is the matter of a "
                "validation, not of a self-test.",
                small=True,
            ),
            Form((("Looked at by", ""), ("Date and signature", ""))),
        ),
    )


def file_selftest(test: SelfTest, out: Path, *, force: bool = False) -> None:
    """Writes the page as HTML and PDF, and everything that was found as JSON, into a folder: all of it or nothing."""
    from idiograph.output.html import html
    from idiograph.output.pdf import pdf

    with whole_folder(out, force=force) as part:
        (part / f"{FILE}.json").write_text(record_text(as_record(test)), encoding="utf-8")
        document = page(test)
        (part / f"{FILE}.html").write_text(html(document), encoding="utf-8")
        (part / f"{FILE}.pdf").write_bytes(pdf(document))

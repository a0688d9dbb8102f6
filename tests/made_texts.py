"""Masked texts by made-up authors with habits of their own, and cases of them: small and in nobody's copyright."""

import io
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np

from idiograph import Case, MaskedText, Text, verify
from idiograph.casework.case import written
from idiograph.casework.inputs import CaseTexts
from idiograph.casework.verification import Comparison
from idiograph.cli import main
from idiograph.texts.text import Sentence

_LISTED = (
    "the a of and to in that it is was for on with as at by but not or this which from they we you he she there if "
    "when would could so what then now only very too also because about after before while still even just N V J P D B"
)
WORDS = _LISTED.split()


@cache
def habits(author: str) -> np.ndarray:
    """How likely each word (or one before it in the list) follows each, for one author: shared and own preferences."""
    common = np.random.default_rng(0).dirichlet(np.full(len(WORDS), 0.3), size=len(WORDS))
    personal = np.random.default_rng([1, *author.encode()]).dirichlet(np.full(len(WORDS), 0.1), size=len(WORDS))
    return np.cumsum(0.6 * common + 0.4 * personal, axis=1)


@cache
def sentences(author: str, *, tokens: int, seed: int) -> tuple[Sentence, ...]:
    """About `tokens` tokens of an author, in sentences of 6 to 18 with a full stop."""
    rng = np.random.default_rng([seed, *author.encode()])
    follows = habits(author)
    lines: list[Sentence] = []
    while sum(map(len, lines)) < tokens:
        word = int(rng.integers(len(WORDS)))
        sentence = [WORDS[word]]
        for _ in range(int(rng.integers(5, 17))):
            word = min(int(np.searchsorted(follows[word], rng.random())), len(WORDS) - 1)
            sentence.append(WORDS[word])
        lines.append((*sentence, "."))
    return tuple(lines)


def masked(id_: str, author: str | None, *, by: str | None = None, tokens: int = 300, seed: int = 0) -> MaskedText:
    """A masked text; `by` is who really wrote it."""
    lines = sentences(by or author or "nobody", tokens=tokens, seed=seed)
    return MaskedText(id_, author, lines, "as-found", metadata={"work": id_})


def case_texts(
    *,
    by: str = "lee",
    q: tuple[MaskedText, ...] | None = None,
    k: tuple[MaskedText, ...] | None = None,
    reference: tuple[MaskedText, ...] | None = None,
    n_authors: int = 20,
    originals: dict[str, Text] | None = None,
) -> CaseTexts:
    """A comparison with nothing wrong about it, unless a side is given."""
    return CaseTexts(
        label="Q1",
        candidate="lee",
        q=q or (masked("q", None, by=by, seed=1),),
        k=k or (masked("k1", "lee", seed=2), masked("k2", "lee", seed=3)),
        reference=reference or tuple(masked(f"{a}/{n}", a, seed=n) for a in authors(n_authors) for n in (1, 2)),
        originals=originals or {},
    )


def authors(n: int) -> list[str]:
    return [f"author{number:02}" for number in range(n)]


def write_text(path: Path, lines: tuple[Sentence, ...]) -> None:
    """A masked text as a file, a sentence a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in lines), encoding="utf-8")


def write_case(folder: Path, *, by: str = "lee", n_authors: int = 8, n_texts: int = 3, tokens: int = 300) -> Path:
    """q.txt, known/ and reference/ of a case in a folder; `by` is who really wrote Q."""
    write_text(folder / "q.txt", sentences(by, tokens=tokens, seed=9))
    for number in (1, 2):
        write_text(folder / "known" / f"{number}.txt", sentences("lee", tokens=tokens, seed=number))
    for author in authors(n_authors):
        for number in range(n_texts):
            write_text(
                folder / "reference" / author / f"{number}.txt", sentences(author, tokens=tokens + 40, seed=number)
            )
    return folder


def case_of(folder: Path, **changed: object) -> Case:
    values = {
        "questioned": {"Q1": folder / "q.txt"},
        "known": {"lee": folder / "known"},
        "reference": folder / "reference",
        "population": "made-up people",
        "masking": "masked",
        "repetitions": 5,
        "primary": "hapax",  # few authors are enough for it
        **changed,
    }
    return Case(**values)  # type: ignore[arg-type]


def write_case_file(folder: Path, **changed: object) -> Path:
    """The case of a folder as a file in it."""
    path = folder / "case.toml"
    path.write_text(written(case_of(folder, **changed), folder=folder), encoding="utf-8")
    return path


def compare(case: Case, *, quick: bool = True, **options: int) -> Comparison:
    """The one comparison of a case."""
    return verify(case, quick=quick, **options).comparisons[0]


def compare_fully(folder: Path, *, rules: int = 2, **changed: object) -> Comparison:
    """The one comparison of a folder's case, with its validation."""
    return compare(case_of(folder, **changed), quick=False, rules=rules)


def case_options(folder: Path, **changed: object) -> list[str]:
    """The same case as options of `idiograph verify`; an option that is given again after them wins."""
    values = {
        "questioned": folder / "q.txt",
        "known": f"lee={folder / 'known'}",
        "reference": folder / "reference",
        "population": "made-up people",
        "masking": "masked",
        "repetitions": 3,
        "primary": "hapax",
        "workers": 1,
        **changed,
    }
    return [word for name, value in values.items() for word in (f"--{name}", str(value))]


def command(*arguments: object) -> int:
    """The exit code of a command, as a shell would see it."""
    sys.argv = ["idiograph", *map(str, arguments)]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def in_full(*arguments: object, folder: Path | None = None) -> CompletedProcess[str]:
    """The exit code of a command that is run in a folder, and what it prints."""
    printed, told = io.StringIO(), io.StringIO()
    with chdir(folder or Path.cwd()), redirect_stdout(printed), redirect_stderr(told):
        code = command(*arguments)
    return CompletedProcess(arguments, code, printed.getvalue(), told.getvalue())


def file_case_of(folder: Path, *options: object) -> int:
    """The command on the case of a folder, filed in its `case`."""
    return command("verify", *case_options(folder, out=folder / "case"), *options)


GERMAN = (
    "Gestern bin ich mit meiner Schwester in die Stadt gefahren, weil wir ein neues Fahrrad kaufen wollten. Der "
    "Verkäufer war sehr freundlich und hat uns alles genau erklärt. Am Ende haben wir das blaue genommen, obwohl es "
    "etwas teurer war als die anderen. Wenn es nicht regnet, fahren wir am Sonntag um den See."
)

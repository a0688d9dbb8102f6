"""The protocol of Barlow, Nini & Manino 2026 on any folder of corpora: a study made by looking at what is there.

    twelve corpora   whole texts, 40 % of the authors for calibration
    three corpora    sentences at random, every pair of ten lengths of Q and K (500 to 9,500 tokens), or of five (100 to
                     500), half of the authors for calibration
    all              one same-author and one different-author problem per author, five runs, N = 10, r = 30

A corpus whose authors have text enough for the longest pair is drawn by length, as Avocado and Twitter were; one of
messages too short to be a Q is drawn by the short lengths, as Bolt was; every other one, and every ready-made set of
problems, is compared by whole texts. Where the paper is silent the study's own defaults hold: the reference is that of
the other case authors, known texts only, and Q meets another author's K.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from idiograph.arithmetic import quantile
from idiograph.errors import InputError, StudyError
from idiograph.files import as_path
from idiograph.studies.corpora import n_words
from idiograph.studies.drawing import Condition
from idiograph.studies.material import TextRole, role_of
from idiograph.studies.settings import CALIBRATION, PRESETS, CorpusSettings, Preset, Study, published_table3
from idiograph.texts.masking.corpus_file import is_masked_corpus
from idiograph.texts.reading.file_kinds import is_table, kind_of
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.read import read
from idiograph.texts.reading.report import looks_masked
from idiograph.texts.text import MaskedText, Text
from idiograph.toml import relative

METHODS = ("logistic_glm", "square_root", "hapax", "logistic")  # the paper's, in its order; then the guarded fit
BASELINE = "logistic_glm"  # R's glm, by which the paper's logistic regression was fitted
RUNS = 5
SHARE_WHOLE, SHARE_LENGTHS = CALIBRATION, 0.5
FEWEST_AUTHORS = 20
"""Authors with text enough for the longest pair of a grid, below which a corpus is compared by whole texts; the paper's
grids have 40, 46 and 60."""
_SHORTEST_Q = 100  # words: the least of the paper's lengths
_NOBODY = ("anon", "anonymous", "unknown", "n.n.")  # names that several people share


@dataclass(frozen=True)
class _Look:
    """A corpus of the folder: its settings, and the preset of its lengths (None: whole texts)."""

    settings: CorpusSettings
    lengths: Preset | None


def paper_study(folder: Path | str, out: Path | str) -> tuple[Study, tuple[str, ...]]:
    """The paper's protocol on the corpora in `folder`, as a study whose results go into `out`; what is said of it.

    There is a sentence for each entry of the folder: how it is taken, or why it is not.
    """
    folder = as_path(folder, "The folder of corpora")
    out = as_path(out, "The folder of the results")
    if not folder.is_dir():
        raise StudyError(f"{folder} is not a folder. Name one in which every file or folder is a corpus.")
    corpora: list[_Look] = []
    words: list[str] = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if not path.is_dir() and not is_table(kind_of(path.name)) and not is_masked_corpus(path):
            words.append(f"{path.name} is skipped: a corpus is a folder of texts, or a table such as .jsonl or .csv.")
            continue
        corpus = _look_at(path, out)
        corpora.append(corpus)
        words.append(_in_words(corpus))
    if not corpora:
        raise StudyError(f"{folder} holds no corpus. Put a folder of texts, or a .jsonl or .csv table, there for each.")
    study = Study(
        name=out.resolve().name,
        runs=RUNS,
        corpora=tuple(corpus.settings for corpus in corpora),
        conditions=tuple(_conditions(corpora)),
        methods=METHODS,
        baseline=BASELINE,
        resamples=0,
        folder=out,
    )
    return study, tuple(words)


def _conditions(corpora: Sequence[_Look]) -> Iterator[tuple[Condition, tuple[str, ...]]]:
    """Whole texts, then the grids, each with the corpora it is for."""
    for preset in (None, *PRESETS):
        names = tuple(corpus.settings.name for corpus in corpora if corpus.lengths == preset)
        if names and preset is None:
            yield Condition(drawing="whole"), names
        elif names and preset is not None:
            for q, k in product(PRESETS[preset], repeat=2):
                yield Condition(drawing="random", q_tokens=q, k_tokens=k), names


def _in_words(look: _Look) -> str:
    corpus = look.settings
    how = {None: "whole texts", "paper-long": "lengths of 500 to 9,500", "paper-short": "lengths of 100 to 500"}
    parts = [how[look.lengths], f"{corpus.calibration or 0:.0%} of the authors for calibration"]
    parts += ["a set of problems"] if corpus.kind == "problems" else []
    parts += ["masked already"] if corpus.masking == "masked" else []
    parts += ["roles of texts put aside"] if not corpus.roles else []
    parts += [f"without {', '.join(corpus.exclude_authors)}"] if corpus.exclude_authors else []
    parts += [f"beside the paper's {corpus.paper}"] if corpus.paper else []
    return f"{corpus.name}: {', '.join(parts)}."


def _look_at(path: Path, out: Path) -> _Look:
    """A corpus as the protocol takes it, by what its texts show."""
    name = path.name if path.is_dir() else path.name.split(".")[0]
    # It has this name in the paper, but for case, marks and a remark that it is masked.
    letters = _letters(name).removesuffix("masked")
    paper = next((corpus for corpus in published_table3() if _letters(corpus) == letters), None)
    plain = CorpusSettings(name=name, path=relative(path, out), paper=paper, calibration=SHARE_WHOLE)
    try:
        texts: Sequence[Text | MaskedText] = read(path).texts
    except InputError as error:
        return _look_otherwise(path, plain, error)
    masked = [text for text in texts if isinstance(text, Text) and looks_masked(text.content)]
    if 2 * len(masked) > len(texts):
        in_lines = sum("\n" in text.content for text in masked)
        marks = ReadingOptions(sentences="lines" if 2 * in_lines > len(masked) else "marks")
        plain = replace(plain, masking="masked", options=marks)
    return _by_texts(plain, texts)


def _look_otherwise(path: Path, plain: CorpusSettings, error: InputError) -> _Look:
    """A corpus that is not texts: masked ones, or a set of problems."""
    with suppress(InputError):
        return _by_texts(replace(plain, masking="masked"), read(path, kind="masked").texts)
    try:
        read(path, kind="problems")
    except InputError:
        raise StudyError(
            f"{path} can be read neither as texts, nor as masked texts, nor as problems: {error} Take it out of the "
            "folder, or write a study file that says how it is read."
        ) from error
    return _Look(replace(plain, kind="problems"), None)


def _by_texts(plain: CorpusSettings, texts: Sequence[Text | MaskedText]) -> _Look:
    by: dict[str, list[Text | MaskedText]] = {}
    for text in texts:
        if text.author is not None:
            by.setdefault(text.author, []).append(text)
    if not by:
        raise StudyError(
            f"No text of {plain.name} has an author, so no answer is known. Take it out of the folder, or write a "
            "study file that says where authors are named."
        )
    nobody = tuple(author for author in sorted(by) if author.casefold() in _NOBODY)
    by = {author: author_texts for author, author_texts in by.items() if author not in nobody}
    in_roles = [_sides(author_texts) for author_texts in by.values()]
    roles = 2 * sum(all(sides) for sides in in_roles) > len(by) or not any(any(sides) for sides in in_roles)
    settings = replace(plain, exclude_authors=nobody, roles=roles)
    lengths = _lengths(list(by.values()), by_roles=roles and any(all(sides) for sides in in_roles))
    return _Look(settings if lengths is None else replace(settings, calibration=SHARE_LENGTHS), lengths)


def _lengths(authors: Sequence[Sequence[Text | MaskedText]], *, by_roles: bool) -> Preset | None:
    """The preset of lengths that suits a corpus; None where whole texts do."""
    every = quantile([n_words(text) for texts in authors for text in texts], 0.5)
    for preset in PRESETS:
        longest = max(PRESETS[preset])
        enough = sum(
            all(side > longest for side in _sides(texts))
            if by_roles
            else sum(map(n_words, texts)) > 2.1 * longest and len(texts) > 1
            for texts in authors
        )
        if enough >= FEWEST_AUTHORS and (preset == "paper-long" or every < _SHORTEST_Q):
            return preset
    return None


def _sides(texts: Sequence[Text | MaskedText]) -> tuple[int, int]:
    """The words of an author's texts that are marked as questioned, and as known."""
    words: dict[TextRole | None, int] = {}
    for text in texts:
        role = role_of(text.metadata)
        words[role] = words.get(role, 0) + n_words(text)
    return words.get("unknown", 0), words.get("known", 0)


def _letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())

"""A reference of another kind: the rule that finds it, learnt from the stored trials on topic, and tried.

python docs/validation/foreign.py --run  scores cases of one open corpus by references of another: foreign.parquet
python docs/validation/foreign.py        learns src/idiograph/evidence/kinds.json anew, and writes tables/foreign.csv
"""

import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.validation import stored
from docs.validation.topic import AWAY, HERE, LEARNT, MAIN, Floats, Judged, Names

from idiograph import (
    Condition,
    Corpus,
    CorpusSettings,
    Index,
    MaskedText,
    Problem,
    Text,
    mask,
    read,
    read_study,
    score_many,
)
from idiograph.arithmetic import mean
from idiograph.evidence.closeness import ContentWords
from idiograph.evidence.cosine import part_n_grams
from idiograph.evidence.kinds import FILE, LIMITED, REFUSED, Rule
from idiograph.evidence.matching import TEN, THREE
from idiograph.evidence.matrix import matrix_of, score_pairs
from idiograph.evidence.normalised import away_from_reference, normalise_draws
from idiograph.files import write_whole
from idiograph.output.study_tables import StudyTable, Value, markdown, save_table
from idiograph.provenance import digest
from idiograph.records import record_text
from idiograph.studies.drawing import draw_q_and_k
from idiograph.studies.material import Material, author_rng
from idiograph.texts.masking.rules import content_words
from idiograph.texts.problem import problem_seed

SHIPPED = HERE.parents[1] / "src" / "idiograph" / "evidence" / FILE
TRIALS = HERE / "foreign.parquet"
# Cases of one corpus by a reference of another.
KINDS = (
    ("c50_reuters", "tripadvisor"),
    ("tripadvisor", "ubuntu_irc"),
    ("tripadvisor", "novels100"),
    ("ubuntu_irc", "c50_reuters"),
    ("novels100", "c50_reuters"),
)
N_CASE, N_REFERENCE = 16, 26
Q_TOKENS, K_TOKENS = 500, 2_000
SEED = 1
_MOST_TOKENS = 16_000  # of an author
_CUT = 4.0  # z beyond is taken for this where the covariance is learnt: a few strange trials would rule it


def run() -> None:
    """Scores every case author's Q with every case author's K, by authors of the other corpus alone."""
    study = read_study(HERE / f"{MAIN}.toml")
    columns: dict[str, list[object]] = {}
    for of_case, of_reference in KINDS:
        rows = _trials(study.folder, study.corpus(of_case), study.corpus(of_reference))
        for row in rows:
            for name, value in row.items():
                columns.setdefault(name, []).append(value)
        print(of_case, "by", of_reference, "done", flush=True)
    table = pa.table(
        {
            name: stored.kept_decimals(np.array(values, np.float64)) if isinstance(values[0], float) else values
            for name, values in columns.items()
        }
    )
    stored.write_table(TRIALS, table)


def _trials(folder: Path, of_case: CorpusSettings, of_reference: CorpusSettings) -> Iterator[dict[str, object]]:
    condition = Condition.like(Q_TOKENS, K_TOKENS)
    texts, words = [], {}
    for settings in (of_case, of_reference):
        for text, content in _masked(folder, settings):
            texts.append(text)
            words[text.id] = content
    material = Material.of(Index(Corpus(tuple(texts))), texts, roles=False)
    index = material.index
    topics = ContentWords.of(sentence for id_ in index.text_ids for sentence in words[id_])
    sides = {}
    for settings, wanted in ((of_reference, N_REFERENCE), (of_case, N_CASE)):
        of_settings = condition if settings.name != "novels100" else replace(condition, across="work")
        authors = [author for author in material.texts_by if author.startswith(f"{settings.name}/")]
        authors.sort(key=lambda author: (author_rng(SEED, "foreign", author).random(), author))
        drawn = (
            draw_q_and_k(material, author, material.texts_by[author], of_settings, seed=SEED) for author in authors
        )
        sides[settings.name] = [sample for sample in drawn if sample is not None][:wanted]
    samples = [*sides[of_reference.name], *sides[of_case.name]]
    n = len(sides[of_reference.name])
    qs, ks = [index.take(sample.q) for sample in samples], [index.take(sample.k) for sample in samples]
    everybody = sorted({author for author in material.texts_by if author.startswith(f"{of_reference.name}/")})

    def problem(b: int, a: int) -> Problem:
        out = {samples[b].author, samples[a].author}
        reference = index.by(*(author for author in everybody if author not in out))
        return Problem(q=qs[b], k=ks[a], reference=reference, id=f"{samples[a].author}/{samples[b].author}")

    def score(problems: list[Problem]):  # type: ignore[no-untyped-def]
        return score_many(index, problems, seeds=[problem_seed(SEED, asked.id) for asked in problems], workers=1)

    cells = [(b, a) for b in range(len(samples)) for a in range(len(samples))]
    scores = score_pairs(((cell, problem(*cell)) for cell in cells), score)
    matrix = matrix_of(
        part_n_grams([*qs, *ks]),
        scores,
        q_authors=range(len(samples)),
        reference=range(n),
        content=topics.counts([side.sentence_numbers for side in (*qs, *ks)]),
    )
    trials = [(b, a) for b, a in cells if min(b, a) >= n]
    away = away_from_reference(matrix, trials)
    by_method = {
        controlled: normalise_draws([matrix], trials=trials, k_tokens=K_TOKENS, controlled=controlled)[1][0]
        for controlled in (False, True)
    }
    for number, (b, a) in enumerate(trials):
        yield {
            "corpus": of_case.name,
            "reference": of_reference.name,
            "q_author": samples[b].author.partition("/")[2],
            "k_author": samples[a].author.partition("/")[2],
            "same_author": a == b,
            **dict(zip(AWAY, map(float, away[number]), strict=True)),
            "llr_normalised": by_method[False][number].llr.nats,
            "llr_controlled": by_method[True][number].llr.nats,
        }


def _masked(folder: Path, settings: CorpusSettings) -> Iterator[tuple[MaskedText, Sequence[Sequence[str]]]]:
    """Texts of a corpus under names of its own, masked, each author's up to some length; and their content words."""
    kept: list[Text] = []
    so_far: dict[str | None, int] = {}
    texts = [text for text in read(folder / settings.path, settings.options).texts if text.author is not None]
    for text in sorted(texts, key=lambda text: (zlib.crc32(text.id.encode()), text.id)):
        if text.author not in settings.exclude_authors and so_far.get(text.author, 0) < _MOST_TOKENS:
            so_far[text.author] = so_far.get(text.author, 0) + len(text.content.split())
            author = f"{settings.name}/{text.author}"
            kept.append(replace(text, id=f"{settings.name}/{text.id}", author=author))
    contents = {text.id: text.content for text in kept}
    for masked in mask(Corpus(tuple(kept)), clean=settings.options.cleans):
        yield masked, content_words(masked, contents[masked.id])


def rules() -> Iterator[Rule]:
    """What is usual, for each number of reference authors, with and without closeness in topic."""
    for name, (n_authors, _) in sorted(LEARNT.items(), key=lambda item: item[1]):
        yield from learnt(name, n_authors)


@cache
def honest(name: str) -> tuple[Floats, Names]:
    """z of the same-author trials drawn at random by references drawn at random, and their corpora.

    Only of trials whose reference had about as many authors as the study is for: the fewer authors there are, the
    farther honest cases lie from them (drexel1 has twelve authors, so it speaks for ten and not for 24).
    """
    judged = Judged(stored.load(name))
    honest = judged.trials.same & (judged.draws == "random") & (judged.reference == "random")
    honest &= _rule_of_reference(name) == LEARNT[name][0]
    z = np.stack([judged.trials.column(column).astype(np.float64)[honest] for column in AWAY], axis=1)
    return z, judged.corpora[honest]


def _rule_of_reference(name: str) -> npt.NDArray[np.int64]:
    """For how many authors the rule is that each trial's own reference would go by."""
    trials, most = stored.load(name), LEARNT[name][0]
    where = list(zip(*(trials.column(column) for column in ("corpus", "condition")), strict=True))
    authors: dict[object, set[str]] = {}
    folds, names = trials.column("fold").tolist(), trials.column("k_author")
    for position in np.flatnonzero(trials.case):  # impostors come from other folds
        cell, fold, author = where[position], folds[position], names[position]
        authors.setdefault(cell, set()).add(author)
        authors.setdefault((cell, fold), set()).add(author)
    numbers = [n for n, _ in LEARNT.values()]
    nearest = []
    for cell, fold in zip(where, folds, strict=True):
        size = min(most, len(authors[cell]) - len(authors[cell, fold]))
        nearest.append(min(numbers, key=lambda n, size=size: max(n, size) / min(n, size)))  # type: ignore[misc]
    return np.array(nearest)


def learnt(name: str, n_authors: int, *, without: str | None = None) -> Iterator[Rule]:
    """The rules of one study's trials, of all corpora or of all but one, which weigh the same."""
    z, corpora = honest(name)
    names = [corpus for corpus in sorted(set(corpora)) if corpus != without]
    covariances = [np.cov(np.clip(z[corpora == corpus], -_CUT, _CUT), rowvar=False) for corpus in names]
    covariance = np.asarray(np.mean(np.stack(covariances), axis=0), dtype=np.float64).round(3)
    weights = np.zeros(len(z))
    for corpus in names:
        weights[corpora == corpus] = 1 / (corpora == corpus).sum()
    for n in (len(AWAY), len(AWAY) - 2):
        part = covariance[:n, :n]
        distances = np.einsum("ij,ij->i", z[:, :n], np.linalg.solve(part, z[:, :n].T).T)
        order = np.argsort(-distances, kind="stable")
        passed = np.cumsum(weights[order]) / weights.sum()
        limits = [round(float(distances[order][np.searchsorted(passed, share)]), 1) for share in (LIMITED, REFUSED)]
        yield Rule(n_authors, tuple(map(tuple, part.tolist())), *limits)


def kinds_text() -> str:
    """The content of kinds.json."""
    digests = [f"{name}.parquet ({digest((HERE / f'{name}.parquet').read_bytes())[:16]})" for name in LEARNT]
    source = (
        "Learnt by docs/validation/foreign.py from same-author trials of open English corpora (corpora weighing the "
        f"same), drawn at random by references drawn at random: {', '.join(digests)}. {LIMITED:.0%} of these trials "
        f"lie beyond the lower limit, {REFUSED:.0%} beyond the higher one."
    )
    return record_text({"schema": 1, "source": source, "rules": [asdict(rule) for rule in rules()]})


def honest_hits(name: str) -> dict[str, tuple[int, float, float]]:
    """By corpus: honest trials, and the shares beyond each limit of the rule that is learnt without it."""
    z, corpora = honest(name)
    hits = {}
    for corpus in sorted(set(corpora)):
        rule = next(learnt(name, LEARNT[name][0], without=corpus))
        distances = np.array([rule.distance(row) for row in z[corpora == corpus].tolist()])
        limited, refused = (float(np.mean(distances > limit)) for limit in (rule.limited, rule.refused))
        hits[corpus] = len(distances), limited, refused
    return hits


def refused_share() -> float:
    """The share of true cases with a reference of another kind beyond the higher limit, kinds weighing the same."""
    shares = [row[3] for row in foreign_table().rows[: len(KINDS)]]
    return mean([share for share in shares if isinstance(share, float)])


@cache
def foreign_table() -> StudyTable:
    """Who is hit: cases with a reference of another kind, and honest ones."""
    rows: list[tuple[Value, ...]] = []
    table = pq.read_table(TRIALS)
    column = {name: table.column(name).to_numpy(zero_copy_only=False) for name in table.column_names}
    z = np.stack([column[name].astype(np.float64) for name in AWAY], axis=1)
    for of_case, of_reference in KINDS:
        here = (column["corpus"] == of_case) & (column["reference"] == of_reference)
        rule = next(learnt(MAIN, LEARNT[MAIN][0], without=of_case))
        same, nats = column["same_author"].astype(bool), column["llr_controlled"]
        distances = np.array([rule.distance(row) for row in z.tolist()])
        left = here & (distances <= rule.refused)
        rows.append(
            (f"{of_case} by {of_reference}", int((here & same).sum()),
             *(float(np.mean(distances[here & same] > limit)) for limit in (rule.limited, rule.refused)),
             float(np.mean(distances[here & ~same] > rule.refused)),
             float(np.mean(nats[here & ~same] > THREE)), float(np.mean(nats[here & ~same] > TEN)),
             float(np.mean(nats[here & same] < -THREE)),
             float(np.mean(nats[left & ~same] > THREE)) if (left & ~same).any() else None)
        )  # fmt: skip
    for name, (n_authors, _) in sorted(LEARNT.items(), key=lambda item: item[1]):
        hits = honest_hits(name)
        n = sum(n for n, _, _ in hits.values())
        limited, refused = (mean([hit[number] for hit in hits.values()]) for number in (1, 2))
        rows.append((f"honest, about {n_authors} reference authors", n, limited, refused, *[None] * 5))
        worst = max(hits, key=lambda corpus: hits[corpus][2])
        rows.append((f"of these {worst}, hit most", *hits[worst], *[None] * 5))
    header = ("cases", "true trials", "beyond the lower limit", "the higher", "wrong trials beyond it", "wrong LR > 3",
              "wrong LR > 10", "true LR < 1/3", "wrong LR > 3 of those left")  # fmt: skip
    caption = (
        "References of another kind, topic-controlled LR, Q/K 500/2,000; and honest cases of all lengths. The rule is "
        "learnt without the corpus of the case; the LRs go by the constants that ship."
    )
    return StudyTable("foreign", caption, header, ("", ",", *[".1%"] * 7), tuple(rows))


def section() -> Iterator[str]:
    """The section of the published validation."""
    yield (
        "Honest cases pay for the limits of D² ([what it is](../casework.md#validation)): they are set so that "
        f"{100 * LIMITED:.0f} and {100 * REFUSED:.0f} % of honest trials of the corpora they are learnt on lie beyond, "
        f"and on a corpus that had no part in them it is {_price()}."
    )
    yield markdown(foreign_table()).strip()


def _price() -> str:
    """The shares of honest trials beyond both limits with about 24 authors, in words."""
    hits = honest_hits(MAIN).values()
    limited, refused = (mean([hit[number] for hit in hits]) for number in (1, 2))
    return f"{100 * limited:.1f} and {100 * refused:.1f} % with about {LEARNT[MAIN][0]} reference authors"


def build() -> None:
    """Writes the table, and what ships."""
    if SHIPPED.parent.is_dir():  # not where the documentation stands alone
        write_whole(SHIPPED, kinds_text())
    save_table(foreign_table(), HERE / "tables", endings=("csv",))


def main() -> None:
    """The command line of this file."""
    if sys.argv[1:] == ["--run"]:
        run()
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        build()
        print(markdown(foreign_table()))


if __name__ == "__main__":
    main()

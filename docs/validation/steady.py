"""The table of score A (`idiograph.evidence.steady`), learnt on the open corpora.

python docs/validation/steady.py     learns src/idiograph/evidence/steady.json anew; reads ../shared/corpora

Each author's texts are cut into pieces of 500 tokens: a text that is longer gives pieces of its own, shorter ones are
joined. In the table are the n-grams that more than 2 % of the pieces hold in all corpora but at most one, the commonest
first. Within each corpus W is the pooled variance of x within authors and B that of the authors' means, less what W
adds to it; both are means over corpora, and 1/2,000 of W is what 500 tokens vary by chance.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from idiograph import read_study
from idiograph.evidence.steady import FILE, NGramTable, n_grams_of
from idiograph.files import write_whole
from idiograph.provenance import digest
from idiograph.records import record_line
from idiograph.studies.corpora import find_source, open_corpus
from idiograph.studies.material import Material
from idiograph.texts.text import Sentence

HERE = Path(__file__).resolve().parent
TABLE = HERE.parents[1] / "src" / "idiograph" / "evidence" / FILE
CORPORA = ("drexel1", "c50_reuters", "tripadvisor", "novels100", "ubuntu_irc", "enron")  # as matrix.toml reads them
SIZE = 300
PIECE, MOST_PIECES, FEWEST_PIECES = 500, 18, 3
SHARE = 0.02  # of a corpus's pieces that hold an n-gram of the table
_CHANCE, _LEAST = 1 / 2_000, 1e-7
Pieces = dict[str, list[Counter[Sentence]]]  # by author


def pieces(material: Material) -> Pieces:
    """The n-grams of each author's pieces; authors with fewer than three are left out."""
    by_author = {
        author: [
            Counter(ngram for sentence in piece for ngram in n_grams_of(sentence)) for piece in _cut(material, texts)
        ]
        for author, texts in material.texts_by.items()
    }
    return {author: counts for author, counts in by_author.items() if len(counts) >= FEWEST_PIECES}


def _cut(material: Material, texts: np.ndarray) -> Iterator[list[Sentence]]:
    """Runs of sentences up to the one that passes 500 tokens; a rest that is shorter is not used."""
    index, n = material.index, 0
    waiting: list[Sentence] = []
    for text in texts.tolist():
        sentences = index.take(np.arange(material.starts[text], material.starts[text + 1])).sentences
        joins = sum(map(len, sentences)) < PIECE
        run = waiting if joins else []
        for sentence in sentences:
            run.append(sentence)
            if sum(map(len, run)) >= PIECE:
                yield list(run)
                run.clear()
                n += 1
                if n == MOST_PIECES:
                    return


def learn(by_corpus: Mapping[str, Pieces], *, source: str = "", size: int = SIZE) -> NGramTable:
    """The table of these corpora, which weigh the same."""
    shares: list[Counter[Sentence]] = []
    for by_author in by_corpus.values():
        every = [piece for of_author in by_author.values() for piece in of_author]
        n_holding = Counter(ngram for piece in every for ngram in piece)
        shares.append(Counter({ngram: n / len(every) for ngram, n in n_holding.items()}))
    often = Counter(ngram for share in shares for ngram, part in share.items() if part > SHARE)
    able = [ngram for ngram, n in often.items() if n >= len(shares) - 1]
    mean_share = {ngram: sum(share[ngram] for share in shares) / len(shares) for ngram in able}
    ngrams = sorted(able, key=lambda ngram: (-mean_share[ngram], ngram))[:size]
    variances = np.array([_variances(by_author, ngrams) for by_author in by_corpus.values()])
    within, between = variances.mean(axis=0)
    return NGramTable(
        tuple(ngrams), np.maximum(between, _LEAST), np.maximum(within - _CHANCE, _LEAST), source, "0" * 64
    )


def _variances(by_author: Pieces, ngrams: Sequence[Sentence]) -> tuple[np.ndarray, np.ndarray]:
    """W and B of a corpus."""
    means, squares, freedom, inverse = [], np.zeros(len(ngrams)), 0, []
    for of_author in by_author.values():
        counts = np.array([[piece[ngram] for ngram in ngrams] for piece in of_author], np.float64)
        # Tokens are what is no start: unigrams less the ends of sentences.
        tokens = [sum(n for ngram, n in piece.items() if len(ngram) == 1 and ngram != ("</s>",)) for piece in of_author]
        x = np.sqrt(counts / np.array(tokens, np.float64)[:, None])
        means.append(x.mean(axis=0))
        squares += ((x - x.mean(axis=0)) ** 2).sum(axis=0)
        freedom += len(x) - 1
        inverse.append(1 / len(x))
    within = squares / freedom
    return within, np.array(means).var(axis=0, ddof=1) - within * float(np.mean(inverse))


def read_pieces(names: Sequence[str] = CORPORA) -> dict[str, Pieces]:
    """The pieces of the open corpora."""
    study = read_study(HERE / "matrix.toml")
    settings = {corpus.name: corpus for corpus in study.corpora}
    return {name: pieces(open_corpus(study, find_source(study, settings[name])).material) for name in names}


def table_text(by_corpus: Mapping[str, Pieces]) -> str:
    """The content of steady.json, an n-gram a line."""
    table = learn(by_corpus)
    sizes = "; ".join(
        f"{name} {len(by_author)} authors, {sum(map(len, by_author.values()))} pieces"
        for name, by_author in by_corpus.items()
    )
    names = [" ".join(ngram) for ngram in table.ngrams]
    source = (
        f"Learnt by docs/validation/steady.py from pieces of {PIECE} tokens of open English corpora, which weigh the "
        f"same: {sizes}. Columns: n-gram of masked tokens, B (variance between authors), w (variance within one). "
        f"Digest of the n-grams: {digest(chr(10).join(names))[:16]}."
    )
    rows = [
        record_line([name, float(f"{between:.3e}"), float(f"{within:.3e}")])
        for name, between, within in zip(names, table.between.tolist(), table.within.tolist(), strict=True)
    ]
    return (
        '{"schema": 1,\n"source": '
        + record_line(source).strip()
        + ',\n"ngrams": [\n'
        + ",\n".join(row.strip() for row in rows)
        + "\n]}\n"
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    write_whole(TABLE, table_text(read_pieces()))

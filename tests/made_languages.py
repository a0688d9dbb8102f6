"""Cases in other languages, word for word from the made-up ones: they test the plumbing and are nobody's style."""

from pathlib import Path

from made_texts import WORDS, authors, sentences

_GERMAN = (
    "die ein von und zu in dass es ist war für auf mit als an durch aber nicht oder dieses welche aus sie wir du er "
    "ihr dort wenn wann würde könnte so was dann jetzt nur sehr allzu auch weil über nach vor während noch sogar "
    "gerade Haus kommt schöne Berlin sieben gern"
)
_FRENCH = (
    "le un de et à dans que il est était pour sur avec comme chez par mais pas ou ce qui depuis ils nous vous elle on "
    "là si quand serait pourrait tellement quoi alors maintenant seulement très trop aussi car selon après avant "
    "pendant encore même juste maison mange belle Paris sept vite"
)
TABLES = {
    "de": dict(zip(WORDS, _GERMAN.split(), strict=True)),
    "fr": dict(zip(WORDS, _FRENCH.split(), strict=True)),
}


def foreign(language: str, author: str, *, tokens: int, seed: int) -> str:
    """A text of an author as it would be written: capitals, full stops, a blank between words."""
    table = TABLES[language]
    translated = ([table[word] for word in sentence[:-1]] for sentence in sentences(author, tokens=tokens, seed=seed))
    return " ".join(" ".join([words[0].capitalize(), *words[1:]]) + "." for words in translated)


def write_foreign_case(folder: Path, language: str, *, n_authors: int = 10, tokens: int = 250) -> Path:
    """q.txt, known/ and reference/ of a case in a language; the candidate wrote Q."""

    def write(path: Path, author: str, seed: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(foreign(language, author, tokens=tokens, seed=seed), encoding="utf-8")

    write(folder / "q.txt", "lee", 9)
    for number in (1, 2):
        write(folder / "known" / f"{number}.txt", "lee", number)
    for author in authors(n_authors):
        for number in range(4):
            write(folder / "reference" / author / f"{number}.txt", author, number)
    return folder

"""Writes the cases that `idiograph selftest` computes, with the results it compares them with.

    python -m benchmarks.selftest_cases

To be run again whenever a number of a case moves on purpose; CHANGELOG.md says then what moved, and why. The texts are
made up here: letters of people who live by a harbour, each with habits of speech and a few subjects.
"""

import random
import tempfile
from pathlib import Path

from idiograph import Verification, verify
from idiograph.laboratory.selftest import STORED, StoredCase, stored_result, written_case
from idiograph.records import record_line

_SUBJECTS = (
    ("boat", "harbour", "rope", "tide", "sail", "paint", "mend", "anchor"),
    ("garden", "fence", "apple", "spade", "plant", "frost", "water", "hedge"),
    ("kitchen", "bread", "oven", "flour", "bake", "kettle", "wash", "table"),
    ("school", "lesson", "pupil", "letter", "teach", "window", "learn", "desk"),
    ("road", "cart", "bridge", "stone", "drive", "wheel", "cross", "village"),
)
_OPENINGS = ("", "Well, ", "Of course, ", "As far as I can tell, ", "To be honest, ", "In the end, ", "After all, ",
             "Now and then ", "If you ask me, ", "Then again, ", "Yesterday ", "Sooner or later ")  # fmt: skip
_SUBJECT = ("I", "we", "my brother", "the old man", "nobody", "everyone here", "your cousin", "they", "he", "she")
_MODALS = ("will have to", "could not", "did not want to", "was going to", "ought to", "used to", "may well", "had to",
           "would rather", "never meant to")  # fmt: skip
_LINKS = ("because", "although", "while", "since", "so that", "even if", "as soon as", "unless", "and", "but")
_ADVERBS = ("again", "slowly", "at once", "quite often", "all the same", "only just", "still", "perhaps", "rather",
            "with some luck")  # fmt: skip
_PLACES = ("by the {}", "near the {}", "with a {}", "without any {}", "from the other {}", "under the {}",
           "for the sake of the {}", "behind that {}", "next to our {}", "in front of the {}")  # fmt: skip
_CLOSINGS = (".", ".", ".", "!", ", or so I am told.", ", you know.", "; that is all.", ", I think.", ".", "?")
_NOUNS, _VERBS = (0, 1, 2, 3, 5, 7), (4, 6)


class _Writer:
    """Somebody with preferences: of every list some choices far more often than others."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.weights: dict[tuple[str, ...], list[float]] = {}

    def choose(self, choices: tuple[str, ...], rng: random.Random) -> str:
        if choices not in self.weights:
            preferences = random.Random(f"{self.name}/{choices[-1]}")
            self.weights[choices] = [0.25 + preferences.random() ** 3 * 4 for _ in choices]
        return rng.choices(choices, self.weights[choices])[0]

    def sentence(self, subject: tuple[str, ...], rng: random.Random) -> str:
        def noun() -> str:
            return subject[rng.choice(_NOUNS)]

        def clause() -> str:
            who, verb = self.choose(_SUBJECT, rng), subject[rng.choice(_VERBS)]
            what = f"{rng.choice(('the', 'a', 'that', 'my', 'every'))} {noun()}"
            where = self.choose(_PLACES, rng).format(noun()) if rng.random() < 0.6 else self.choose(_ADVERBS, rng)
            return f"{who} {self.choose(_MODALS, rng)} {verb} {what} {where}"

        whole = self.choose(_OPENINGS, rng) + clause()
        if rng.random() < 0.6:
            whole += f" {self.choose(_LINKS, rng)} {clause()}"
        return whole[0].upper() + whole[1:] + self.choose(_CLOSINGS, rng)

    def text(self, subject: int, seed: str, words: int) -> str:
        rng = random.Random(f"{self.name}/{seed}")
        sentences: list[str] = []
        while sum(len(sentence.split()) for sentence in sentences) < words:
            sentences.append(self.sentence(_SUBJECTS[subject % len(_SUBJECTS)], rng))
        return " ".join(sentences) + "\n"


_LISTED = (
    "the a of and to in that it is was for on with as at by but not or this which from they we you he she there if "
    "when would could so what then now only very too also because about after before while still even just N V J P D B"
)
_MASKED = _LISTED.split()


def _masked_text(name: str, seed: str, tokens: int) -> str:
    rng, habits = random.Random(f"{name}/{seed}"), random.Random(name)
    follows = {token: [0.2 + habits.random() ** 8 * 30 for _ in _MASKED] for token in _MASKED}
    lines: list[str] = []
    while sum(len(line.split()) for line in lines) < tokens:
        line = [rng.choice(_MASKED)]
        for _ in range(rng.randint(5, 15)):
            line += rng.choices(_MASKED, follows[line[-1]])
        lines.append(" ".join([*line, "."]))
    return "\n".join(lines) + "\n"


def _unmasked() -> StoredCase:
    lee = _Writer("Lee")
    texts = {"q.txt": lee.text(0, "q", 190)}
    texts |= {f"known/{n}.txt": lee.text(n, f"k{n}", 190) for n in range(2)}
    for author in range(9):
        writer = _Writer(f"author{author}")
        texts |= {f"reference/{writer.name}/{n}.txt": writer.text(author + n, str(n), 200) for n in range(3)}
    return StoredCase("unmasked", {"repetitions": 10}, texts, {}, {})


def _masked() -> StoredCase:
    texts = {"q.txt": _masked_text("Lee", "q", 150)}
    texts |= {f"known/{n}.txt": _masked_text("Lee", f"k{n}", 150) for n in range(2)}
    for author in range(7):
        name = f"author{author}"
        texts |= {f"reference/{name}/{n}.txt": _masked_text(name, str(n), 180) for n in range(3)}
    return StoredCase("masked", {"masking": "masked", "primary": "hapax", "repetitions": 5}, texts, {}, {})


def _with_result(case: StoredCase) -> tuple[StoredCase, Verification]:
    with tempfile.TemporaryDirectory() as folder:
        done = verify(written_case(case, Path(folder)), workers=1, cache=False)
    tokens = {text.id: text.masked_sha256 for text in done.texts}
    return StoredCase(case.name, case.settings, case.texts, tokens, stored_result(done)), done


def main() -> None:
    cases = []
    for blank in (_unmasked(), _masked()):
        case, done = _with_result(blank)
        comparison = done.comparisons[0]
        print(case.name, comparison.wording.conclusion, comparison.refusal)
        cases.append({"name": case.name, "settings": case.settings, "texts": case.texts, "tokens": case.tokens,
                      "result": case.result})  # fmt: skip
    path = Path(__file__).resolve().parents[1] / "src" / "idiograph" / "laboratory" / STORED
    path.write_text("[\n" + ",\n".join(record_line(case, compact=True) for case in cases) + "\n]\n", encoding="utf-8")
    print(path, path.stat().st_size)


if __name__ == "__main__":
    main()

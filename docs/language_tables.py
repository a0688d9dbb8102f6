"""What there is for each language, as tables for the documentation."""

import runpy

from idiograph.casework.other_language import STUDIED
from idiograph.texts.language import ENGLISH, FEWEST_WORDS, LANGUAGES, NEEDED, language_name, rule_files, stop_words
from idiograph.texts.masking.models import PUBLISHED, TAGGERS


def languages_table() -> str:
    """Every language with its list, its tagger, whether texts can be checked to be in it, and what is validated."""
    rows = ["| code | language | masking `list` | tagger | language checked | validated |", "|---|---|---|---|---|---|"]
    taggers = {tagger.language: tagger for tagger in TAGGERS.values()}
    for code in sorted(LANGUAGES):
        n = len(stop_words(code))
        by_list = f"{n:,} words" if n else "your own word list"
        if code in NEEDED:
            by_list += f"; needs {NEEDED[code]}"
        tagger = f"`{taggers[code].model}`" if code in taggers else "a spaCy model of your own"
        checked = "yes" if n >= FEWEST_WORDS else "no: the list is too short" if n else "no: no list"
        validated = "[published study](validation/README.md)" if code == ENGLISH else "in each case alone"
        if code in STUDIED:
            validated += f"; [one study of {STUDIED[code]}](#list-against-tagger)"
        rows.append(f"| `{code}` | {language_name(code)} | {by_list} | {tagger} | {checked} | {validated} |")
    return "\n".join(rows) + "\n"


def taggers_table() -> str:
    """The taggers that packages bring whole: package, licence, digest, word list, and the command that installs it."""
    rows = [
        "| language | model | package | licence | weights (SHA-256) | word list of `posnoise` | installed by |",
        "|---|---|---|---|---|---|---|",
    ]
    for tagger in TAGGERS.values():
        words = f"POSNoise's, v{PUBLISHED[tagger.language][1]}" if tagger.language in PUBLISHED else "spaCy's"
        with_it = "`pip install .`" if tagger.language == ENGLISH else f"`{tagger.command}`"
        rows.append(
            f"| {language_name(tagger.language)} | `{tagger.model}` | `{tagger.package}` {tagger.version} | "
            f"{tagger.licence} | `{tagger.digest[:16]}…` | {words} | {with_it} |"
        )
    return "\n".join(rows) + "\n"


def example_sentences(language: str) -> tuple[str, ...]:
    """spaCy's own sentences that show a language; none where it has none."""
    path = rule_files(language)[0] / "examples.py"
    return tuple(runpy.run_path(str(path))["sentences"]) if path.is_file() else ()

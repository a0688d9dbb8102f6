"""What a case in another language than English may say: nothing without a validation of its own."""

import re
from collections.abc import Sequence
from dataclasses import replace

from idiograph.casework.case import Case
from idiograph.casework.findings import finding
from idiograph.casework.inputs import CaseTexts, Texts, kept_tokens, n_tokens
from idiograph.casework.sentences import percent
from idiograph.casework.verification import Comparison, Finding, Severity
from idiograph.errors import MaskingError, some
from idiograph.evidence.constants import ENGLISH_CORPORA, NONE, cost_in_words
from idiograph.evidence.methods import by_matrix
from idiograph.evidence.normalised import LEAST_TO_FIT, Normalisation
from idiograph.texts.language import ENGLISH, LanguageCheck, Verdict, check_language, language_name
from idiograph.texts.masking.models import published_list, usual_list
from idiograph.texts.text import MaskedText

STUDIED = {"de": "speeches", "fr": "novels", "zh": "poems"}
"""Languages of which docs/languages.md has a study, and of what texts."""


def language_findings(texts: CaseTexts) -> list[Finding]:
    """The texts that do not look like the language that the case states, and those that cannot be checked."""
    findings = []
    english = texts.language == ENGLISH
    for name, side in ((texts.label, texts.q), ("K", texts.k), ("the reference", texts.reference)):
        checks = texts.once(_checks, side)
        for verdict, severity in _SEVERITIES.items():
            ids = [id_ for id_, check in checks.items() if check.verdict == verdict]
            if ids and english:
                named = some([f"{id_} ({percent(checks[id_].share)} function words)" for id_ in ids])
                which = name if len(side) == 1 else f"{len(ids):,} of {name}'s {len(side):,} texts"
                values = {"foreign" if severity == "red" else "partly": named, "n": len(ids), "which": which}
                findings.append(finding("not-english", severity, ids, **values))
            elif ids:
                code = "language-unchecked" if verdict == "unchecked" else "other-language"
                looks = checks[ids[0]].sentence
                more = f" (and {len(ids) - 1} more of {len(checks)}: {some(ids[1:])})" if len(ids) > 1 else ""
                findings.append(finding(code, severity, ids, side=name, id=ids[0], looks=looks, more=more))
    return findings


_SEVERITIES: dict[Verdict, Severity] = {"other": "red", "in part": "amber", "unchecked": "note"}
_LETTERS = re.compile(r"[^\W\d_]+")


def _checks(texts: CaseTexts, side: Texts) -> dict[str, LanguageCheck]:
    english = published_list(ENGLISH).words if texts.language == ENGLISH else None
    return {text.id: _check(texts, text, english) for text in side}


def _check(texts: CaseTexts, text: MaskedText, english: frozenset[str] | None) -> LanguageCheck:
    if english is not None:
        return check_language(_LETTERS.findall(" ".join(texts.words(text))), ENGLISH, listed=english)
    original = texts.originals.get(text.id)
    return check_language(original.content if original is not None else texts.words(text), texts.language)


def listed_words(texts: CaseTexts) -> frozenset[str]:
    """The words that an odd spelling is not among: the list that the texts were masked with, else their language's."""
    if texts.listed is not None and texts.language != ENGLISH:
        return texts.listed
    try:
        return usual_list(texts.language, "posnoise").words
    except MaskingError:
        return frozenset()


def without_validation(language: str) -> str | None:
    """Why a case that was not validated reports nothing, to follow "because"; None in English, where it may."""
    if language == ENGLISH:
        return None
    return (
        f"the texts are in {language_name(language)}, where the method rests on nothing but the validation under the "
        "conditions of the case, and this quick run left it out"
    )


def by_english_alone(case: Case, normalisation: Normalisation | None) -> str | None:
    """Why the reference-normalised LR is not reported where the constants alone would make it; to follow "because"."""
    if case.language == ENGLISH or not by_matrix(case.primary) or normalisation is None:
        return None
    if normalisation.fitted is not None:
        return None
    return (
        f"the texts are in {language_name(case.language)} and only {normalisation.n_authors} reference authors could "
        f"take part, fewer than the {LEAST_TO_FIT} that a fit takes: constants learnt on English corpora would decide "
        "alone"
    )


def in_language(comparison: Comparison, language: str, constants: str = ENGLISH_CORPORA) -> Comparison:
    """The comparison; in another language than English with its limits, and without any LR where it was refused."""
    if language == ENGLISH:
        return comparison
    wording = comparison.wording
    limits = (*wording.limits, *_limits(language, constants))
    comparison = replace(comparison, wording=replace(wording, limits=limits))
    if comparison.reported is not None:
        rests_on = comparison.sensitivity
        unvalidated = f" Of the methods, the corrections are unvalidated in {language_name(language)}."
        marked = rests_on and replace(rests_on, sentence=rests_on.sentence + unvalidated)
        return replace(comparison, sensitivity=marked)
    return replace(
        comparison,
        llrs={},
        normalised=None,
        controlled=None,
        range=None,
        outside=(),
        as_strong=None,
        anchors=None,
        sensitivity=None,
    )


def _limits(language: str, constants: str) -> tuple[str, str]:
    """What the report must say about methods made for English."""
    name = language_name(language)
    studied = f"measured in one study of {STUDIED[language]} alone" if language in STUDIED else "not measured"
    return (
        f"The texts are in {name}. The corrections (Hapax, Square Root, Sentence) were made, and their unit was "
        f"found, on English texts: in {name} they are unvalidated, and how they do depends on how many words masking "
        "keeps.",
        f"{_CONSTANTS[constants]} On English corpora going without them gave a mean Cllr of {cost_in_words()}; what it "
        f"gives in {name} was {studied}. What speaks for the value is the validation of this case alone.",
    )


_CONSTANTS = {
    ENGLISH_CORPORA: "The constants towards which LRs measured by the reference are pulled were learnt on English "
    "corpora; the more reference authors there are, the less they weigh.",
    NONE: "LRs measured by the reference go without the constants, which were learnt on English corpora: their fit "
    "is pulled towards an LR of 1.",
}


def what_masking_removed(masking: str, language: str, sides: Sequence[tuple[str, Texts]]) -> str:
    """What masking replaced and, in another language than English, how much it left."""
    by = "one mark" if masking.startswith(("list", "textdistortion")) else "their parts of speech"
    removed = f"Masking ({masking}) removed what the texts are about: words outside its list were replaced by {by}."
    if language == ENGLISH:
        return removed
    shares = ((name, kept_tokens(texts), n_tokens(texts)) for name, texts in sides)
    kept = [f"{percent(count / n)} of the tokens of {name}" for name, count, n in shares if count is not None]
    return f"{removed} It left as they were: {', '.join(kept)}." if kept else removed

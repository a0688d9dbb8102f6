"""Every finding of the audit: a case where it is made, and a near miss where it is not."""

import math
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from audited import audited, findings, of_tokens, text, written
from idiograph import Case, MaskedText, Text
from idiograph.casework.audit import repeated_in, weighed
from idiograph.casework.findings import CATALOGUE
from idiograph.casework.published import works_matter
from idiograph.texts.characters import CLEANED
from made_texts import GERMAN, CaseTexts, Sentence, authors, case_texts, masked, sentences

MAKERS = (
    "another_kind", "audit", "case_matrix", "copies", "hard_cases", "holding", "language", "registers",
    "value_findings",
)  # fmt: skip


def test_a_case_with_nothing_wrong_has_no_finding_but_what_its_works_are() -> None:
    (entry,) = findings(case_texts()).values()
    assert (entry.code, entry.severity) == ("works-named", "note")
    assert (
        entry.message
        == "Of the reference's 40 texts 40 name a work (40 different works, counted for each author separately) and 0 "
        "a date."
    )


@pytest.mark.parametrize(("n", "severity"), [(99, "red"), (100, "amber"), (199, "amber"), (200, None)])
def test_short_q(n: int, severity: str | None) -> None:
    entry = findings(case_texts(q=(of_tokens("q", None, n),))).get("short-q")
    assert (entry.severity if entry else None) == severity
    assert entry is None or f"{n} tokens" in entry.message


def test_one_is_not_said_as_many() -> None:
    by_code = findings(case_texts(q=(of_tokens("q", None, 1),), k=(of_tokens("k", "lee", 1),)))
    assert by_code["short-q"].message == "Q1 has 1 token after masking. Below 100 no value is reported."
    assert by_code["short-k"].message == "K has 1 token after masking. Below 100 no value is reported."
    strange = findings(case_texts(q=(text("q", None, (("brrr",),)),)))["unknown-words"]
    assert strange.message == "1 of Q1's 1 token (100 %) occurs neither in K nor in the reference: “brrr”."


@pytest.mark.parametrize(("n", "severity"), [(100, "red"), (101, "amber"), (199, "amber"), (200, None)])
def test_short_k(n: int, severity: str | None) -> None:
    entry = findings(case_texts(k=(of_tokens("k", "lee", n),))).get("short-k")
    assert (entry.severity if entry else None) == severity


def test_no_hapaxes() -> None:
    twice = (("the", "N", "V", "."),) * 60
    without = findings(case_texts(q=(text("q", None, twice),)))["no-hapaxes"]
    assert without.severity == "note"
    case = Case(population="p", questioned={"Q1": Path("q")}, known={"lee": Path("k")}, reference=Path("r"))
    assert weighed([without], case) == [without]
    assert weighed([without], replace(case, primary="hapax"))[0].severity == "red"
    once = (*twice, ("but", "the", "N", "V", "."))
    assert "no-hapaxes" not in findings(case_texts(q=(text("q", None, once),)))


@pytest.mark.parametrize(("n", "severity"), [(1, "red"), (4, "red"), (7, "amber"), (19, "amber"), (20, None)])
def test_few_reference_authors(n: int, severity: str | None) -> None:
    entry = findings(case_texts(n_authors=n)).get("few-reference-authors")
    assert (entry.severity if entry else None) == severity


def test_small_reference() -> None:
    k = (masked("k1", "lee", seed=2),)
    n_k = len(k[0].sentences)
    pool = [line for author in authors(20) for line in sentences(author, tokens=200, seed=1)]
    for n, expected in ((3 * n_k - 1, True), (3 * n_k, False)):
        parts = [text(f"r{number}", author, tuple(pool[number:n:20])) for number, author in enumerate(authors(20))]
        assert ("small-reference" in findings(case_texts(k=k, reference=tuple(parts)))) == expected


def test_dominant_reference_author() -> None:
    few = [text(f"r{a}", a, sentences(a, tokens=1000, seed=1)[:10]) for a in authors(20)[1:]]
    for n, expected in ((191, True), (190, False)):
        big = text("big", "author00", sentences("author00", tokens=4000, seed=1)[:n])
        assert ("dominant-reference-author" in findings(case_texts(reference=(big, *few)))) == expected


@pytest.mark.parametrize(("named", "expected"), [(20, True), (21, False), (40, False)])
@pytest.mark.parametrize("field", ["work", "date"])
def test_works_and_dates_unknown(named: int, expected: bool, field: str) -> None:
    plain = case_texts()
    assert len(plain.reference) == 40
    reference = tuple(
        replace(text, metadata={field: "1" if number < named else ""}) for number, text in enumerate(plain.reference)
    )
    by_code = findings(replace(plain, reference=reference))
    assert ("works-unknown" in by_code) == expected
    if expected:
        message = by_code["works-unknown"].message
        sentence = (
            "20 of the reference's 40 texts name no work and no date, so the validation may compare parts of one work"
        )
        assert message == f"{sentence} and look better than it is. {works_matter()}"


def test_one_known_text() -> None:
    assert findings(case_texts(k=(masked("k", "lee", seed=2),)))["one-known-text"].severity == "note"
    assert "one-known-text" not in findings(case_texts())


def test_dominant_known_text() -> None:
    for n, expected in ((904, True), (900, False)):
        k = (of_tokens("k1", "lee", n), of_tokens("k2", "lee", 300, seed=5))
        assert ("dominant-known-text" in findings(case_texts(k=k))) == expected


def test_encodings_differ() -> None:
    plain = case_texts()

    def read_from(encoding_of_q: str) -> CaseTexts:
        q = (replace(plain.q[0], metadata={"reading": {"encoding": encoding_of_q}}),)
        k = tuple(replace(text, metadata={"reading": {"encoding": "utf-8"}}) for text in plain.k)
        return replace(plain, q=q, k=k)

    assert "cp1252" in findings(read_from("cp1252"))["encodings-differ"].message
    assert "encodings-differ" not in findings(read_from("utf-8"))
    assert "encodings-differ" not in findings(read_from("ascii"))
    assert "encodings-differ" not in findings(read_from("utf-8-sig"))


def test_broken_characters() -> None:
    for content, expected in (
        ("it isnâ€™t so .", True),
        ("it isn\ufffdt so .", True),
        ("it isn’t so , señor .", False),
    ):
        q, originals = written("q", None, (content + "\n") * 60)
        assert ("broken-characters" in findings(case_texts(q=(q,), originals=originals))) == expected


def test_broken_characters_of_the_reference_and_of_controls_that_were_left_out() -> None:
    plain = case_texts()
    broken = {text.id: Text(text.id, "it isnâ€™t so", text.author) for text in plain.reference[:3]}
    entry = findings(replace(plain, originals=broken))["broken-characters"]
    assert entry.message == (
        "3 of the reference's 40 texts have 3 broken characters together, first 'â€™' in author00/1."
    )
    single = findings(replace(plain, originals=dict([*broken.items()][:1])))["broken-characters"]
    assert single.message == "author00/1 has 1 broken character, first 'â€™'."
    known = {text.id: Text(text.id, "itâ€™s Iâ€™m", text.author) for text in plain.k[:2]}
    several = findings(replace(plain, originals=known))["broken-characters"].message
    assert several.startswith(f"2 of K's {len(plain.k)} texts have 4 broken characters together, first 'â€™' in ")
    for removed, expected in (("\x92", True), ("\u200e", False)):
        record = {"changes": [{"step": CLEANED, "edits": [[3, removed, ""]]}]}
        q = (replace(plain.q[0], metadata={"reading": record}),)
        assert ("broken-characters" in findings(replace(plain, q=q))) == expected


def test_invisible_characters_are_counted_on_every_side() -> None:
    plain = case_texts()
    earlier = {"changes": [], "earlier": {"changes": [{"step": CLEANED, "edits": [[0, "\ufeff", ""]]}]}}
    q = (
        replace(plain.q[0], metadata={"reading": {"changes": [{"step": CLEANED, "edits": [[3, "\u202d\u200e", ""]]}]}}),
    )
    k = (replace(plain.k[0], metadata={"left_out_by_masking": {"U+200E": 3}}), plain.k[1])
    reference = (*(replace(text, metadata={**text.metadata, "reading": earlier}) for text in plain.reference[:2]),)
    by_code = findings(replace(plain, q=q, k=k, reference=(*reference, *plain.reference[2:])))
    assert set(by_code) == {"works-named", "invisible-characters"}
    assert by_code["invisible-characters"].severity == "note"
    assert by_code["invisible-characters"].message == (
        "Characters without a visible form were left out before masking; those that end a line became blanks or line "
        "breaks: Q 2; K 3 in 1 of 2 texts; the reference 2 in 2 of 40 texts. They were U+200E (left-to-right mark, 4), "
        "U+FEFF (zero width no-break space, 2), U+202D (left-to-right override, 1)."
    )
    assert by_code["invisible-characters"].where == ("q", "k1", "author00/1", "author00/2")


@pytest.mark.parametrize(
    ("in_q", "in_k", "severity"),
    [
        ("well\u2010known " * 6, "well-known " * 6, "amber"),
        ("well\u2010known " * 4, "well-known " * 6, None),  # too few
        ("so — " * 6, "so -- " * 6, "note"),
        ("so — " * 6, "so — " * 6, None),
        ("so — " * 6, "so — " * 3 + "so -- " * 3, None),  # no three times as many
        ("don’t “do” that " * 6, 'don\'t "do" that ' * 6, None),  # masking takes them for the same
    ],
)
def test_characters_differ(in_q: str, in_k: str, severity: str | None) -> None:
    filling = "it was so and so it was " * 40
    q, originals = written("q", None, filling + in_q)
    k, of_k = written("k1", "lee", filling + in_k)
    entry = findings(case_texts(q=(q,), k=(k,), originals=originals | of_k)).get("characters-differ")
    assert (entry.severity if entry else None) == severity
    if severity == "amber" and entry:
        assert entry.message.startswith(
            "Per 1,000 characters there are typographic hyphens (U+2010, U+2011): Q 5.8 (6 in"
        )
        assert ", K 0.0 (0 in all)." in entry.message
        assert "recipe characters" in entry.remedy


def test_registers_differ() -> None:
    plain = case_texts()
    for register, expected in (("chat", True), ("letter", False), (None, False)):
        q = (replace(plain.q[0], metadata={"register": register}),)
        k = tuple(replace(text, metadata={"register": "letter"}) for text in plain.k)
        assert ("registers-differ" in findings(replace(plain, q=q, k=k))) == expected


def test_layouts_differ() -> None:
    words = [token for line in sentences("lee", tokens=400, seed=4) for token in line]
    k = tuple(text(f"k{n}", "lee", tuple(tuple(words[i : i + 10]) for i in range(n, 380, 10))) for n in (0, 5))
    for length, expected in ((30, True), (29, False)):
        q = text("q", None, tuple(tuple(words[i : i + length]) for i in range(0, len(words) - length, length)))
        entries = [entry for entry in audited(case_texts(q=(q,), k=k)) if entry.code == "layouts-differ"]
        assert any("of K" in entry.message for entry in entries) == expected


def test_odd_spellings() -> None:
    plain = case_texts()
    hapaxes = plain.q[0].n_hapaxes
    n = max(3, math.ceil(hapaxes / 9))  # of hapaxes + n, these are a tenth or more
    for odd, expected in ((n, True), (2, False)):
        line = tuple(f"sooo{'o' * i}" for i in range(odd))
        by_code = findings(replace(plain, q=(replace(plain.q[0], sentences=(*plain.q[0].sentences, line)),)))
        assert ("odd-spellings" in by_code) == expected
    listed = ("hence", "thus", "whereas", "amid", "albeit")
    known = replace(plain.q[0], sentences=(*plain.q[0].sentences, listed))
    assert "odd-spellings" not in findings(replace(plain, q=(known,)))


def test_unknown_words() -> None:
    plain = case_texts(q=(of_tokens("q", None, 294),))
    for n, expected in ((6, True), (5, False)):
        # Twice the same word each, so that no hapax is added.
        line = ("xyzzy",) * n
        by_code = findings(replace(plain, q=(replace(plain.q[0], sentences=(*plain.q[0].sentences, line)),)))
        assert ("unknown-words" in by_code) == expected


ENGLISH = (
    "Yesterday I went to town with my sister because we wanted to buy a new bicycle. The man in the shop was very kind "
    "and told us all about it. In the end we took the blue one, though it was a little dearer than the others. If it "
    "does not rain we shall ride round the lake on Sunday and then have supper with our parents."
)


FRENCH = (
    "Hier, je suis allée en ville avec ma sœur parce que nous voulions acheter un nouveau vélo. Le vendeur était très "
    "gentil et nous a tout expliqué. À la fin, nous avons pris le bleu, même s'il était un peu plus cher que les "
    "autres. S'il ne pleut pas, nous ferons dimanche le tour du lac et mangerons chez nos parents."
)


SPANISH = (
    "Ayer fui a la ciudad con mi hermana porque queríamos comprar una bicicleta nueva. El vendedor fue muy amable y "
    "nos explicó todo. Al final elegimos la azul, aunque era un poco más cara que las otras. Si no llueve, el domingo "
    "daremos la vuelta al lago y luego cenaremos en casa de nuestros padres."
)


LIST = "Bread, milk, eggs, butter, cheese, six apples, soap, and the paper. Ask Tom for his keys; back by ten."


@pytest.mark.parametrize(
    ("content", "severity"),
    [(ENGLISH, None), (GERMAN, "red"), (FRENCH, "red"), (SPANISH, "red"), (LIST, None)],
    ids=["English", "German", "French", "Spanish", "a telegraphic list"],
)
def test_a_language_other_than_english(content: str, severity: str | None) -> None:
    q, originals = written("q", None, content)
    entry = findings(case_texts(q=(q,), originals=originals)).get("not-english")
    assert (entry.severity if entry else None) == severity
    assert entry is None or entry.where == ("q",)


def test_a_text_half_in_another_language_is_amber() -> None:
    q, originals = written("q", None, "\n".join([ENGLISH, GERMAN] * 8))
    entry = findings(case_texts(q=(q,), originals=originals))["not-english"]
    assert entry.severity == "amber"
    assert entry.message.startswith("Q1 looks like English only in part: q (")


def test_three_words_tell_no_language() -> None:
    q, originals = written("q", None, "Guten Tag zusammen")
    texts = case_texts(q=(q,), originals=originals)
    assert "not-english" not in findings(texts)


def test_the_gravest_finding_comes_first() -> None:
    order = {"red": 0, "amber": 1, "note": 2}
    texts = case_texts(q=(of_tokens("q", None, 50),), k=(of_tokens("k", "lee", 150),), n_authors=3)
    grades = [order[entry.severity] for entry in audited(texts)]
    assert grades == sorted(grades)
    assert len(set(grades)) == 3


def test_every_kind_of_finding_has_a_remedy_and_a_reason() -> None:
    for code, kind in CATALOGUE.items():
        assert kind.when, code
        assert kind.why, code
        assert kind.remedy.endswith("."), code


def test_every_finding_of_the_audit_is_tested_here() -> None:
    """Here, or beside the modules that make them; kinds that validation makes are tested with it."""
    tests = [Path(__file__).with_name(f"test_{name}.py") for name in MAKERS]
    contents = "".join(path.read_text(encoding="utf-8") for path in tests)
    untested = [code for code in CATALOGUE if f'"{code}"' not in contents and not code.startswith("validated-")]
    assert not untested


def test_comparisons_that_share_a_reference_are_audited_like_each_alone() -> None:
    plain = case_texts()
    longer = replace(plain.q[0], id="q2", sentences=plain.q[0].sentences * 2)
    for other in (plain, replace(plain, q=(longer,), label="Q2"), replace(plain, language="fr"), plain):
        assert findings(replace(other, answers=plain.answers)) == findings(replace(other, answers={}))


def test_what_is_wanted_is_said_with_what_there_is() -> None:
    by_code = findings(case_texts(q=(of_tokens("q", None, 150),), k=(of_tokens("k", "lee", 150),)))
    assert by_code["short-q"].message == "Q1 has 150 tokens after masking; good results took 200."
    assert by_code["short-k"].message == "K has 150 tokens after masking; good results took 200."


def enriched(plain: MaskedText, share: float) -> MaskedText:
    """The text with a share of its tokens replaced by words that occur nowhere else."""
    rng = random.Random(1)
    enriched_sentences = tuple(
        tuple(f"new{rng.random()}" if rng.random() < share else token for token in sentence)
        for sentence in plain.sentences
    )
    return text(plain.id, plain.author, enriched_sentences)


@pytest.mark.parametrize(("share", "expected"), [(0.0, False), (0.03, False), (0.4, True)])
def test_a_q_far_more_diverse_than_k(share: float, expected: bool) -> None:
    plain = case_texts()
    by_code = findings(replace(plain, q=(enriched(plain.q[0], share),)))
    assert ("diverse-q" in by_code) == expected
    if expected:
        assert by_code["diverse-q"].severity == "note"
        assert "stretches of K of the same length" in by_code["diverse-q"].message


def test_numbers_by_hand() -> None:
    """Q: 200 tokens, 100 of them once. K: two stretches of 200, with 10 and 30 once."""

    def of(id_: str, author: str | None, *once: int) -> MaskedText:
        lines = []
        for part, n in enumerate(once):
            tokens = [f"{id_}{part}x{number}" for number in range(n)] + ["the", "of"] * ((200 - n) // 2)
            lines += [tuple(tokens[start : start + 10]) for start in range(0, 200, 10)]
        return text(id_, author, tuple(lines))

    texts = replace(case_texts(), q=(of("q", None, 100),), k=(of("k1", "lee", 10), of("k2", "lee", 30)))
    assert findings(texts)["diverse-q"].message == (
        "50.0 % of Q1's tokens are types that occur once; in 2 stretches of K of the same length (200 tokens) it is "
        "10.0 % on average and 15.0 % at most."
    )


def test_a_shorter_q_is_compared_with_stretches_of_its_length() -> None:
    """A short text has more types that occur once than a long one by the same writer: that is not diversity."""
    plain = case_texts(
        q=(masked("q", None, by="lee", tokens=200, seed=1),), k=(masked("k", "lee", tokens=4000, seed=2),)
    )
    q, k = plain.q[0], plain.k[0]
    assert q.n_hapaxes / q.n_tokens > 3 * k.n_hapaxes / k.n_tokens
    assert "diverse-q" not in findings(plain)


def test_a_longer_q_is_cut_to_the_length_of_k() -> None:
    plain = case_texts()
    long = enriched(masked("q", None, by="lee", tokens=2000, seed=1), 0.4)
    assert "diverse-q" in findings(replace(plain, q=(long,)))


def test_short_texts_say_nothing() -> None:
    plain = case_texts(q=(masked("q", None, by="lee", tokens=150, seed=1),))
    assert "diverse-q" not in findings(replace(plain, q=(enriched(plain.q[0], 0.4),)))


BODIES = (
    "We met on Monday to talk about the roof.\nIt will take two weeks.",
    "The train was late again and I missed half of it.\nPlease start without me next time.",
    "Nobody has told me where the keys are.\nI will be at the office until six.",
    "There is a parcel for you downstairs.\nIt came while you were out.",
)


def with_known(*contents: str):
    plain = case_texts()
    pairs = [written(f"k{number}", "lee", content) for number, content in enumerate(contents)]
    originals = {id_: text for _, originals_of_text in pairs for id_, text in originals_of_text.items()}
    return replace(plain, k=tuple(text for text, _ in pairs), originals=originals)


def test_nothing_is_said_of_texts_without_common_lines() -> None:
    assert "repeated-lines" not in findings(with_known(*BODIES))


@pytest.mark.parametrize(
    ("line", "n_texts", "expected"),
    [
        ("Lee Miller, Roofs and Gutters since 1954", 2, True),
        ("Lee Miller, Roofs Ltd", 2, False),  # four words in two texts
        ("Best regards,", 3, True),
        ("Best regards,", 2, False),
        ("Thanks", 4, False),  # a word is no line
    ],
)
def test_a_closing_or_a_template(line: str, n_texts: int, expected: bool) -> None:
    contents = [f"{body}\n{line}" if number < n_texts else body for number, body in enumerate(BODIES)]
    by_code = findings(with_known(*contents))
    assert ("repeated-lines" in by_code) == expected
    if expected:
        sentence = by_code["repeated-lines"]
        assert sentence.message == f"Known texts have lines in common: “{line}” in {n_texts} of 4."
        assert sentence.where == tuple(f"k{number}" for number in range(n_texts))
        assert "steps salutations, signatures and quoted_text" in sentence.remedy


@pytest.mark.parametrize(("mark", "expected"), [("-- ", True), ("--", True), ("---", False), ("a -- b", False)])
def test_a_signature_after_its_mark(mark: str, expected: bool) -> None:
    by_code = findings(with_known(f"{BODIES[0]}\n{mark}\nLee", *BODIES[1:]))
    assert ("repeated-lines" in by_code) == expected
    if expected:
        assert by_code["repeated-lines"].message == "1 of 4 known texts end in a signature after a line “-- ”."


def test_case_and_punctuation_do_not_matter_and_long_lines_are_cut() -> None:
    line = "This message and whatever is attached to it is meant for nobody but the person it was sent to"
    by_code = findings(with_known(f"{BODIES[0]}\n{line}.", f"{BODIES[1]}\n  {line.upper()}!", *BODIES[2:]))
    assert (
        "“This message and whatever is attached to it is meant for no…” in 2 of 4" in by_code["repeated-lines"].message
    )


def test_texts_that_came_masked_have_no_lines() -> None:
    plain = with_known(*(f"{body}\nBest regards,\nLee Miller of the roofs" for body in BODIES))
    assert "repeated-lines" in findings(plain)
    assert "repeated-lines" not in findings(replace(plain, originals={}))


def _repeating(times: int) -> CaseTexts:
    """Q of another author with a trigram typical of K put in again and again, as METHOD.md tried it."""
    k = tuple(masked(f"k{n}", "lee", tokens=500, seed=n) for n in (2, 3, 4, 5))
    plain = case_texts(by="author99", k=k, q=(masked("q", None, by="author99", tokens=500, seed=1),))

    def trigrams(texts: tuple[MaskedText, ...]) -> Counter[Sentence]:
        return Counter(line[i : i + 3] for text in texts for line in text.sentences for i in range(len(line) - 2))

    mine, others = trigrams(k), trigrams(plain.reference)
    typical = max(sorted(mine), key=lambda g: mine[g] * math.log(mine[g] / (others[g] + 1)))
    rng = random.Random(1)
    lines = [list(line) for line in plain.q[0].sentences]
    for _ in range(times):
        line = rng.choice(lines)
        number = rng.randrange(len(line) + 1)
        line[number:number] = typical
    return replace(plain, q=(replace(plain.q[0], sentences=tuple(map(tuple, lines))),))


@pytest.mark.parametrize(("times", "severity"), [(0, None), (2, None), (7, "amber"), (20, "amber"), (40, "red")])
def test_a_repeated_feature_is_seen_and_said(times: int, severity: str | None) -> None:
    texts = _repeating(times)
    entry = findings(texts).get("repeated-feature")
    assert (entry.severity if entry else None) == severity
    if entry:
        hit = repeated_in(texts)[0]
        assert f"“{' '.join(hit.ngram)}” {hit.count} times" in entry.message


def test_a_habit_that_k_has_as_often_is_no_repetition() -> None:
    line = ("so", "it", "is", "very", "N", ".")
    plain = case_texts()

    def with_lines(masked: MaskedText, n: int) -> MaskedText:
        return replace(masked, sentences=(*masked.sentences, *[line] * n))

    often = replace(plain, q=(with_lines(plain.q[0], 12),), k=tuple(with_lines(text, 12) for text in plain.k))
    assert "repeated-feature" not in findings(often)
    assert "repeated-feature" in findings(replace(often, k=(with_lines(plain.k[0], 1), plain.k[1])))

"""Every finding that the audit can make: when, why, its sentence, and what to do. The documentation prints it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from idiograph.casework.sentences import MAY_BE_OF_ANOTHER_KIND, percent
from idiograph.casework.verification import KNOWN_APART, Finding, Severity
from idiograph.evidence.cosine import WARNING as TYPING_WARNING
from idiograph.evidence.kinds import LIMITED, REFUSED
from idiograph.evidence.repetition import REPEATED_AT_LEAST, REPETITION_IMPROBABLE
from idiograph.studies.topics import FEWEST_SHARED, LEAST_SHARE, SHORTEST_SHARED
from idiograph.texts.language import ENGLISH_SHARE, FOREIGN_SHARE, STRETCH
from idiograph.texts.repeats import RUN_TOKENS, SAME_TEXT


@dataclass(frozen=True)
class FindingKind:
    """A kind of finding: its severities from mild to grave, when it is made, why it matters, and the remedy.

    Where one is red, no value is reported. Amber is a caution to read before the value, a note bears on it little.
    `says` is its sentence, with the places of its values in braces: `{n:,}` 1,200, `{n:text|texts}` the word for so
    many, `{share:percent}` a share. Of several sentences those are said whose values the finding has.
    """

    name: str  # as a report calls it
    severities: tuple[Severity, ...]
    when: str
    why: str
    remedy: str
    says: str | tuple[str, ...]


# The paper's SMS data: hapax needs more than about 100 tokens of K, and 200 of Q and K for good results.
FEWEST_TOKENS, GOOD_TOKENS = 100, 200
FEW_AUTHORS, ENOUGH_AUTHORS = 5, 20
REFERENCE_TIMES_K = 3
DOMINANT_SHARE = 0.75
DOMINANT_AUTHOR_SHARE = 0.5
# A text that repeats this share of its words gives its author away: a run of 20 words is worth more than a habit.
COPIED_SHARE = 0.1
# Words whose phrases of five two texts share beyond chance: different texts of one writer have below one in a hundred.
NEAR_WORDS, NEAR_SHARE = 5, 0.2
LINE_WORDS, LINE_SHARE = 5, 0.5
DIVERSITY_SDS = 3.0
ODD_SHARE, ODD_TYPES = 0.1, 3
UNKNOWN_SHARE = 0.02
REPEATED_RED = 1e-9  # a hundredth of the least that an honest case had: a refusal must be right
REGISTER_RATIO = 3.0
REGISTER_LIMIT = 3.0  # of |z|: the least in quarters that no more than 5 % of the honest cases pass that set it
# Of λG (log10 units): which share, of all that moves it the way it lies, is much in one place, the least λG of which
# one speaks, and how many sentences or texts Q has at least for one of them to be telling.
MUCH, LEAST_LAMBDA_G, MANY_SENTENCES, MANY_TEXTS = 1 / 3, 3.0, 6, 5
# Of look-alike characters: so many on a side, so many per 1,000 characters, and so many times what another side has.
LOOK_ALIKES, LOOK_ALIKE_RATE, LOOK_ALIKE_TIMES = 5, 0.2, 3.0

_VALUE = re.compile(r"\{(\w+):?([^}]*)\}")
_NEXT = re.compile(r"(?<=[.!?]) (?=[A-Z“{])")  # between the sentences of a finding, before its values are in
# Said of several kinds, or elsewhere too.
_SHARED_RUNS = f"{{who}} share runs of {RUN_TOKENS} or more words: {{pairs}}. The first begins “{{run}}”."
_COPIES = "Texts of {side} repeat each other: {copies}."
_LANGUAGE = "{side}: {id} {looks}{more}."
_TOO_SHORT = "Below {fewest:,} no value is reported."
_SHORT_Q = "{label} has {n:,} {n:token|tokens} after masking"
_SHORT_K = "K has {n:,} {n:token|tokens} after masking"
_FEW = "The reference has {n:,} {n:author|authors}"
_WITHIN_WORKS = "so the validation may compare parts of one work and look better than it is"
HALF_K = "In the validation problems K is half as long as in the case."
HALF = "In the validation problems Q and K are half as long as in the case."
ONE_TEXT = "In the validation problems Q and K of an author come from the same text."

# What bears most on the value.
_ABOVE_ALL = ("known-texts-apart", "registers-apart", "registers-differ", "concentrated", "methods-disagree")

CATALOGUE: dict[str, FindingKind] = {
    "short-q": FindingKind(
        "Q is short",
        ("amber", "red"),
        f"Q has fewer than {GOOD_TOKENS} tokens (red: fewer than {FEWEST_TOKENS})",
        "on the paper's SMS data good results took 200 tokens of Q and of K",
        f"Add questioned text of the same origin if there is any. Between {FEWEST_TOKENS} and {GOOD_TOKENS} tokens the "
        "validation, which is made at this length, says what a value is worth.",
        says=(f"{_SHORT_Q}. {_TOO_SHORT}", f"{_SHORT_Q}; good results took {{good:,}}."),
    ),
    "short-k": FindingKind(
        "K is short",
        ("amber", "red"),
        f"K has fewer than {GOOD_TOKENS} tokens (red: {FEWEST_TOKENS} or fewer)",
        "on the paper's SMS data the Hapax Correction needed more than about 100 tokens of K, and 200 for good results",
        "Add more of the candidate's own writing.",
        says=(f"{_SHORT_K}. {_TOO_SHORT}", f"{_SHORT_K}; good results took {{good:,}}."),
    ),
    "no-hapaxes": FindingKind(
        "Q has no hapaxes",
        ("note", "red"),
        "no type of masked Q occurs exactly once (red: where the Hapax Correction is the primary method)",
        "the Hapax Correction multiplies by the number of such types, so its value is exactly 0 whoever wrote Q",
        "Do not read the Hapax Correction; where it is the primary method, choose another before scoring.",
        says="No type of {label} occurs exactly once, so the Hapax Correction gives 0.",
    ),
    "few-reference-authors": FindingKind(
        "few reference authors",
        ("amber", "red"),
        f"the reference has fewer than {ENOUGH_AUTHORS} authors (red: fewer than {FEW_AUTHORS})",
        "with n authors and no misleading one among them the 95 % upper limit of the rate is still about 3/n: below "
        f"{ENOUGH_AUTHORS} authors it cannot fall under 15 %",
        "Add texts of other authors from the population.",
        says=(f"{_FEW}. {_TOO_SHORT}", f"{_FEW}; {{good:,}} or more are wanted."),
    ),
    "small-reference": FindingKind(
        "a small reference",
        ("amber",),
        f"the reference has fewer than {REFERENCE_TIMES_K} times as many sentences as K",
        "every reference model draws as many sentences as K has, so the models would share much of their text and "
        "their average would say little about other writers",
        "Add reference texts, or use less of K.",
        says="The reference has {n:,} {n:sentence|sentences} and K has {n_k:,}.",
    ),
    "dominant-reference-author": FindingKind(
        "one author dominates the reference",
        ("amber",),
        f"one author wrote more than {percent(DOMINANT_AUTHOR_SHARE)} of the reference's sentences",
        "the reference should represent a population, not one writer",
        "Add other authors or use less of that author's texts.",
        says="{author} wrote {share:percent} of the reference's sentences.",
    ),
    "one-known-text": FindingKind(
        "a single known text",
        ("note",),
        "K is a single text",
        "how much the candidate varies from text to text cannot be seen",
        "Add another known text if there is one.",
        says="K is one text, {id}.",
    ),
    "cut": FindingKind(
        "the case was cut",
        ("amber",),
        "too few reference authors have texts as long as the case's, so K, or Q and K, were cut to a length that they "
        "have",
        "scores grow with length, and what a method does at one length does not show what it does at another, so the "
        "case is compared at the length at which it could be validated",
        "Add longer reference texts. What was left is the beginning of each text.",
        says="Only the beginning of each text was compared ({left}), because too few reference authors have texts as "
        "long as the case's; the validation problems are as long.",
    ),
    "dominant-known-text": FindingKind(
        "one known text dominates K",
        ("amber",),
        f"one known text holds more than {percent(DOMINANT_SHARE)} of K's tokens",
        "the model of the candidate is then a model of that text, its topic and its occasion",
        "Add other known texts, or read the sensitivity annex, where each known text is left out in turn.",
        says="{id} holds {share:percent} of the tokens of K's {n_texts} texts.",
    ),
    "shared-q": FindingKind(
        "Q shares text with other texts",
        ("red",),
        f"Q shares a run of {RUN_TOKENS} or more words with K or the reference",
        "shared text counts as if it were a shared habit; two people hardly ever compose the same run of that length",
        "Remove quotations, replies and templates from both, or leave the text out.",
        says=_SHARED_RUNS,
    ),
    "shared-k": FindingKind(
        "K shares text with the reference",
        ("red",),
        f"K shares a run of {RUN_TOKENS} or more words with the reference",
        "the same words would speak for the candidate and for the others at once",
        "Remove quotations, replies and templates from both, or leave the text out.",
        says=_SHARED_RUNS,
    ),
    "shared-reference": FindingKind(
        "reference authors share text",
        ("amber",),
        f"texts of two reference authors share a run of {RUN_TOKENS} or more words",
        "at least one of them did not write the shared part, and authors are counted as independent",
        "Remove the copies; the command “idiograph prepare” finds and lists them.",
        says=_SHARED_RUNS,
    ),
    "one-person": FindingKind(
        "reference authors who may be one person",
        ("amber",),
        f"two reference authors share {FEWEST_SHARED} or more sentences of {SHORTEST_SHARED} or more tokens, word for "
        f"word, which are {100 * LEAST_SHARE:g} % or more of the sentences of the one with fewer",
        "two names of one person turn same-author problems into different-author ones: the method looks worse than it "
        "is, other people look like one another, and more authors are counted than there are",
        "Find out whether they are one person; if so, put their texts under one name, or leave one name out "
        "(--exclude-author).",
        says="Reference authors share sentences word for word, as only one writer does: {pairs}.",
    ),
    "repeated-q": FindingKind(
        "copies within Q",
        ("amber", "red"),
        f"a text of Q shares a run of {RUN_TOKENS} or more words with another text of Q, or nearly repeats it (red: "
        f"{percent(SAME_TEXT)} or more of its words)",
        "what occurs twice in Q is counted twice, although it was written once",
        "Leave the later copy out of Q.",
        says=_COPIES,
    ),
    "repeated-k": FindingKind(
        "copies within K",
        ("amber", "red"),
        f"a known text shares a run of {RUN_TOKENS} or more words with another known text, or nearly repeats it (red: "
        f"{percent(SAME_TEXT)} or more of its words)",
        "what occurs twice in K weighs twice in the model of the candidate, and moves the value",
        "Leave the later copy out of K; remove quotations and templates from the known texts.",
        says=_COPIES,
    ),
    "repeated-reference": FindingKind(
        "texts that repeat each other within a reference author",
        ("amber",),
        f"a reference text shares a run of {RUN_TOKENS} or more words with another text of its author, or nearly "
        "repeats it",
        "a Q and a K that share text make the method look better than it is, so a text that repeats "
        f"{percent(COPIED_SHARE)} or more of its words is kept out of the validation problems; in the reference it "
        "stays",
        "Remove the copies, or what recurs in them; the command “idiograph prepare” finds and lists them.",
        says="Texts of {whose} repeat earlier texts of the same author: {copies}. {kept_out} kept out of the "
        "validation problems.",
    ),
    "repeated-lines": FindingKind(
        "lines repeated across known texts",
        ("amber",),
        f"a line of {LINE_WORDS} or more words is in two known texts, one of two or more words in three and "
        f"{percent(LINE_SHARE)} or more of them, or a known text has a signature after a line “-- ”",
        "signatures, closings and templates are written once and copied by a program; each copy adds to the model of "
        "the candidate as if it were a habit",
        "Remove what was copied from the files of all sides alike. For mails a recipe of preparation does it, with the "
        "steps salutations, signatures and quoted_text.",
        says=(
            "Known texts have lines in common: {lines}.",
            "{n_signed} of {n_texts} known texts end in a signature after a line “-- ”.",
        ),
    ),
    "works-unknown": FindingKind(
        "works and dates unknown",
        ("amber",),
        "most texts of the reference name neither a work nor a date",
        "parts of one work, or texts of one day, are more alike than two works of one author; where the texts do not "
        "say which belong together, the validation may compare such parts and look better than it is",
        "Name the work or the date of every reference text, in a column work or date of a table of metadata; the "
        "command “idiograph works” proposes one from file names and dates. If every text is a work of its own, say so "
        "there.",
        says=(
            f"None of the reference's {{none_of:,}} texts names a work or a date, {_WITHIN_WORKS}.",
            f"{{without:,}} of the reference's {{n_texts:,}} texts name no work and no date, {_WITHIN_WORKS}.",
            "{published}",
        ),
    ),
    "works-named": FindingKind(
        "works and dates of the reference",
        ("note",),
        "most texts of the reference name a work or a date",
        "Q and K of a validation problem come from different works, or of different dates where no works are named; "
        "parts of one work that bear two names would make the validation look better than it is",
        "Check that what was named is true of every text.",
        says="Of the reference's {n_texts:,} texts {n_works:,} name a work ({works:,} different works, counted for "
        "each author separately) and {n_dates:,} a date.",
    ),
    "diverse-q": FindingKind(
        "Q is lexically far more diverse than K",
        ("note",),
        "the share of types that occur once in Q is above that of every stretch of K of the same length, by more than "
        f"{DIVERSITY_SDS:g} standard deviations between stretches of one author",
        "text that was written or revised by a language model tends to be more diverse, and the Hapax Correction "
        "multiplies by this share",
        "Ask how Q came about; compare with the other corrections.",
        says="{share:.1f} % of {label}'s tokens are types that occur once; in {n} {n:stretch|stretches} of K of the "
        "same length ({length:,} tokens) it is {known:.1f} % on average and {most_known:.1f} % at most.",
    ),
    "typing-compared": FindingKind(
        "typing is compared",
        ("amber",),
        "the case lets the methods that are measured by the reference also compare how the originals are typed",
        "a device, an editor, a mail program or a transcriber leaves such traces too, so two texts from one device can "
        "look alike whoever typed them",
        "Find out on which devices and with which programs the texts were written, and how they were handed down.",
        says=TYPING_WARNING,
    ),
    "encodings-differ": FindingKind(
        "different encodings",
        ("note",),
        "Q, K and the reference were not all read from the same encoding",
        "a character that is decoded in two ways becomes two tokens: the files differ, not the writers",
        "Look at quotation marks, dashes and accents in the texts; save all as UTF-8 where you can.",
        says="The texts were read from different encodings: {encodings}.",
    ),
    "broken-characters": FindingKind(
        "broken characters",
        ("amber",),
        "a text of Q or K, or any of the reference, holds the replacement character, control characters in place of "
        "quotation marks, or other traces of a wrong decoding (such as â€™)",
        "broken characters are tokens that no other text has",
        "Read the file in its true encoding. If it was saved broken, get it again from its source, or prepare all "
        "texts with the recipe characters, which puts right what can be.",
        says=(
            "{id} has {n} broken {n:character|characters}, first {first:repr}.",
            "{n_broken:,} of {side}'s {n_texts:,} texts have {n_together:,} broken characters together, first "
            "{first:repr} in {first_id}.",
        ),
    ),
    "invisible-characters": FindingKind(
        "characters without a visible form",
        ("note",),
        "a text had direction marks, zero-width spaces, soft hyphens, byte order marks, control characters or their "
        "like, which no reader sees",
        "word processors, messengers and web pages leave them; inside a word they would make it another one, and "
        "shared by two texts they would count as a shared habit, so they are always left out before masking",
        "Nothing need be done for the value. Texts with the same marks may have gone through the same program: ask how "
        "they were written and handed down.",
        says="Characters without a visible form were left out before masking; those that end a line became "
        "blanks or line breaks: {sides}. They were {which}.",
    ),
    "characters-differ": FindingKind(
        "the texts are typed with different characters",
        ("note", "amber"),
        f"Q, K or the reference has {LOOK_ALIKES} or more characters of a kind that look like others but are masked "
        f"differently, {LOOK_ALIKE_RATE:g} or more per 1,000 characters and {LOOK_ALIKE_TIMES:g} times as many as "
        "another side (amber: of a kind that programs put in rather than writers)",
        "a program, a scanner or a transcriber that puts one character for another changes tokens in one text and not "
        "in the other, and the method takes that for a difference, or what is shared for a habit",
        "Find out how the texts were handed down. If the characters are not the writers' own, prepare all texts with "
        "the recipe characters: it puts the usual ones in their place and changes nothing else.",
        says="Per 1,000 characters there are {kinds}.",
    ),
    "registers-differ": FindingKind(
        "different registers",
        ("amber",),
        "the register labels of Q, K and the reference do not agree: those of the texts themselves, or those that the "
        "case file names under [register]",
        "people write differently in a letter and in a chat, and the method takes that for a difference between "
        "writers",
        "Use known and reference texts of Q's register, or say in the report why there are none.",
        says=(
            "Registers differ: {registers}.",
            "The case names different registers: {named}.",
        ),
    ),
    "registers-apart": FindingKind(
        "a register unlike the reference's",
        ("amber",),
        "Q or K lies outside the spread of the reference authors' texts in the length of sentences or in the share of "
        "punctuation, of a word class, of the first person or of words that masking keeps, by more than "
        f"{REGISTER_LIMIT:g} standard deviations between stretches of its length",
        "a kind of text shows in such figures sooner than a writer does; measured by a reference of another kind, "
        "what belongs to the kind is taken for the writer's own",
        "Compare the texts; use known and reference texts of Q's register, or say in the report why there are none.",
        says="The register may not be that of the reference: {measures}.",
    ),
    "layouts-differ": FindingKind(
        "different layouts",
        ("note",),
        f"the mean sentence length of Q and of K or the reference differ by a factor of {REGISTER_RATIO:g} or more",
        "such a gap usually comes from register, line breaks or preparation, not from the writer",
        "Compare how the texts are laid out; prepare all with one recipe.",
        says="A sentence of {label} has {own:.1f} tokens on average, one of {side} {other:.1f}.",
    ),
    "repeated-feature": FindingKind(
        "Q repeats a feature of K",
        ("amber", "red"),
        f"a word or n-gram (up to 4 tokens) typical of K occurs {REPEATED_AT_LEAST} times or more in Q, more often "
        "than its variation between texts of one author makes probable "
        f"(probability below {REPETITION_IMPROBABLE:g} over all that were tried; red: below one in "
        f"{1 / REPEATED_RED:,.0f})",
        "someone who imitates a habit tends to overdo it, every repetition adds to the score, and no correction stops "
        "that",
        "Read the lines in question, consider imitation, templates and quotations, and score Q again without them as "
        "a case of its own; the second opinion “guarded” leaves out what Q overuses.",
        says="{label} repeats masked phrases that are typical of K far more often than K does: {features}.",
    ),
    "owes-to-k": FindingKind(
        "Q owes its likeness to K's own phrases",
        ("amber",),
        "without the 60 phrases of 3, 4 and 5 tokens each that are most typical of K, or without the trigrams that K "
        "alone has, Q is far less like K than before (T₁ or T₂ beyond what the open corpora set as its limit)",
        "anybody with texts of K at hand can put its phrases into a text of their own; quotations, templates and set "
        "phrases look the same, while a writer's habits show elsewhere too",
        "Look at the phrases in the heat map and in the concordance, ask who could have had K's texts and whether Q "
        "quotes them, and read what is safe against an imitator.",
        says="{label} owes its likeness to {kinds}: {phrases}. In the published validation this was said of "
        "{share:percent} of true authors' texts.",
    ),
    "odd-spellings": FindingKind(
        "odd spellings in Q",
        ("amber",),
        f"types found once in Q, in no other text and not in the word list make up {percent(ODD_SHARE)} or more of Q's "
        f"hapaxes (and at least {ODD_TYPES})",
        "the Hapax Correction grows with their number, and typing errors and stretched spellings add new types "
        "without limit",
        "Look at these spellings; normalise them with the same recipe in all texts, or compare with the other "
        "corrections.",
        says="{n} of the {n_hapaxes} types that occur once in {label} are in no other text and not in the word list: "
        "{types}. Without them the Hapax Correction would be {share:percent} smaller.",
    ),
    "unknown-words": FindingKind(
        "unknown words in Q",
        ("amber",),
        f"{100 * UNKNOWN_SHARE:g} % or more of Q's tokens occur neither in K nor in the reference",
        "after masking nearly every token of an ordinary text is known; unknown ones come from another masking, "
        "language, register or encoding",
        "Check that all texts were masked in the same way and are of the same register.",
        says="{n:,} of {label}'s {n_tokens:,} {n_tokens:token|tokens} ({share:percent}) {n:occurs|occur} neither in "
        "K nor in the reference: {types}.",
    ),
    "not-english": FindingKind(
        "texts not in English",
        ("amber", "red"),
        f"fewer than {percent(ENGLISH_SHARE)} of a text's words, or of those in a fifth of its stretches of {STRETCH}, "
        f"are on POSNoise's list of English function words, beyond chance for the length (red: fewer than "
        f"{percent(FOREIGN_SHARE)} of all)",
        "English texts of five registers had 33 to 70 %, texts in other languages below 10 %; tagger, word list and "
        "corrections are made and published for English",
        "Leave out texts in other languages. If all texts are in one other language, state it (language under "
        "[texts]): they are then masked by its rules, and a value is reported only if its own validation passes.",
        says=(
            "{which} {n:does|do} not look like English: {foreign}.",
            "{which} {n:looks|look} like English only in part: {partly}.",
        ),
    ),
    "other-language": FindingKind(
        "texts in another language",
        ("amber", "red"),
        "in a case whose language is not English, a text has more function words of another language than of the "
        f"stated one, beyond chance, or is mostly in other letters than its list (red), or so is a fifth of its words "
        f"or of its stretches of {STRETCH} words (amber)",
        "masking cuts and keeps words by the rules of the stated language; spaCy's lists of function words tell 72 "
        "languages apart by about 50 words, except near twins such as Malay and Indonesian",
        "State the language that the texts are in, or leave out those in another one; for a language that is also "
        "written in other letters, give a word list of your own.",
        says=_LANGUAGE,
    ),
    "language-unchecked": FindingKind(
        "language not checked",
        ("note",),
        "a text has fewer than 50 words, or fewer than 5 % of them on the language's list of function words, or the "
        "list has fewer than 50",
        "so few words cannot tell one language from another",
        "Make sure that these texts are in the stated language.",
        says=_LANGUAGE,
    ),
    "reference-of-another-kind": FindingKind(
        "the reference may be of another kind",
        ("amber", "red"),
        "Q and K lie further from the reference authors' texts than these lie from each other, by λG, by short phrases "
        f"and by content words together: D² beyond what {100 * LIMITED:g} % of honest cases pass "
        f"(red: {100 * REFUSED:g} %)",
        "measured by a reference of another register, whatever belongs to the case's own looks like its author: "
        "different authors then had an LR above 3 in most published cases. So an LR that is measured by the reference "
        "is reported between 1/3 and 3 at most (red: not at all)",
        "Use reference texts of the kind that Q and K are of: the same register, medium, time and preparation. A "
        "neighbouring register is not found by this, so name the registers in the case file.",
        says="Q and K lie further from the reference authors than these from each other: D² is {distance:.1f}, and "
        "beyond {limit:.1f} lie {share:percent} of honest cases (most of all {sides}).",
    ),
    "known-texts-apart": FindingKind(
        "known texts that do not fit the rest of K",
        ("amber",),
        "a known text, compared as if it were questioned with the other known texts, has an LR below "
        f"1/{KNOWN_APART:g} by the Hapax Correction or the primary method",
        "it may be by another writer or of another kind, and the value then belongs to a K that no one person wrote",
        "Find out who wrote these texts and for what; leave out what is not the candidate's own.",
        says="{n:,} of {n_texts:,} known texts {n:does|do} not fit the rest of K: {ids}. {n:It|They} may be by another "
        "writer or of another kind, which must be known before the value is relied on.",
    ),
    "concentrated": FindingKind(
        "much of the evidence lies in one place",
        ("amber",),
        "a third or more of all that moves λG the way it lies comes from one word, from one sentence (of "
        f"{MANY_SENTENCES} or more) or from one text (of {MANY_TEXTS} or more), and λG is not near 0",
        "a habit shows all over a text; what lies in one place may be the topic, the kind of text or a quotation",
        "Look at it in the heat map, and consider whether the subject or the kind of text explains it.",
        says="Much of the evidence lies in one place: of all that {moves} λG, {places}.",
    ),
    "methods-disagree": FindingKind(
        "the methods do not agree on the direction",
        ("amber",),
        "some methods give an LR above 1.5 and others one below 1/1.5",
        "the direction of the evidence then depends on the method, which was fixed beforehand",
        "Read the annex on sensitivity, and what the validation says of each method.",
        says="The methods do not agree on which proposition the findings support: the LR is below 1 by {below}, and "
        "above 1 by {above}.",
    ),
    "unusual-average": FindingKind(
        "the case lies outside its reference",
        ("amber",),
        "the average score of the case's Q or K with the reference authors lies outside those of the authors",
        "the reference may be of another kind than the case, and measures it badly",
        "Look for reference texts of the same kind as the case's.",
        says="The case's average scores with the reference authors lie outside theirs with each other ({which}), so "
        "the reference may be of another kind than the case.",
    ),
    "validated-within-one-text": FindingKind(
        "validation within one text",
        ("red",),
        "too few reference authors have two texts, so Q and K of the validation problems come from one text",
        "parts of one text are more alike than two texts of one author, so the method looks better than it is",
        "Add reference authors with two texts or more.",
        says=ONE_TEXT,
    ),
    "validated-shorter": FindingKind(
        "validation at half the length",
        ("amber",),
        "too few reference authors have texts as long as the case's, so the validation problems are half as long",
        "how the method does at one length does not show how it does at another",
        "Add longer reference texts, or use less of K.",
        says="{sentence}",
    ),
}


def finding(code: str, severity: Severity, where: Sequence[str] = (), **values: object) -> Finding:
    """A finding of a catalogued kind, with the values that its sentence names."""
    kind = CATALOGUE[code]
    assert severity in kind.severities, (code, severity)
    return Finding(code, severity, _sentence(kind.says, values), kind.remedy, tuple(where))


def _sentence(says: str | tuple[str, ...], values: Mapping[str, object]) -> str:
    if isinstance(says, tuple):
        with_values = [each for each in says if {name for name, _ in _VALUE.findall(each)} <= values.keys()]
        return " ".join(_sentence(each, values) for each in with_values)
    return _VALUE.sub(lambda match: _in_words(values[match[1]], match[2]), says)


def _in_words(value: Any, how: str) -> str:
    if how == "percent":
        return percent(value)
    if "|" in how:
        singular, several = how.split("|")
        return singular if value == 1 else several
    return repr(value) if how == "repr" else format(value, how)


def weight(code: str, severity: str) -> tuple[bool, bool]:
    """Where a finding stands among those to read before the value: by this, what bears most on it first."""
    return severity != "red", code not in _ABOVE_ALL


def first_sentence(of: Finding) -> str:
    """The first sentence of a finding, told by its kind: values, such as names, may have full stops of their own."""
    says = CATALOGUE[of.code].says
    each = (says,) if isinstance(says, str) else says
    for n in range(len(each), 0, -1):
        for chosen in combinations(each, n):
            first, *others = map(_pattern, _NEXT.split(" ".join(chosen)))
            if match := re.fullmatch(" ".join((f"({first})", *others)), of.message, re.DOTALL):
                return match[1]
    return of.message


def before_the_number(
    findings: Iterable[tuple[str, str, str]], validation: Sequence[str]
) -> list[tuple[str | None, str]]:
    """What must be read before a value, once: what bears most on it, what the validation shows (no severity), the rest.

    `findings` by code and severity, each with its words.
    """
    told: tuple[list[tuple[str | None, str]], list[tuple[str | None, str]]] = ([], [])
    is_told = any(sentence.startswith(MAY_BE_OF_ANOTHER_KIND) for sentence in validation)
    for code, severity, words in sorted(findings, key=lambda entry: weight(*entry[:2])):
        if severity != "note" and not (code == "reference-of-another-kind" and is_told):
            told[all(weight(code, severity))].append((severity, words))
    return list(dict.fromkeys([*told[0], *((None, sentence) for sentence in validation), *told[1]]))


def by_name(sentence: str, *, label: str, candidate: str) -> str:
    """A sentence without the folders of a comparison's texts; where each lies stands in the annexes."""
    for folder in (f"questioned/{label}/", f"known/{candidate}/", "reference/"):
        sentence = sentence.replace(folder, "")
    return sentence


def _pattern(sentence: str) -> str:
    """A regular expression of a finding's sentence with any values."""
    return ".*".join(map(re.escape, _VALUE.split(sentence)[::3]))

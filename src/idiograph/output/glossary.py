"""The words of the trade, each explained once for every reader: report, pages and documentation."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A word, as each reader needs it explained; empty where a reader does not meet it."""

    word: str
    short: str = ""  # a line of the report's glossary
    long: str = ""  # a sentence or two on the pages
    code: str = ""  # docs/terminology.md: what the code calls it
    meaning: str = ""  # and what it is


# In the order of docs/terminology.md; words for one thing stand together.
TERMS = (
    Term(
        "Q, K, reference",
        short="the questioned text; texts known to be by the candidate; texts by others of the population",
    ),
    Term(
        "Q, questioned text", code="`q`", meaning="the text or texts whose author is in question: one unit of evidence"
    ),
    Term("questioned text", long="Q: the text, or texts taken as one, whose author is in question."),
    Term(
        "K, known writings",
        code="`k`",
        meaning="everything that is known to be by the candidate and is compared with Q",
    ),
    Term(
        "known writings",
        long="K: texts that are known to be by the candidate, as similar in kind to the questioned text as possible.",
    ),
    Term(
        "candidate",
        long="The person whose authorship of the questioned text is in question.",
        code="`candidate`",
        meaning="the author of K; the person whose authorship of Q is in question",
    ),
    Term(
        "reference",
        long="Texts by other people from the population, several authors with several texts each. None of "
        "them may be by the candidate.",
        code="`reference`",
        meaning="texts by other people, who stand for the population; never by the author of K or of Q",
    ),
    Term(
        "population",
        long="The people one of whom wrote the questioned text if the candidate did not. Only you can say "
        "who they are; a likelihood ratio means nothing without them.",
        code="`population`",
        meaning="the people one of whom wrote Q if the candidate did not; the user states it",
    ),
    Term(
        "Hp, Hd",
        short="the two propositions: the candidate wrote Q; another person from the population wrote it",
        code="`same`, `different`",
        meaning="the two propositions: the candidate wrote Q; someone else from the population wrote Q",
    ),
    Term(
        "proposition",
        long="One of two statements that exclude each other: Hp, that the candidate wrote the text, and "
        "Hd, that some other person from the population did.",
    ),
    Term("problem", code="`Problem`", meaning="a Q, a K and a reference that may be compared"),
    Term("trial", code="`Trial`", meaning="a problem whose answer is known, with its score and LLRs"),
    Term(
        "condition",
        code="`condition`",
        meaning="how Q and K of a study's problems are made: lengths, way of drawing, across what",
    ),
    Term(
        "masking",
        short="replacing the words that tell what a text is about, so that grammar remains",
        long="Replacing the words that tell what a text is about by their word class, so that what remains is grammar.",
        code="`mask`",
        meaning="replacing words that tell what a text is about by tags of their word class",
    ),
    Term(
        "token",
        short="a word or a punctuation mark",
        long="A word or a mark of punctuation as it is scored, after masking.",
    ),
    Term("n-gram", long="Several tokens in a row."),
    Term("sentence", code="`Sentence`", meaning="a tuple of masked tokens; λG treats sentences as independent"),
    Term(
        "order (N), repetitions (r), discount (D)",
        code="`order`, `repetitions`, `discount`",
        meaning="longest n-gram (10); number of reference models (30); Kneser-Ney's D (0.75)",
    ),
    Term("grammar model", code="`GrammarModel`", meaning="interpolated Kneser-Ney model of a set of sentences"),
    Term(
        "reference model",
        code="`reference_model`",
        meaning="a grammar model of as many sentences as K has, drawn from the reference",
    ),
    Term(
        "λG",
        short="the score: how much more expected each token of Q is from the candidate than from others, summed up",
        long="The sum, over all tokens of the questioned text, of how much more expected each is in the "
        "candidate's writing than in the reference, as powers of ten. It is not yet a likelihood "
        "ratio.",
        code="`lambda_g`, on a `Score`",
        meaning="sum over the tokens of Q of log10 P(token | K's model) minus the mean of log10 P(token | "
        "reference model); uncalibrated",
    ),
    Term("evidence", code="`evidence`", meaning="the terms of that sum, one for each token and sentence end"),
    Term(
        "N(Q), V1(Q)", code="`n_tokens`, `n_hapaxes`", meaning="tokens in masked Q; types that occur in it exactly once"
    ),
    Term("hapax", meaning="a token type that occurs once in a named text"),
    Term("ΛG", code="`value` of an `LLR`", meaning="the corrected λG; read in bits (`docs/evidence.md` says why)"),
    Term(
        "likelihood ratio (LR)",
        short="how many times more likely the findings are under Hp than under Hd; 1/13: 13 times under Hd",
    ),
    Term(
        "likelihood ratio",
        long="LR: how many times more likely the findings are if Hp is true than if Hd is true. It is not "
        "the probability that somebody wrote something.",
    ),
    Term("LR", code="`lr`", meaning="how many times more likely the evidence is if Hp than if Hd"),
    Term("LLR", code="`nats`, `log10`", meaning="its logarithm; natural inside the code, base 10 for people"),
    Term(
        "log10 LR",
        short="the LR as a power of ten: 1 is 10, 2 is 100, −1 is 1/10",
        long="The likelihood ratio as a power of ten: 1 stands for 10, 2 for 100, −1 for 1/10.",
    ),
    Term("verbal scale", long="A published table that gives words for ranges of the likelihood ratio."),
    Term("method", long="The formula that turns λG into a likelihood ratio. It is fixed before the text is scored."),
    Term(
        "correction",
        code="`hapax`, `square_root`, `sentence`",
        meaning="from λG to an LLR by a formula, without training data",
    ),
    Term("calibration", code="`Calibrator`", meaning="from λG to an LLR by logistic regression on trials"),
    Term(
        "validation",
        short="the same method on problems with known answers, made of the reference as the case is made",
        long="Running the method on problems with known answers, made from the reference in the way the "
        "case is made. It comes before the number, and where it fails no number is reported.",
    ),
    Term(
        "Cllr",
        short="what the LRs of the validation cost on average: 0 is perfect, 1 is no better than giving no evidence",
        long="The average cost of a method's likelihood ratios in the validation: 0 is perfect, 1 is no "
        "better than giving no evidence, and above 1 they mislead.",
        code="`cllr`",
        meaning="cost of LLRs in bits: 0 is perfect, 1 is no better than giving no evidence",
    ),
    Term(
        "Cllr_min, Cllr_cal",
        code="`cllr_min`, `cllr_cal`",
        meaning="the part due to discrimination, and the rest, due to calibration",
    ),
    Term(
        "misleading evidence",
        code="`misleading`",
        meaning="an LR on the wrong side of 1 (or beyond 10, 100 on the wrong side)",
    ),
    Term(
        "misleading", short="an LR for the wrong proposition: below 1 where the author is the same, above 1 where not"
    ),
    Term(
        "bound",
        short="the largest LR that the number of authors in the validation can support",
        long="The largest likelihood ratio that the validation material can support; a larger one is not reported.",
    ),
    Term("bounds", code="`elub`", meaning="the LLRs beyond which the validation material supports no claim"),
    Term(
        "trace-anchored, source-anchored",
        meaning="different-author comparisons that keep Q and change K, or keep K and change Q",
    ),
    Term(
        "signature", code="`signature`", meaning="every setting that can change a number, and the version, on one line"
    ),
    Term("seed", long="A number that decides every random draw, so that the same seed gives the same digits."),
    Term(
        "recipe", long="A list of cleaning steps, such as removing signatures from e-mails, applied to all texts alike."
    ),
    Term(
        "encoding",
        long="How a file's bytes stand for letters. UTF-8 is the usual one today; a wrong one gives broken letters.",
    ),
    Term("audit", long="What is wrong or doubtful about the texts, found before anything is scored."),
    Term("digest", long="A SHA-256 checksum: two files with the same one are the same, byte for byte."),
    Term("replay", long="Running a filed case again and comparing all that was filed with what comes out now."),
    Term(
        "seal",
        long="A list of the digests of everything that was filed. It shows whether anything was changed "
        "since, but not by whom unless it is signed.",
    ),
    Term(
        "run",
        long="One pass through the case, from its texts to its report. Every run is on record, including those that "
        "were stopped.",
    ),
    Term("quick run", long="A run without validation, to see that everything works. Its number must not be relied on."),
    Term("heat map", long="The questioned text with each word shaded by how far it supports either proposition."),
    Term(
        "study",
        long="Many problems with known answers, made from a corpus, to see how well the methods do at given lengths.",
    ),
    Term("corpus", long="Texts by several authors, each with several texts."),
)

ON_PAGES = {term.word: term.long for term in TERMS if term.long}
# What a reader of a report asks first comes first.
IN_REPORT = tuple(
    (term.word, term.short)
    for word in (
        "Q, K, reference",
        "Hp, Hd",
        "likelihood ratio (LR)",
        "log10 LR",
        "bound",
        "validation",
        "Cllr",
        "misleading",
        "token",
        "masking",
        "λG",
    )
    for term in TERMS
    if term.word == word
)

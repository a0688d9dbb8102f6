"""The words of the trade that the pages use, each in a sentence or two."""

GLOSSARY = {
    "questioned text": "Q: the text, or texts taken as one, whose author is in question.",
    "candidate": "The person whose authorship of the questioned text is in question.",
    "known writings": (
        "K: texts that are known to be by the candidate, as like the questioned text in kind as possible."
    ),
    "reference": (
        "Texts by other people from the population, several authors with several texts each. None of them may "
        "be by the candidate."
    ),
    "population": (
        "The people one of whom wrote the questioned text if the candidate did not. Only you can say who they "
        "are; a likelihood ratio means nothing without them."
    ),
    "proposition": (
        "One of two statements that exclude each other: Hp, that the candidate wrote the text, and Hd, that "
        "some other person from the population did."
    ),
    "likelihood ratio": (
        "LR: how many times more likely the findings are if Hp is true than if Hd is true. It is not the "
        "probability that somebody wrote something."
    ),
    "log10 LR": "The likelihood ratio as a power of ten: 1 stands for 10, 2 for 100, −1 for 1/10.",
    "λG": (
        "The sum, over all tokens of the questioned text, of how much more expected each is in the "
        "candidate's writing than in the reference, as powers of ten. It is not yet a likelihood ratio."
    ),
    "token": "A word or a mark of punctuation as it is scored, after masking.",
    "masking": (
        "Replacing the words that tell what a text is about by their word class, so that what remains is grammar."
    ),
    "n-gram": "Several tokens in a row.",
    "method": "The formula that turns λG into a likelihood ratio. It is fixed before the text is scored.",
    "validation": (
        "Running the method on problems with known answers, made from the reference in the way the case is "
        "made. It comes before the number, and where it fails no number is reported."
    ),
    "Cllr": (
        "The average cost of a method's likelihood ratios in the validation: 0 is perfect, 1 is what saying "
        "nothing costs, and above 1 they mislead."
    ),
    "bound": "The largest likelihood ratio that the validation material can support; a larger one is not reported.",
    "verbal scale": "A published table that gives words for ranges of the likelihood ratio.",
    "seed": "A number that decides every random draw, so that the same seed gives the same digits.",
    "recipe": "A list of cleaning steps, such as removing signatures from e-mails, applied to all texts alike.",
    "encoding": (
        "How a file's bytes stand for letters. UTF-8 is the usual one today; a wrong one gives broken letters."
    ),
    "audit": "What is wrong or doubtful about the texts, found before anything is scored.",
    "digest": "A SHA-256 checksum: two files with the same one are the same, byte for byte.",
    "replay": "Running a filed case again and comparing every digit with what was filed.",
    "seal": (
        "A list of the digests of everything that was filed. It shows whether anything was changed since, but "
        "not by whom unless it is signed."
    ),
    "run": "One time that the case was worked through. Every run is kept, also those that were stopped.",
    "quick run": "A run without validation, to see that everything works. Its number must not be relied on.",
    "heat map": "The questioned text with each word shaded by how far it supports either proposition.",
    "study": "Many problems with known answers, made from a corpus, to see how well the methods do at given lengths.",
    "corpus": "Texts by several authors, each with several texts.",
}


def anchor(name: str) -> str:
    """The place of an entry on its page."""
    return "".join(char if char.isalnum() else "-" for char in name.lower())

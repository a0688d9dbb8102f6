"""Every sentence that the pages say and no template holds, in one place so that it can be translated."""

from idiograph.errors import counted


def anchor(name: str) -> str:
    """The place of an entry on its page."""
    return "".join(char if char.isalnum() else "-" for char in name.lower())


# What is refused before a page is made.
OTHER_HOST = "This address is not the one that Idiograph was started with. Use the address that it opened."
OTHER_SITE = "This request did not come from one of Idiograph's own pages, so nothing was done."
NO_METHOD = "Idiograph's pages can only be read and filled in."
NO_COOKIE = (
    "This browser was not given Idiograph's address. Start Idiograph again, or open a page that is still open and "
    "choose “Open in another browser” there."
)
USED_ADDRESS = (
    "This address has already been used, or belongs to an earlier start. Start Idiograph again, or choose “Open in "
    "another browser” on a page that is still open."
)
OTHER_FORM = "This form was made for another browser or an earlier start. Load the page again and send it once more."

# Uploads.
NOT_A_FORM = "What arrived is not a form with files. Load the page again and choose the files once more."
TOO_SLOW = "Nothing arrived for a minute, so the upload was abandoned. None of it was kept; try again."
CUT_OFF = "The upload ended before it was complete. None of it was kept; try again."
NO_FILES = "No file was chosen, or all of them were hidden. Choose files, then add them."
OUTSIDE = (
    "These texts lie outside the case's folder “texts”, so these pages do not change them. Change them where they are, "
    "or add yours under another name."
)
THERE_ALREADY = (
    "There is already a different file {} here, so nothing was copied. Remove that one first, or rename the new one."
)
NAMED_TWICE = "This name is already taken. Choose another."
STILL_READING = "The texts are still being read. Wait a moment and save once more."
RUNNING = "This is being run. Wait until it is done, or stop it first."


def too_much(limit: int) -> str:
    """A request beyond the limit (bytes)."""
    return f"More than {limit / 1e6:,.1f} MB arrived at once. None of it was kept; send it in smaller portions."


def too_many(limit: int) -> str:
    """A request with too many files."""
    return f"More than {limit:,} files arrived at once. None of them was kept; send them in smaller portions."


def file_too_large(name: str, limit: int) -> str:
    """A file beyond the limit (bytes)."""
    return (
        f"{name[:80]} has more than {limit / 1e6:,.1f} MB, the limit that Idiograph was started with. None of this "
        "upload was kept. Split the file."
    )


REFERENCE = "Reference"
# A study.
NO_CORPUS = "Choose a corpus first: drop its folder above, or take the reference of a case."
PROGRAMS = (
    "This study brings programs of its own, and they run only after you have read them: look at the page of the study, "
    "which shows them as they are now, and say there that they may run."
)

# A case.
UNASKED = (
    "The case names files outside its folder, and none of them has been read: somebody else may have written the "
    "case, and could name any file of yours. Look at the paths on the page “Texts”, and say there that they may be "
    "read."
)
TOO_LONG = (
    "Looking through this folder took longer than a minute and was abandoned. Other folders are not affected. Look at "
    "what is in it, and move away what does not belong there."
)
NO_DRAFT = "There is no {} in this folder, so it is not one that these pages show."
NOT_TEXT = "Some names in this folder are not text (UTF-8), so these files cannot be shown or downloaded: {}."
LEFT_OUT = "These files are not in this archive, because they could not be read or are too large:\n\n{}\n"
UNTITLED = "Give it a title, which becomes the name of its folder."
ELSEWHERE = (
    "This was changed in another window since the page was loaded. What you typed is still here and was not "
    "saved; look at it and save once more."
)
NEEDS_CASE = "The case is not complete yet: {}"
CRASHED = "The work ended unexpectedly. What was filed before is untouched; start it again."
BUG = "This is a fault of Idiograph's, not yours ({}). What was filed before is untouched."
AT_WORK = {
    "queued": "Waiting for another task.",
    "beginning": "Working: starting up.",
    "stage": "Working…",
    "between": "Working: the next step is being prepared, which takes longer with more text.",
}
# How the names of the stages of a validation begin.
VALIDATION = ("Validating", "Guarding", "Second opinions", "Resampling")
STOPPED = "Stopped. What was filed before is untouched; it can be run again."
SHUT = "Idiograph has been stopped. You can close this window."

TEXTS_CHANGED = "The texts or settings are no longer those of this run, so its words cannot be looked up in them."

STATES = {
    "draft": "draft",
    "queued": "waiting",
    "running": "running",
    "reported": "filed",
    "refused": "refused: no value",
    "partly": "refused in part",
    "failed": "the last run failed",
    "interrupted": "the last run was stopped",
    "unfinished": "the last run did not finish",
    "damaged": "damaged",
}
# Of a run among others.
OUTCOMES = STATES | {"failed": "failed", "interrupted": "stopped", "unfinished": "did not finish"}
EXAMPLE = "Example: a message of 1864"
ORDERS = {"name": "by name", "date": "newest first", "state": "by state"}
STEP_STATES = {"todo": "to do", "done": "done", "problem": "problem", "work": "working", "usual": "optional"}
STEPS = {
    "texts": "Texts",
    "question": "Question",
    "preparation": "Preparation",
    "method": "Method",
    "particulars": "Particulars",
    "plan": "Check and plan",
    "run": "Run",
    "result": "Result",
    "runs": "Runs",
    "look": "Look into the texts",
}
TABLES = {
    "propositions": "The two propositions",
    "texts": "The texts",
    "register": "The registers of the texts",
    "method": "The grammar model",
    "reading": "How files are read",
    "expert": "The expert",
    "case": "The case",
    "review": "The review",
    "design": "The design",
    "lambdag": "The grammar model",
    "methods": "The methods",
    "attack": "Attacked texts",
    "seeds": "The seeds",
}
# Names of settings as the pages show them; any other is shown as the case file has it.
LABELS = {
    "primary": "Method",
    "scale": "Verbal scale",
    "caveats": "Your own caveats",
    "hp": "First proposition (Hp)",
    "hd": "Alternative proposition (Hd)",
    "exclude_authors": "Reference authors to leave out",
    "order": "Longest n-gram (order N)",
    "repetitions": "Reference models (r)",
    "discount": "Discount (D)",
    "candidates": "Methods to choose among",
    "model": "Tagger model",
    "typing": "Typing of the originals",
    "second_opinions": "Second opinions for the annex",
    "use": "Methods",
    "metadata": "Table of the texts",
    "questioned": "Register of the questioned texts",
    "known": "Register of the known texts",
    "reference": "Register of the reference",
    "skip_bad": "Go on without unreadable files",
    "format": "Kind of file",
    "author": "One author of all texts",
    "author_from": "Where authors are named",
    "pattern": "Pattern of file names",
    "unwrap": "Joining of wrapped lines",
    "quotes": "Quoted and forwarded mail",
    "sentences": "Ends of sentences in masked text",
    "pairs": "Which problems are made",
    "baseline": "The method that the others are compared with",
    "calibration": "Share of authors for calibration",
    "leave_authors_out": "Calibrate each trial on all others",
    "cohort": "Reference authors that normalise",
    "vary": "What varies from run to run",
    "design.reference": "Whose texts the reference holds",
    "seeds.reference": "Seed of the reference",
    "seeds.texts": "Seed of the texts",
    "seeds.split": "Seed of the halves",
    "drawing": "How Q and K are drawn",
    "evidence": "What is kept with each trial",
    "n_pairs": "Problems with different authors per author",
    "reference_texts": "Which texts of the reference",
    "fewest_authors": "Fewest authors in each half",
    "fold": "Authors left out together",
    "groups": "Groups of folds",
    "cases": "Further draws of Q and K",
    "impostors": "Impostors of each author",
    "insert": "Put phrases typical of K into Q",
    "disguised": "Imitations and disguised texts",
    "fuse": "Methods that fusion joins",
    "original": "Let comparators read the originals",
    "compared_units": "Compare the three units",
    "unit": "Unit of corrected scores",
    "resamples": "Resamples of authors",
}
# Choices in words; methods and scales have their own names.
CHOICES = {
    "primary": {"auto": "the topic-controlled LR, or the reference-normalised where texts come masked"},
    "bounds": {
        "auto": "those that go with the method",
        "elub": "what the number of authors can support",
        "published": "what they and the published validation together bear out",
        "none": "none",
    },
    "scale": {"numbers": "no words, numbers only"},
    "masking": {
        "posnoise": "POSNoise: content words become their word class",
        "frames": "frames of function words",
        "textdistortion": "text distortion",
        "list": "a list of function words",
        "none": "none: the texts as they are",
        "masked": "none: the texts are masked already",
    },
    "constants": {"english": "learnt on English corpora", "none": "none: the fit then takes 8 authors"},
    "format": {"auto": "by the names of the files"},
    "author_from": {
        "auto": "whatever applies", "folder": "the sub-folder", "pattern": "the pattern of file names",
        "metadata": "the table of the texts", "column": "a column of a table", "mail": "the sender of a mail",
        "none": "nowhere",
    },
    "unwrap": {"auto": "where lines look wrapped"},
    "quotes": {"cut": "left out", "keep": "kept"},
    "sentences": {"lines": "at line ends", "marks": "also at . ? !"},
    "pairs": {
        "trace": "every Q with another author's K", "source": "every K with another author's Q",
        "outside": "every K with the Q of somebody outside the case data", "all": "every Q with every K, as in a case",
    },
    "drawing": {
        "whole": "whole texts", "random": "sentences at random, as in the paper's grids",
        "contiguous": "runs of sentences, as in a case",
    },
    "reference": {
        "case": "the other case authors", "own half": "the other authors of the problem's own half",
        "all": "all other authors", "pool": "those of a pool alone",
    },
    "reference_texts": {"known": "those marked as known"},
    "vary": {"split": "who is in which half", "texts": "the texts of Q and K", "reference": "the reference models"},
    "evidence": {"none": "nothing but its score", "sentences": "λ of its sentences", "tokens": "λ of its tokens"},
    "cases": {"near": "near in topic", "random": "the first", "far": "far in topic"},
}  # fmt: skip
# What the pages say of settings whose own help speaks of keys and of earlier versions.
_EVERY = "Where every Q meets every K"
HELPS = {
    "primary": "The one method whose value is reported.",
    "bounds": "What limits the reported value.",
    "scale": "The words that go with the number.",
    "masking": "How content is masked, so that the texts' subjects do not decide.",
    "constants": "Where the reference is small, the fit of the reference-normalised LR is pulled towards constants "
    "learnt on other corpora.",
    "typing": "Let the reference-normalised and the topic-controlled LR also compare how the originals are typed; "
    "devices and editors leave such traces, too.",
    "q_tokens": "Several lengths are separated by commas; each is tried with every length of K.",
    "k_tokens": "Several lengths are separated by commas.",
    "drawing": "What Q and K are made of.",
    "pairs": "Which problems with different authors are made; where every Q meets every K, folds take the place of a "
    "calibration half.",
    "fold": f"{_EVERY}: about how many authors are left out together; there are at least three such folds.",
    "most_authors": f"{_EVERY}: how many authors take part at most, drawn at random. The work grows with their square.",
    "groups": f"{_EVERY}: this many groups of folds, each left out of λG's reference as a whole, which is faster.",
    "cases": f"{_EVERY}: further draws of the left-out authors, judged by the same reference.",
    "impostors": f"{_EVERY}: how many other authors, those closest in topic, an author's Q is also compared with.",
    "cohort": "How many authors the reference-normalised, topic-controlled and guarded LRs go by: of each fold where "
    "every Q meets every K (default: all others), else of the calibration half (default: at most 30).",
    "disguised": "Also judge problems whose Q is called an imitation or obfuscation where the texts are described.",
    "use": "The methods that are tried.",
    "fuse": "Default: the reference-normalised LR and all comparators in use.",
    "reference": "Whose texts the reference models are made of.",
}
# Whose the default of a setting is.
_PAPERS, _OWN = "The default is the paper's.", "Idiograph's own, not in the paper."
SOURCES = {
    "order": _PAPERS,
    "repetitions": _PAPERS,
    "discount": _PAPERS,
    "masking": _PAPERS,
    "bounds": _OWN,
    "constants": _OWN,
    "typing": _OWN,
    "second_opinions": "They change no reported number.",
    "scale": "From the literature on reporting, not from the paper.",
}
RARE = (
    "seed", "order", "repetitions", "discount", "constants", "typing", "second_opinions", "model", "word_list",
    "caveats", "candidates",
)  # fmt: skip
# What messages say for the command line, and what the pages say instead.
INSTEAD = {
    "; the command “idiograph prepare” finds and lists them": "; the finding names them",
    ", in a column work or date of a table of metadata (--metadata)": " in the table of the texts, on the page “Texts”",
    ", in a column work or date of a table of metadata; the command “idiograph works” proposes one": (
        " in the table of the texts, on the page “Texts”, which proposes one"
    ),
    " Name a folder that holds them with --inputs; they are found by their SHA-256.": " Put them back.",
    ", or name a folder that holds them with --inputs; they are found by their SHA-256.": (
        " (removed ones are in the bin, on the page “Texts”)."
    ),
    " Pass --key to sign the new one, or move seal.json and seal.json.sig elsewhere first.": (
        " Sign the new one outside the pages, or move seal.json and seal.json.sig elsewhere first."
    ),
    " (it looks like that) or --encoding detect": " (it looks like that), or “detect” there",
    "Leave out --quick, let": "Make a full run, let",
    "each under [[corpora]]": "dropped or taken from a case above",
    "name the registers in the case file": "name the registers on the page “Question”",
    "Name the registers of all three in the case file": "Name the registers of all three on the page “Question”",
    ' Set pairs = "all" in [design]': " Let every Q meet every K (“Which problems are made”)",
    'With pairs = "all" ': "Where every Q meets every K ",
    'with pairs = "all" ': "where every Q meets every K ",
    'with pairs = "all",': "where every Q meets every K,",
    'belong to pairs = "all"': "are for problems in which every Q meets every K",
    'belongs to pairs = "all"': "is for problems in which every Q meets every K",
    "pair by trace or source": "choose other problems",
    "leave_authors_out": "“Calibrate each trial on all others”",
    "baseline must be": "“The method that the others are compared with” must be",
    "Give q_tokens and k_tokens": "Give both",
    "[attack]": "the attack",
    ": a dry run, nothing was written to the results.": ":",
    "(idiograph mask)": "in the command of that name",
}


def label(key: str) -> str:
    """A setting's name on the pages."""
    return LABELS.get(key, key.replace("_", " ").capitalize())


YES, NO = "yes", "no"

# A filed run.
NOT_VALIDATED = "The method was not validated: this was a quick run, and its number must not be relied on."
NO_TRIALS = "The method could not be validated under the conditions of the case."
VALIDATED = (
    "Before Q was scored, the method was tried on {} with one author and {} with different authors, made like "
    "this case from {} of the reference (Q {}, K {} tokens). Its Cllr was {}."
)
OF_VALIDATION = "Validation"  # in front of what it showed about the method
VALIDATED_AT = "{} {}: {}, Q {} and K {} tokens"
CLLR_DIFFERS = (
    "The same reference gives several Cllrs because each comparison is validated at the lengths of its own texts, with "
    "the authors who have enough text for them ({})."
)
# The figures of a comparison in the order in which they are read.
FIGURES = {
    "value": (
        "Where the value lies",
        "The diamond is the reported value, the grey bar its range, the dotted lines its bounds; above it, what the "
        "validation gave for problems of one author and of different authors.",
    ),
    "tippett": (
        "What the validation gave for known answers",
        "The share of problems whose log10 LR was at least as high as on the axis: of one author (solid) and of "
        "different authors (dashed). The further apart the lines, the better the method tells the two apart.",
    ),
    "closeness": (
        "How close the texts are in topic",
        "How many content words the Q and K of each problem share, c. The case should lie among the problems.",
    ),
    "pav": (
        "Whether values of each size are borne out",
        "The log10 LR of each problem as computed, and what the known answers make of values of that size. On the "
        "dotted line a value is worth what it says; above it, more.",
    ),
    "known_texts": (
        "Each known text against the others",
        "Each known text in turn as if it were questioned, by the Hapax Correction where the case's method depends on "
        "the reference. One that lies far to the left does not fit the rest of K.",
    ),
    "trace_anchored": (
        "Q against every author of the reference",
        "As if each of them were the candidate. The line is the case as calculated.",
    ),
    "source_anchored": (
        "Every author of the reference against K",
        "As if each of them had written Q. The line is the case as calculated.",
    ),
    "sensitivity": (
        "The value with one thing changed",
        "By other methods, other random draws, other settings, and without each known text. The line is the case as "
        "calculated, before bounds.",
    ),
    "growth": (
        "How the score grows over the text",
        "λG summed up sentence by sentence. A steady slope means evidence from the whole text, a jump evidence from "
        "one place.",
    ),
}
EVERY_COMPARISON = "All comparisons"
NAMES = "Names of the parties compared"
SETTINGS_CHANGED = "Settings were changed: {}."
PARTICULARS_CHANGED = "Particulars were corrected ({}); they are printed on the report and change no number."
INCOMPLETE_NOW = "The case is no longer complete."
TEXTS_ADDED = "{} added: {}."
TEXTS_REMOVED = "{} removed: {}."
TEXTS_OTHER = "{} changed: {}."
SEALED, SEAL_BROKEN = "sealed", "changed since it was sealed"
SEAL_UNCHECKED = "sealed, and not compared here"
COPY = "{} and {} are the same text."
NO_AUTHOR = "{} of the reference have no known author. Put each author's texts into a folder of their name."
ONE_AUTHOR = "The reference has texts by one author only. It stands for a population: add other authors."
SHARED_AUTHOR = "{} is a candidate and also an author of the reference. Remove them from the reference."
FEW_WORDS = "{} has {} words. The shorter a text is, the less it can show; the check says how much that matters here."
NO_POPULATION = "Say on the page “Question” from which population the author comes if the candidate did not write it."
MISSING = {
    "questioned": "Add the questioned text.",
    "known": "Add a candidate with their known writings.",
    "reference": "Add the reference: texts by other people like those who might have written the questioned text.",
}
UNREADABLE = (
    "Files of {} cannot be read ({}). Save them as UTF-8, state their encoding under “How files are read” on the page "
    "of the texts (“detect” looks at each file by itself), or remove them."
)
ALL = "all of them"
UNREADABLE_ALL = "Nothing in {} can be read, for the reason given above. Add other files, or remove it."
NO_NOTE = "{path} is not a note of what was removed."
NO_PAGE = "There is no such page. Go back to the list of cases."
NO_RUN = "This case has no run with that number."
NO_JOB = "This task is no longer known, because Idiograph has been restarted. The case itself says what became of it."
NO_COMPARISON = "There is no such comparison or part of the text in this run."
NO_WORD = "There is no such word in this run."
NO_FILE = "There is no such file here."
ONE_FILE = "Only one file can be given here. Choose a single one."
OWN_RECIPE = "A recipe is one of Idiograph's by name, or a file of your own that ends in .toml."
NO_TABLE = (
    "{} is not a table of the texts, so it was not used: it must be a .csv, .tsv or .jsonl file with a column “file” "
    "or “id” that names each text. Download the table, fill it in and upload it."
)
NAMELESS = "Give the candidate or the questioned text a name first."
SENTENCE_END = "end of the sentence"
SIDES = {1: "more expected in K", 0: "as expected in K as in the reference", -1: "more expected in the reference"}


def known_context(context: int, *, is_end: bool) -> str:
    """How much of what stands before a token K knows together with it."""
    what = "this end" if is_end else "this token"
    if context < 0:
        return f"K never has {what}."
    if context == 0:
        return f"K has {what}, but not after the token before it here."
    return f"K has {what} after the same {counted(context, 'token')} as here."


def occurs(n_k: int, k_tokens: int, n_reference: int, reference_tokens: int) -> str:
    """How often an n-gram occurs on both sides: counts, and rates that can be compared."""
    return (
        f"occurs {counted(n_k, 'time')} in K ({rate(n_k, k_tokens)}) and {counted(n_reference, 'time')} in the "
        f"reference ({rate(n_reference, reference_tokens)})."
    )


def rate(n: int, tokens: int) -> str:
    """A count as a rate.

    >>> rate(3, 1500)
    '2.00 per 1,000 tokens'
    """
    return f"{1000 * n / max(tokens, 1):.2f} per 1,000 tokens"


def duration(seconds: float) -> str:
    """How long something took.

    >>> duration(95), duration(3)
    ('2 minutes', '3 seconds')
    """
    return counted(round(seconds), "second") if seconds < 90 else counted(round(seconds / 60), "minute")


NEEDS_STUDY = "The study is not complete yet: {}"


def compared(label: str, candidate: str) -> str:
    """A comparison as far as it is known."""
    return f"{label or 'A questioned text to come'} and {candidate or 'a candidate to come'}"

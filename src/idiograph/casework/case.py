"""Case: what is fixed before Q is scored, and `case.toml`, the file that holds it.

Who reports, on what and for whom, and who reviewed it, are tables of the file too; they fill the report and no digit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from idiograph.casework.published import published
from idiograph.checking import LARGEST_SEED, shown
from idiograph.errors import InputError
from idiograph.evidence.constants import CONSTANTS, ENGLISH_CORPORA
from idiograph.evidence.llr import NUMBERS_ONLY, SCALES
from idiograph.evidence.methods import METHODS, by_matrix, case_methods, second_opinions
from idiograph.files import as_path, refuse_way_out
from idiograph.grammar.settings import DISCOUNT, ORDER, REPETITIONS
from idiograph.provenance import InputFile, digest_json
from idiograph.settings import changed, check_settings, read_settings, setting, to_toml
from idiograph.showing import one_line
from idiograph.texts.language import ENGLISH
from idiograph.texts.masking.rules import LANGUAGE, MODEL, WORD_LIST
from idiograph.texts.reading.memory import TextsInMemory
from idiograph.texts.reading.options import ReadingOptions
from idiograph.toml import read_toml, relative

DECLARATION = (
    "I understand my duty to the court. The opinions above are my own; I have said where they rest on the work of "
    "others or on software, and what would change them."
)


@dataclass(frozen=True, kw_only=True)
class Expert:
    """Who signs the report."""

    name: str = setting("", help="The expert who signs the report.")
    qualifications: str = setting("", help="The expert's degrees, training and experience.")
    laboratory: str = setting("", help="The laboratory or firm.")
    address: str = setting("", help="Its address.")
    contact: str = setting("", help="Telephone or e-mail.")
    declaration: str = setting(
        DECLARATION, help="The declaration of the report, to be adopted or changed; it is signed by hand."
    )

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True, kw_only=True)
class Particulars:
    """Which case it is, and which report of it."""

    number: str = setting("", help="The number of the case.")
    court: str = setting("", help="The court or authority.")
    parties: str = setting("", help="The parties, such as “R v Lee”.")
    commissioned_by: str = setting("", help="Who asked for the report.")
    instructions: str = setting("", help="What was asked, in the words of the commission.")
    exhibits: Sequence[str] = setting((), help="The exhibits, each with its number, such as “AB/1: letter”.")
    received: str = setting("", help="The date on which the texts were received.")
    examined: str = setting("", help="The dates of the examination.")
    issued: str = setting("", help="The date of the report.")
    report_number: str = setting("", help="The number of this report.")
    amends: str = setting("", help="The report that this one amends or replaces, and why.")

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True, kw_only=True)
class Review:
    """Who read the case file and the report again before it was issued."""

    reviewer: str = setting("", help="The second expert who reviewed the case file and the report.")
    date: str = setting("", help="The date of the review.")
    remarks: str = setting("", help="What the reviewer remarked, and what became of it.")

    def __post_init__(self) -> None:
        check_settings(self)


SCHEMA = 1
SIDES = ("questioned", "known", "reference")
PRIMARY = tuple(case_methods())
BEST_VALIDATED = "best-validated"
CONTROLLED = "controlled"  # the method that is freed from topic
PUBLISHED = "published"  # bounds by the published validation, too
BOUNDS = ("elub", PUBLISHED, "none")
GUARDED = "guarded"  # the second opinion that is no comparator
AUTO = "auto"  # what the case makes of its other settings
_AUTO_PRIMARY = "auto is controlled, or normalised where the texts come masked, so that their topics are not known"
MASKED = "masked"  # the texts came so
MASKINGS = ("posnoise", "frames", "textdistortion", "list", MASKED)
RULES = 2
"""The rules by which a value is reported: 1 those of 0.3.0, by which its cases are replayed; 2 those of 0.4.0."""
PRINTED_ONLY = ("expert", "particulars", "review")  # fill the report, and change nothing else
_EXAMPLE = "the example in docs/casework.md, or let `idiograph verify` write one from its options"
HD = "The questioned text [Q] was written by some other person from this population: [population]."
# What HD says where topic is controlled: the alternative author would have had to write about this, too.
HD_CONTROLLED = f"{HD.removesuffix('.')}, writing about the same matter."
_SENTENCE: dict[str, Any] = {"must": "a sentence", "allows": lambda text: bool(text.strip())}
_TEXTS: dict[str, Any] = {"allows": bool}


Side: TypeAlias = Path | TextsInMemory  # where the texts of a side are
if TYPE_CHECKING:
    Given: TypeAlias = Side | Any  # a string, a text, a corpus, a list, a data frame: made a side at once
else:
    Given = Side


@one_line
@dataclass(frozen=True, kw_only=True)
class Case:
    """What is fixed before Q is scored: the content of `case.toml`.

    An entry of `questioned` is one Q, whatever number of texts is in it; `known` names each candidate's writings. In
    place of a path each of them, and the `reference`, may be texts in memory: a text, a corpus, a list of strings or a
    data frame with the columns text and author.
    """

    title: str = setting("", help="A name for the case, printed on the report.")
    population: str = setting(
        help="The population that the alternative author of Hd comes from, such as “adult native writers of English "
        "e-mail”. A likelihood ratio means nothing without it.",
        **_SENTENCE,
    )
    primary: str = setting(
        AUTO,
        choices=(AUTO, *PRIMARY, BEST_VALIDATED),
        help=f"The one method whose value is reported; {_AUTO_PRIMARY}; best-validated is only for replaying "
        "cases that 0.3.0 filed.",
    )
    candidates: Sequence[str] = setting(
        (),
        choices=PRIMARY,
        option="--candidate-method",
        help="The methods among which best-validated chose; no new case names any.",
    )
    scale: str = setting(
        "enfsi", choices=(*SCALES, NUMBERS_ONLY), help="The verbal scale; numbers means that no words are given."
    )
    bounds: str = setting(
        AUTO,
        choices=(AUTO, *BOUNDS),
        help="What limits the reported value: elub (what the number of authors can support), published (what they and "
        "the published validation together bear out) or nothing; auto is published with controlled, else elub.",
    )
    seed: int = setting(
        1, minimum=0, maximum=LARGEST_SEED, help="Decides every random draw: the same seed gives the same digits."
    )
    caveats: Sequence[str] = setting((), option="--caveat", help="Your own sentences for the limits in the report.")
    hp: str = setting(
        "The questioned text [Q] was written by [candidate].",
        table="propositions",
        help="The first proposition; [Q], [candidate] and [population] stand for those of each comparison.",
        **_SENTENCE,
    )
    hd: str = setting(
        HD,
        table="propositions",
        help="The alternative proposition; it must exclude the first. Unless you word it yourself, controlled adds to "
        "it “writing about the same matter”.",
        **_SENTENCE,
    )
    questioned: Mapping[str, Given] = setting(
        help="Each questioned text: a label such as Q1, and a file, or a folder whose texts are one Q.",
        must='a table with at least one label and path, such as Q1 = "q.txt" under [questioned]',
        **_TEXTS,
    )
    known: Mapping[str, Given] = setting(
        help="Each candidate's own writings: the candidate's name, and a file or a folder.",
        must='a table with at least one name and path, such as Lee = "known" under [known]',
        **_TEXTS,
    )
    reference: Given = setting(
        table="inputs",
        help="Texts by other authors from the population: a file, or a folder with one per author.",
        must="a path in quotation marks",
    )
    questioned_register: str = setting(
        "",
        table="register",
        key="questioned",
        help="The register of the questioned texts in your own words, such as e-mail to friends.",
    )
    known_register: str = setting("", table="register", key="known", help="The register of the known texts.")
    reference_register: str = setting(
        "",
        table="register",
        key="reference",
        help="The register of the reference; no check finds one that is merely close to the case's own.",
    )
    masking: str = setting(
        "posnoise",
        choices=MASKINGS,
        table="texts",
        help="How content is masked; masked means that the texts are masked already.",
    )
    language: str = setting(
        ENGLISH, **LANGUAGE, table="texts", help="The language of all texts by its code, such as de; never guessed."
    )
    model: str | None = setting(None, table="texts", help=MODEL)
    word_list: Path | None = setting(None, table="texts", help=WORD_LIST)
    recipe: str | None = setting(
        None, table="texts", help="A recipe that prepares all texts, by name or as a TOML file of your own."
    )
    exclude_authors: Sequence[str] = setting(
        (),
        table="texts",
        option="--exclude-author",
        help="Reference authors to leave out.",
    )
    typing: bool = setting(
        False,
        table="method",
        help="Let normalised and controlled also compare how the originals are typed; devices and editors leave such "
        "traces, too.",
    )
    constants: str = setting(**CONSTANTS, table="method")
    second_opinions: Sequence[str] = setting(
        (),
        choices=second_opinions(),
        table="method",
        option="--second-opinion",
        help="Other methods for the annex, calibrated on the same reference.",
    )
    order: int = setting(**ORDER, table="method")
    repetitions: int = setting(**REPETITIONS, table="method")
    discount: float = setting(**DISCOUNT, table="method")
    reading: ReadingOptions = setting(
        factory=ReadingOptions, help="How all files are read: the reading options, under [reading]."
    )
    expert: Expert = setting(factory=Expert, help="Who signs the report.")
    particulars: Particulars = setting(
        factory=Particulars, key="case", help="The number, court, exhibits and dates of the case, and of its report."
    )
    review: Review = setting(factory=Review, help="Who reviewed the case.")

    def __post_init__(self) -> None:
        for name in SIDES:
            object.__setattr__(self, name, _with_texts(name, getattr(self, name)))
        check_settings(self)
        in_memory = [side for side in self.sides if isinstance(side, TextsInMemory)]
        _settle(self, masked=any(side.is_masked for side in in_memory))
        for name in (*self.questioned, *self.known):
            if not name.strip() or name.splitlines() != [name]:
                raise InputError(
                    f"{shown(name)} cannot be the label of a questioned text or the name of a candidate, which stand "
                    "in sentences. Write one that is not blank and has no line break."
                )
        if (self.primary == BEST_VALIDATED) != bool(self.candidates):
            raise InputError(
                f"primary is {self.primary} and {len(self.candidates)} candidates are named. Name the methods to "
                f"choose among with primary {BEST_VALIDATED}, and only there."
            )
        if len(self.candidates) == 1:
            raise InputError(
                f"candidates has only {self.candidates[0]}. Name two methods or more; a single one is the primary."
            )
        if self.hp.strip() == self.hd.strip():
            raise InputError("hp and hd are the same sentence. The two propositions must exclude each other.")

    @property
    def sides(self) -> tuple[Side, ...]:
        """Where the texts of every Q, every candidate and the reference are."""
        return (*self.questioned.values(), *self.known.values(), self.reference)

    @property
    def goes_by_typing(self) -> bool:
        """Whether the value itself goes by how texts are typed, of which the published validation has no trials."""
        return self.typing and self.primary in METHODS and by_matrix(self.primary)

    @property
    def registers(self) -> dict[str, str]:
        """The registers that the case names, by side; empty where it names none."""
        named = {"Q": self.questioned_register, "K": self.known_register, "the reference": self.reference_register}
        return {side: " ".join(register.split()) for side, register in named.items() if register.strip()}


def _with_texts(name: str, sides: Any) -> Any:
    """The sides of this name as they were given, texts in memory as such."""
    if name == "reference":
        return _as_side(name, sides)
    if TextsInMemory.accepts(sides):
        whose = {"questioned": "Q1", "known": "Lee"}[name]
        raise InputError(
            f'{name} has texts without a name, and results name them. Say whose they are: {name}={{"{whose}": texts}}.'
        )
    return {label: _as_side(name, side) for label, side in sides.items()} if isinstance(sides, Mapping) else sides


def _as_side(name: str, side: Any) -> Any:
    try:
        return TextsInMemory(side) if TextsInMemory.accepts(side) else side
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _settle(settings: "Case | PlanRequest", *, masked: bool = False) -> None:
    """Puts what `auto` means in its place, so that the case file, its digest and the report name it."""
    if settings.primary == AUTO:
        able = settings.masking != MASKED and not masked
        object.__setattr__(settings, "primary", CONTROLLED if able else "normalised")
    if settings.bounds == AUTO:
        object.__setattr__(settings, "bounds", PUBLISHED if settings.primary == CONTROLLED else "elub")


def as_case(case: Case | Path | str) -> Case:
    """A case as it is, or the one that a file describes."""
    return case if isinstance(case, Case) else read_case(case)


def read_case(path: Path | str) -> Case:
    """The case that the file `path` describes; its paths are relative to its folder."""
    path = as_path(path, "The case file")
    return case_from(path, folder=path.parent)


def case_from(path: Path, *, folder: Path) -> Case:
    """The case that a file describes whose paths are relative to `folder`."""
    return case_in(read_toml(path, example=_EXAMPLE), folder=folder, where=str(path))


def case_in(content: Mapping[str, Any], *, folder: Path, where: str) -> Case:
    """The case in a parsed file; `where` names it in messages."""
    case = read_settings(Case, content, where=where, folder=folder, schema=SCHEMA)
    if not is_recipe_file(case.recipe):
        return case
    recipe = folder / (case.recipe or "")
    refuse_way_out(recipe, folder)
    return replace(case, recipe=str(recipe))


def written(case: Case, *, folder: Path) -> str:
    """The case as a file's content, its paths relative to `folder`, every key with what it does."""
    if case.recipe is not None and is_recipe_file(case.recipe):
        case = replace(case, recipe=relative(Path(case.recipe), folder))
    heading = "What was fixed before the questioned text was scored."
    return to_toml(case, schema=SCHEMA, heading=heading, folder=folder)


def case_digest(case: Case, inputs: Sequence[InputFile]) -> str:
    """SHA-256 of everything the case fixes and of every input.

    Where the files lie does not enter, nor does who reports on them, to whom and after whose review: a name that is
    corrected does not make another case.
    """
    plain = asdict(case)
    for name in ("questioned", "known", "reference", *PRINTED_ONLY):
        del plain[name]
    # The digests of cases from before there was a choice stay what they were.
    if case.constants == ENGLISH_CORPORA:
        del plain["constants"]
    for name in unnamed_registers(case):
        del plain[name]
    # The table of metadata, a word list and a recipe's file are among the inputs.
    plain["word_list"] = None
    plain["recipe"] = None if is_recipe_file(case.recipe) else case.recipe
    plain["reading"] = {name: value for name, value in changed(case.reading).items() if name != "metadata"}
    plain["labels"] = [list(case.questioned), list(case.known)]
    plain["inputs"] = [asdict(file) for file in inputs]
    return digest_json(plain)


def unnamed_registers(case: Case) -> tuple[str, ...]:
    """The fields of registers that the case leaves empty."""
    return tuple(name for name in (f"{side}_register" for side in SIDES) if not getattr(case, name))


def by_rules_of(settings: Mapping[str, Any], case: Case) -> Case:
    """A case as a filed run read it, by the settings on record with the run; before 0.4 these named no rules."""
    try:
        return replace(case, reading=replace(case.reading, rules=settings.get("reading_rules", 1)))
    except InputError as error:
        raise InputError(f"{error} Use the version of Idiograph that filed the case.") from error


def is_recipe_file(recipe: str | None) -> bool:
    """Whether a recipe is a file of the user's, not one of Idiograph's by name."""
    return recipe is not None and recipe.endswith(".toml")


@one_line
@dataclass(frozen=True, kw_only=True)
class PlanRequest:
    """What is at hand for a case, or how much of it there will be; whatever is left out is not known yet."""

    questioned: str | None = setting(None, help="Q: a file or a folder, or the number of tokens it will have.")
    known: str | None = setting(None, help="K: a file or a folder, or the number of tokens it will have.")
    reference: str | None = setting(
        None, help="Texts by other authors: a file or a folder, or the number of authors who will have enough text."
    )
    register: str | None = setting(
        None,
        choices=published().registers,
        help="The register of the texts, to quote what the published validation found in it; else in all together.",
    )
    primary: str = setting(
        AUTO,
        choices=(AUTO, *PRIMARY),
        help=f"The method whose published results are quoted, that of the case to come; {_AUTO_PRIMARY}.",
    )
    bounds: str = setting(
        AUTO,
        choices=(AUTO, *BOUNDS),
        help="What limits the value of the case to come; auto is published with controlled, else elub.",
    )
    masking: str = setting("posnoise", choices=MASKINGS, help="How content is masked, as in the case to come.")
    language: str = setting(ENGLISH, **LANGUAGE, help="The language of all texts by its code, such as de.")
    model: str | None = setting(None, help=MODEL)
    word_list: Path | None = setting(None, help=WORD_LIST)
    recipe: str | None = setting(None, help="A recipe that prepares all texts, as in the case to come.")
    exclude_authors: Sequence[str] = setting((), option="--exclude-author", help="Reference authors to leave out.")
    seed: int = setting(1, minimum=0, maximum=LARGEST_SEED, help="Decides how texts are divided, as in the case.")
    reading: ReadingOptions = setting(factory=ReadingOptions, help="How all files are read.")

    def __post_init__(self) -> None:
        check_settings(self)
        _settle(self)

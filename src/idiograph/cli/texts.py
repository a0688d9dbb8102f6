"""The commands about texts, without a score: mask, works, prepare with the way back, concordance and map."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from idiograph.checking import n_workers
from idiograph.cli.app import app
from idiograph.cli.options import Workers, options, reads, say
from idiograph.errors import InputError, counted, print
from idiograph.files import refuse_to_overwrite
from idiograph.progress import progress
from idiograph.settings import settings_from_options
from idiograph.texts.language import ENGLISH, check_language
from idiograph.texts.masking.corpus_file import (
    CorpusHeader,
    is_masked_corpus,
    iter_masked,
    masked_writer,
    read_header,
)
from idiograph.texts.masking.rules import MaskingOptions, n_kept
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.report import ReadingLog
from idiograph.texts.reading.tables import AS_FOUND
from idiograph.texts.text import MaskedText, Text


@app.command()
@reads
@options(MaskingOptions, argument="given", panel="Masking", raw=True)
def mask(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A folder, a file, or a folder made by prepare.")],
    out: Annotated[Path, typer.Option("--out", help="The masked corpus to write (JSON Lines).")],
    masked: Annotated[
        bool,
        typer.Option(
            "--masked",
            help="The texts are already masked: keep their tokens as they are. Also: --masking masked.",
        ),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Processes to use at most (default: one per processor, at most six)."),
    ] = None,
    cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Use what was masked before, and keep it.")] = True,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    show: Annotated[int, typer.Option("--show", min=0, help="Print this many masked sentences.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    *,
    given: dict[str, Any],
    reading: ReadingOptions,
) -> None:
    """Hide what texts are about and keep how they are written; each token knows the characters it came from."""
    from idiograph.texts.masking.batches import mask_stream
    from idiograph.texts.masking.mask import masking_settings, most_processes, refuse_empty
    from idiograph.texts.reading.read import stream, stream_masked

    if given.get("method") == "masked":  # as a case and a study say it
        masked, _ = True, given.pop("method")
    masking = settings_from_options(MaskingOptions, given)
    refuse_to_overwrite(out, force=force)
    if out.is_dir():
        raise InputError(f"{out} is a folder, and a masked corpus is one file. Name a file, such as {out}.jsonl.")
    if not out.name:
        raise InputError("--out names no file. Name one, such as masked.jsonl.")
    path, log, languages = source, ReadingLog(str(source)), _Languages()
    with progress("Masking", total=None, unit="characters") as advance:
        texts: Iterable[MaskedText]
        if is_masked_corpus(path):
            header, texts = read_header(path), iter_masked(path)
            print(f"{path} is already masked ({header.masking}); its texts are kept as they are.", file=sys.stderr)
        elif masked:
            header, texts = CorpusHeader(AS_FOUND, None), stream_masked(path, reading, log)
        else:
            how = masking_settings(**vars(masking))
            header = CorpusHeader.of(how)
            texts = mask_stream(
                languages.checked(stream(path, reading, log), how.model.language),
                how,
                workers=workers or most_processes(),
                cache=cache,
                advance=advance,
            )
        done = _Summary(header, out)
        with masked_writer(out, header) as write:
            for text in done.counted(texts, show=show):
                write(text)
            if not reading.skip_bad:
                refuse_empty(done.empty)
            if not done.n_texts:
                raise InputError("No text with a token was found, so there is nothing to write. Check what was read.")
    if log.seen:
        say(log.report())
    languages.print()
    done.print(as_json=as_json, languages=languages)


@dataclass
class _Languages:
    """Which texts do not look like the language that was said, and how many could not be checked."""

    other: dict[str, str] = field(default_factory=dict)  # id -> the rest of "the text …"
    unchecked: dict[str, str] = field(default_factory=dict)
    language: str = ENGLISH

    def checked(self, texts: Iterable[Text], language: str) -> Iterator[Text]:
        """The texts as they come, each held against the lists of function words."""
        self.language = language
        for text in texts:
            check = check_language(text.content, language)
            if check.verdict == "unchecked":
                self.unchecked[text.id] = check.sentence
            elif check.verdict != "fits":
                self.other[text.id] = check.sentence
            yield text

    def print(self) -> None:
        for id_, sentence in self.other.items():
            print(f"Check the language: {id_} {sentence}.", file=sys.stderr)
        if self.unchecked and self.language != ENGLISH:
            id_, sentence = next(iter(self.unchecked.items()))
            more = f" (texts that could not: {len(self.unchecked):,})" if len(self.unchecked) > 1 else ""
            print(f"{id_} {sentence}{more}.", file=sys.stderr)


@dataclass
class _Summary:
    """What went into the file."""

    header: CorpusHeader
    out: Path
    n_texts: int = 0
    n_sentences: int = 0
    n_tokens: int = 0
    kept: dict[str, int] = field(default_factory=dict)  # id -> tokens that masking left as they were
    shares: list[float] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)

    def counted(self, texts: Iterable[MaskedText], *, show: int) -> Iterator[MaskedText]:
        """The texts that hold a token."""
        for text in texts:
            if not text.n_tokens:
                self.empty.append(text.id)
                continue
            self.n_texts += 1
            self.n_sentences += text.n_sentences
            self.n_tokens += text.n_tokens
            if (kept := n_kept(text)) is not None:
                self.kept[text.id] = kept
                self.shares.append(kept / text.n_tokens)
            self.shown += [" ".join(sentence) for sentence in text.sentences[: show - len(self.shown)]]
            yield text

    def print(self, *, as_json: bool, languages: _Languages) -> None:
        for id_ in self.empty:
            print(f"Skipped: {id_} has no token.", file=sys.stderr)
        if as_json:
            tagger = self.header.tagger
            counts = {"texts": self.n_texts, "sentences": self.n_sentences, "tokens": self.n_tokens}
            summary: dict[str, Any] = {"path": str(self.out), **counts, "masking": self.header.masking}
            summary |= {"tagger": None if tagger is None else dict(tagger), "skipped": self.empty, "kept": self.kept}
            summary |= {"other_language": languages.other, "language_unchecked": list(languages.unchecked)}
            print(json.dumps(summary | ({"shown": self.shown} if self.shown else {})))
            return
        for sentence in self.shown:
            print(sentence)
        texts, sentences = counted(self.n_texts, "text"), counted(self.n_sentences, "sentence")
        print(f"{texts}, {sentences}, {counted(self.n_tokens, 'token')}.")
        if self.shares:
            whole = sum(self.kept.values()) / self.n_tokens
            by_text = (
                f" ({100 * min(self.shares):.0f} % to {100 * max(self.shares):.0f} % by text)"
                if len(self.shares) > 1
                else ""
            )
            print(f"Masking left {100 * whole:.0f} % of the tokens as they were{by_text}.")
        print(f"Masking: {self.header.masking}")
        print(f"Written to {self.out}.")


T = TypeVar("T")


@app.command()
@reads
def works(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The texts of a side, above all the reference.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="The table to write (CSV); without it, it is printed.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the table if it exists.")] = False,
    *,
    reading: ReadingOptions,
) -> None:
    """Propose which files are parts of one work, from their names and dates alone, as a table to look at and change.

    The table (file, author, work, date, topic, and how each was arrived at) is then given with --metadata. Parts of one
    work that are taken for two make a validation look better than it is.
    """
    from idiograph.files import write_whole
    from idiograph.texts.reading.read import read
    from idiograph.texts.works import propose_works, works_csv, works_in_words

    if out is not None:
        refuse_to_overwrite(out, force=force)
    rows = propose_works(read(source, reading))
    if out is None:
        print(works_csv(rows).replace("\r\n", "\n"), end="")
    else:
        write_whole(out, works_csv(rows))
    print(works_in_words(rows), file=sys.stderr if out is None else sys.stdout)


@app.command()
@reads
def prepare(
    source: Annotated[
        Path | None, typer.Argument(metavar="IN", help="What to prepare; with --diff, a prepared folder.")
    ] = None,
    recipe: Annotated[str | None, typer.Option("--recipe", help="A recipe's name, or your own TOML file.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The folder to write; it must be new.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder if it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    show_recipe: Annotated[
        str | None, typer.Option("--show-recipe", help="Print a recipe as TOML to edit and use, and stop.")
    ] = None,
    diff: Annotated[
        str | None, typer.Option("--diff", help="Print all that was done to the text with this id, and stop.")
    ] = None,
    restore: Annotated[
        Path | None,
        typer.Option("--restore", help="Undo the preparation in this folder; write the originals to --out."),
    ] = None,
    *,
    reading: ReadingOptions,
) -> None:
    """Clean texts by a recipe; every change is on record and can be undone.

    Writes corpus.jsonl, record.jsonl, summary.json and recipe.toml. Recipes: email, tweet, message, review, plain;
    paper-avocado, paper-twitter, paper-bolt, paper-enron and paper-all-the-news are the paper's.
    """
    if show_recipe is not None:
        from idiograph.texts.preparing.recipes import find_recipe

        print(find_recipe(show_recipe).toml(), end="")
    elif diff is not None:
        from idiograph.texts.preparing.record import load

        for line in load(_given(source, "IN, the prepared folder,")).record.diff(diff):
            print(line)
    elif restore is not None:
        _restore(restore, _given(out, "--out"), force=force)
    else:
        _prepare(
            _given(source, "IN"),
            _given(recipe, "--recipe"),
            _given(out, "--out"),
            reading,
            force=force,
            as_json=as_json,
        )


def _prepare(source: Path, recipe: str, out: Path, reading: ReadingOptions, *, force: bool, as_json: bool) -> None:
    from idiograph.texts.preparing.prepare import prepare as prepare_corpus
    from idiograph.texts.preparing.recipes import find_recipe
    from idiograph.texts.preparing.record import save, summary, summary_lines
    from idiograph.texts.reading.read import read

    refuse_to_overwrite(out, force=force)
    wanted = find_recipe(recipe)
    corpus = read(source, reading)
    say(corpus.report)
    prepared = prepare_corpus(corpus, wanted)
    save(prepared, out, force=force)
    if as_json:
        print(json.dumps(summary(prepared.record), allow_nan=False))
    else:
        print("\n".join(summary_lines(prepared.record)))
        print(f"Written to {out}; the texts are in {out / 'corpus.jsonl'}.")


def _restore(folder: Path, out: Path, *, force: bool) -> None:
    from idiograph.texts.preparing.record import load, save_corpus

    refuse_to_overwrite(out, force=force)
    originals = load(folder).restored()
    save_corpus(originals, out, force=force)
    what = f"{counted(len(originals), 'text')} as {'it was' if len(originals) == 1 else 'they were'} read"
    print(f"{what} written to {out / 'corpus.jsonl'}; each agrees with its digest.")


def _given(value: T | None, name: str) -> T:
    if value is None:
        raise InputError(f"{name} is missing. Use: idiograph prepare IN --recipe NAME --out OUT.")
    return value


_CASE = typer.Argument(metavar="CASE.TOML", help="The case file.")


@app.command()
def concordance(
    case_file: Annotated[Path, _CASE],
    query: Annotated[str, typer.Argument(metavar="WORDS", help="A word or phrase, or with --masked a pattern.")],
    masked: Annotated[
        bool, typer.Option("--masked", help="Look in the masked tokens, as in 'the N of'; * is any one token.")
    ] = False,
    most: Annotated[int, typer.Option("--most", min=0, help="Lines of each side to print.")] = 40,
    workers: Workers = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Where do Q, K and the reference have a word or a masked pattern, and how often does each author?"""
    from idiograph.casework.case import read_case
    from idiograph.casework.concordance import concordance as look_up
    from idiograph.casework.inputs import read_inputs

    answer = look_up(read_inputs(read_case(case_file), workers=n_workers(workers)), query, masked=masked, most=most)
    if as_json:
        print(json.dumps({**asdict(answer), "rates": [use.rate for use in answer.uses]}))
        return
    print(f"{answer.query}: {counted(answer.n, 'time')}, {'masked' if masked else 'as written'}")
    for use in answer.uses:
        name = use.side if use.author is None else f"  {use.author}"
        print(f"{name:24} {use.n:>7,}  {use.rate:8.2f} per 1,000 tokens, in {use.n_texts:,} of {use.of_texts:,} texts")
    for line in answer.lines:
        print(f"{line.text_id[-28:]:28} {line.before:>60} [{line.match}] {line.after:.60}")


@app.command("map")
def map_(
    case_file: Annotated[Path, _CASE],
    out: Annotated[Path, typer.Option("--out", help="The figure, .svg or .png; its numbers go beside it as .csv.")],
    questioned: Annotated[str, typer.Option("--questioned", help="The label of Q (default: the first).")] = "",
    candidate: Annotated[str, typer.Option("--candidate", help="The candidate (default: the first).")] = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite the figure.")] = False,
    workers: Workers = None,
) -> None:
    """Draw all texts of a case by how alike they are to Q and to K in what masking leaves."""
    from idiograph.casework.case import read_case
    from idiograph.casework.inputs import read_inputs
    from idiograph.casework.text_map import text_map
    from idiograph.output.case_figures import write_map_figure

    if out.suffix not in (".svg", ".png"):
        raise InputError(f"{out} does not end in .svg or .png. Name the figure by one of them.")
    refuse_to_overwrite(out, force=force)
    case = read_case(case_file)
    label, known = questioned or next(iter(case.questioned)), candidate or next(iter(case.known))
    for name, there in ((label, case.questioned), (known, case.known)):
        if name not in there:
            raise InputError(f"The case has no {name}. It has {', '.join(there)}.")
    points = text_map(read_inputs(case, workers=n_workers(workers)).texts(label, known))
    print(write_map_figure(points, out))

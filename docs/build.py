"""Writes the generated pages again: python docs/build.py. A test fails while a page differs from what this writes.

With --demo it first runs the demonstration and the tutorial in Python, and keeps what they print and a picture of a
heat map.
"""

import csv
import importlib
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from textwrap import fill
from typing import Any

import typer
from rich.text import Text

from idiograph import Case, ReadingOptions, Study

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the benchmarks are not an installed package

from benchmarks.__main__ import amount, measured_on, table
from benchmarks.figure import Figure
from docs.alarms import alarms_table
from docs.api import api_reference
from docs.character_table import characters_table
from docs.faults import faults_page
from docs.language_tables import example_sentences, languages_table, taggers_table
from docs.method_figures import build as build_method_figures
from docs.requirements import requirements_page
from docs.running import notebook, run_again
from docs.supply import SBOM, licences_page, sbom
from docs.tables import cost_table, findings_table, imitator_table, method_table, scale_table, settings_table
from docs.validation import enron_tables
from docs.validation.languages import differences_table, results_table
from docs.validation.topic import TIMES

from idiograph.cli.app import app
from idiograph.evidence.llr import SCALES
from idiograph.evidence.methods import METHODS
from idiograph.laboratory.acceptance import Criterion, Plan
from idiograph.output.glossary import TERMS
from idiograph.settings import settings_of
from idiograph.studies.settings import ConditionSettings
from idiograph.texts.language import (
    FEWEST_WORDS,
    LANGUAGES,
    check_language,
    language_name,
    stop_words,
)
from idiograph.texts.preparing import recipes as _every_step  # noqa: F401
from idiograph.texts.preparing.steps import STEPS, StepKind
from idiograph.toml import toml_value

DOCS = Path(__file__).resolve().parent
README = DOCS.parent / "README.md"
RESULTS = DOCS.parent / "benchmarks" / "results.json"
IN_PYTHON = DOCS / "tutorials" / "in_python.md"


def cli_reference() -> str:
    """docs/cli.md: every command with its arguments and options, from the help texts themselves."""
    pages = [
        "# Command line",
        "",
        "Made from the commands' own help by `make docs`. Exit codes: 0 done, 1 finished with a refusal or a failed",
        "replay, 2 the user's mistake, 130 interrupted. Results go to standard output, messages and progress to",
        "standard error.",
        "",
    ]
    group: Any = typer.main.get_command(app)
    context = typer.Context(group)
    for name in sorted(group.list_commands(context)):
        command = group.get_command(context, name)
        pages += [f"## `idiograph {name}`", "", (command.help or "").strip(), ""]
        rows = [_row(parameter) for parameter in command.params if parameter.name != "help"]
        if rows:
            pages += ["| argument or option | default | meaning |", "|---|---|---|", *rows, ""]
    return "\n".join(pages)


def _row(parameter: typer.core.TyperArgument | typer.core.TyperOption) -> str:
    if parameter.param_type_name == "argument":
        name = f"`{(parameter.metavar or parameter.name or '').upper()}`"
    else:
        name = ", ".join(f"`{option}`" for option in [*parameter.opts, *parameter.secondary_opts])
    default = parameter.default
    shown = "" if default is None or default is False or callable(default) or default == () else f"`{default}`"
    shown = "required" if parameter.required else shown
    # The help is marked up for a terminal, where square brackets need an escape.
    meaning = " ".join(Text.from_markup(parameter.help or "").plain.split()).replace("|", "\\|")
    return f"| {name} | {shown} | {meaning} |"


def tables() -> dict[str, dict[str, str]]:
    """Every table that the code makes: page, place in it, content."""
    return {
        "casework.md": {
            "case file": settings_table(Case, brief=[ReadingOptions]),
            "findings": findings_table(),
            "alarms": alarms_table(),
        },
        "evidence.md": {
            "methods": method_table(),
            **{f"scale {chosen.key}": scale_table(chosen) for chosen in SCALES.values()},
        },
        "laboratory.md": {"plan": settings_table(Plan), "criteria": settings_table(Criterion)},
        "languages.md": {
            "languages": languages_table(),
            "taggers": taggers_table(),
            "without constants": cost_table(),
            "language check": _language_check(),
            "study": results_table(),
            "differences": differences_table(),
        },
        "masking.md": {"characters": characters_table()},
        "preparing.md": {
            "steps on a text": _steps(kind for kind in STEPS.values() if not kind.on_corpus),
            "steps on a corpus": _steps(kind for kind in STEPS.values() if kind.on_corpus),
        },
        "since_0_3.md": {"figures": _since(), "bounds": _bounds()},
        "terminology.md": {"terms": _terms()},
        "reading.md": {"reading options": settings_table(ReadingOptions)},
        "studies.md": {
            "study": settings_table(Study, brief=[ReadingOptions]),
            "conditions": settings_table(ConditionSettings),
            "imitators": imitator_table(),
        },
        "validation/enron.md": enron_tables.tables(),
    }


_SINCE = (  # rows of the published table, and how this page says them
    ("near reference, far case: true LR < 1/3", "true authors on another topic than K's who get an LR below 1/3"),
    ("impostors LR > 3, reference near", "wrong authors on Q's topic who get an LR above 3"),
    ("impostors LR > 10, reference near", "and above 10"),
    ("topic-controlled Cllr, reference near", "Cllr where different authors are as close in topic"),
    ("validation claims, reference near", "Cllr that a validation claims whose authors keep to their topics"),
    ("far case gets, reference near", "Cllr that a case across topics then gets"),
    ("random case gets, reference random", "Cllr where nobody chose the topics: the price"),
    (
        "true authors with LR > 10, near reference, near case",
        "true authors on K's topic with an LR above 10: the price",
    ),
    ("stated 10 to 30 is worth, matched in c, all lengths", "what a stated LR of 10 to 30 is worth (all lengths)"),
)


def _since() -> str:
    """What topic did to values, and does: from the published table on topic."""
    rows = {row["figure"]: row for row in csv.DictReader(io.StringIO(_table("topic")))}
    columns = {
        "`normalised`": METHODS["normalised"].short,
        "times a factor": TIMES,
        "`controlled`": METHODS["controlled"].short,
    }
    lines = [f"| five open corpora, Q/K 300/1,000 and 500/2,000 | {' | '.join(columns)} |", "|---|---:|---:|---:|"]
    for figure, words in _SINCE:
        values = [float(rows[figure][column]) for column in columns.values()]
        share = "LR <" in figure or "LR >" in figure
        lines.append(f"| {words} | {' | '.join(f'{100 * v:.1f} %' if share else f'{v:.2f}' for v in values)} |")
    return "\n".join(lines)


def _bounds() -> str:
    """What bounds allow: from the published table on bounds."""
    lines = [
        "| bounds of `controlled` | median upper | of true LRs of 10 or more reported at 10 or more |",
        "|---|---:|---:|",
    ]
    for row in csv.DictReader(io.StringIO(_table("bounds"))):
        if row["method"] == METHODS["controlled"].short:
            shown = f"{float(row['median upper']):.1f} | {100 * float(row['of these reported ≥ 10']):.0f} %"
            lines.append(f"| `{row['bounds']}` | {shown} |")
    return "\n".join(lines)


def _table(name: str) -> str:
    return (DOCS / "validation" / "tables" / f"{name}.csv").read_text(encoding="utf-8")


def _language_check() -> str:
    """How the check of languages does on spaCy's own example sentences."""
    examples = {code: " ".join(example_sentences(code)) for code in LANGUAGES}
    right = {code: check_language(text, code) for code, text in examples.items()}
    checked = {code: check for code, check in right.items() if check.n_words >= FEWEST_WORDS <= len(stop_words(code))}
    doubted = [code for code, check in checked.items() if check.verdict in ("other", "in part")]
    told: dict[str, list[tuple[str, str]]] = {"noticed": [], "unchecked": [], "passed": []}
    for code in checked:
        for stated in (
            language for language in LANGUAGES if language != code and len(stop_words(language)) >= FEWEST_WORDS
        ):
            verdict = check_language(examples[code], stated).verdict
            kind = {"fits": "passed", "unchecked": "unchecked"}.get(verdict, "noticed")
            told[kind].append((language_name(code), language_name(stated)))
    n = sum(map(len, told.values()))
    passed = sorted({" as ".join(pair) for pair in told["passed"]})
    lengths = [check.n_words for check in checked.values()]
    return fill(
        f"On spaCy's own example sentences ({len(checked)} languages that have enough of them, {min(lengths)} to "
        f"{max(lengths)} words each) {len(doubted) or 'no'} text was taken for another language than its own. Of "
        f"{n:,} wrong statements {100 * len(told['noticed']) / n:.1f} % were noticed, in "
        f"{100 * len(told['unchecked']) / n:.1f} % the check said that it cannot tell, and {len(told['passed'])} "
        f"passed: {'; '.join(passed)}.",
        120,
    )


def _terms() -> str:
    rows = ["| word | in code | meaning |", "|---|---|---|"]
    for term in TERMS:
        if term.meaning:
            cells = (term.word, term.code, term.meaning.replace("|", r"\|"))
            rows.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")
    return "\n".join(rows)


def _steps(kinds: Iterable[StepKind]) -> str:
    rows = ["| step | settings and defaults | what it does |", "|---|---|---|"]
    for kind in kinds:
        settings = [
            f"`{setting.name}` {toml_value(setting.default)}{f' ({setting.limits})' if setting.limits else ''}"
            for setting in settings_of(kind.settings)
        ]
        rows.append(f"| `{kind.name}` | {', '.join(settings) or 'none'} | {kind.about} |")
    return "\n".join(rows) + "\n"


def readme(page: str) -> str:
    """The README with what its example and the demonstration print, what the methods are worth, and benchmarks."""
    for marker, content in {
        "demo": f"```text\n{_finding()}```",
        "example": f"```text\n{_kept('example.txt')}```",
        "methods": _worth(),
        "yields": _yields(),
        "benchmarks": _three_benchmarks(),
    }.items():
        page = _between(page, marker, content)
    return page


def _kept(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def _finding() -> str:
    """What the terminal says of the demonstration's first case, without the audit and the warning."""
    lines = _kept("demo.txt").splitlines(keepends=True)
    start = next(n for n, line in enumerate(lines) if line.startswith("Q1 and "))
    left_out = ("  [", "  Hp:", "  Hd:", "  This is not")
    return "".join(line for line in lines[start:] if line.strip() and not line.startswith(left_out))


def _yields() -> str:
    """What became of whole cases of open corpora, in a sentence."""
    with (DOCS / "validation" / "tables" / "yields_together.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["as"] == "0.4.0"]
    sentences = [
        f"of {row['cases']} by {row['Q and K are by']} {_percent(row['refused'])} were refused, "
        f"{_percent(row['right, 2 or more'])} reported rightly at 2 or more, and "
        f"{_percent(row['misleading, 2 or more'])} misleadingly so"
        for row in rows
    ]
    return fill(
        "What to expect of a case, roughly, by a few cases of five open corpora that were run whole: "
        + "; ".join(sentences)
        + " ([docs/validation](docs/validation/README.md), with 0.3.0 beside it).",
        120,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _percent(share: str) -> str:
    """A share without its interval."""
    return f"{share.split(' ', 1)[0]} %"


def _worth() -> str:
    """The methods with their mean Cllr in the published validation."""
    with (DOCS / "validation" / "tables" / "worth.csv").open(encoding="utf-8", newline="") as file:
        measured = {row["method"]: row for row in csv.DictReader(file)}
    rows = [
        f"| {method.name_and_source} | {method.formula} | {float(measured[method.short]['random']):.2f} "
        f"| {float(measured[method.short]['contiguous']):.2f} |"
        for method in METHODS.values()
        if method.short in measured
    ]
    header = [
        "| method | | Cllr, drawn at random as in the paper | Cllr, drawn as a case is made |",
        "|---|---|---|---|",
    ]
    return "\n".join([*header, *rows])


def _three_benchmarks() -> str:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    figures = {figure["name"]: Figure(**figure) for part in results.values() for figure in part["figures"]}
    alone = figures["the same with the index built for this problem alone, masked fiction"]
    chosen = (
        (
            "engine",
            "one problem, index open: lambdag's time ÷ ours, masked fiction",
            "times as fast as the method's own package with the index ready, "
            f"**{amount(alone.value)}** times with it built for this problem alone",
        ),
        ("studies", "problems a second", "problems per second"),
        ("agreement", "λG, orders 1 to 10", "is the largest relative difference of λG from that package"),
    )
    lines = [f"- **{amount(figures[name].value)}** {words} ({figures[name].how})" for _, name, words in chosen]
    return "\n".join([*lines, "", *dict.fromkeys(measured_on(results[section]) for section, _, _ in chosen)])


def benchmarks_page() -> str:
    """docs/benchmarks.md: every figure, and on what it was measured."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    parts = [
        "# Benchmarks",
        "",
        "Made by `make docs` from what `make bench` measured. Speed and memory are ratios to a peer or a limit",
        "measured in the same run; the peer is the method's own package, PyPI `lambdag`. Agreement is the largest",
        "relative difference of each kind of number from other implementations.",
    ]
    for name, part in results.items():
        parts += ["", f"## {name.capitalize()}", "", table(part)]
        if name == "engine":
            parts += ["", "![Time of one problem as K, Q and the reference grow](growth.svg)"]
    return "\n".join([*parts, *_mutants()]) + "\n"


def _mutants() -> list[str]:
    """What mutation testing found, as `python -m benchmarks.mutants` kept it."""
    kept = json.loads((DOCS.parent / "benchmarks" / "mutants.json").read_text(encoding="utf-8"))
    tried, missed, out = kept["tried"], kept["missed"], kept["out_of_reach"]
    seen = [f"{name} {n - unseen} of {n}" for name, (n, unseen) in kept["modules"].items()]
    rows = [
        "| " + " | ".join(cell.replace("|", "\\|") for cell in (f"`{row['mutant']}`", row["done"])) + " |"
        for row in (*kept["survived"], *kept["mended"])
    ]
    return [
        "",
        "## Mutants",
        "",
        f"The code of `evidence` and `grammar` has {kept['of']:,} places where an operator can be swapped, a number",
        f"be made one larger or a truth turned round. {tried:,} of them, some of every module and the rest at random,",
        "were made wrong one at a time and met the tests that call the function, the quickest first, not compiled:",
        f"they noticed {tried - missed:,} and missed {missed:,}. {len(out):,} more had no test in reach",
        f"that is quick without compiling, and were not tried. It is a sample (seed {kept['seed']}), not all of them.",
        "The table has what it and an earlier sample of 153 missed; those that are noticed by now stand last.",
        "",
        f"Noticed, module by module: {'; '.join(seen)}.",
        "",
        "| survived | what it is, and what was done |",
        "|---|---|",
        *rows,
    ]


def _between(page: str, name: str, content: str) -> str:
    """The page with `content` between the two comments that name its place."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    before, rest = page.split(begin, 1)
    return f"{before}{begin}\n{content}\n{end}{rest.split(end, 1)[1]}"


def keep_demo() -> None:
    """Runs the demonstration as a newcomer would and keeps what its first case printed; and a picture of a heat map."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "idiograph", "demo", "--out", "demo"]
        printed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
        first = printed.split("\nDemonstration:")[1]
        (DOCS / "demo.txt").write_text(f"Demonstration:{first}", encoding="utf-8")
        IN_PYTHON.write_text(run_again(IN_PYTHON.read_text(encoding="utf-8"), Path(folder)), encoding="utf-8")
        (DOCS / "example.txt").write_text(example(Path(folder) / "demo" / "texts"), encoding="utf-8")
        _heat_map(Path(folder))


def example(texts: Path) -> str:
    """What the README's example prints with the demonstration's texts in its folders."""
    (texts / "Lincoln").rename(texts / "known")
    code = README.read_text(encoding="utf-8").split("```python\n", 1)[1].split("```", 1)[0]
    done = subprocess.run([sys.executable, "-c", code], cwd=texts, capture_output=True, text=True, check=True)
    return done.stdout


def _heat_map(folder: Path) -> None:
    """A picture of a report's heat map, on the made-up text of the tests: no real text lies in this project."""
    import pypdfium2

    from idiograph import write_reports

    sys.path.insert(0, str(DOCS.parent / "tests"))
    verification = importlib.import_module("made_up_case").verification
    write_reports(verification(), folder)
    document = pypdfium2.PdfDocument(folder / "annexes.pdf")
    for page in document:
        words = page.get_textpage()
        match = words.search("Blue with a solid line below").get_next()
        if match is not None:
            break
    # The page from the line that explains the colours, down to the end of the short text.
    height = page.get_height()
    top = 1 - words.get_charbox(match[0])[3] / height - 0.01
    picture = page.render(scale=1.6).to_pil().convert("RGB")
    bounds = (0, int(top * picture.height), picture.width, int(min(1.0, top + 0.33) * picture.height))
    picture.crop(bounds).save(DOCS / "heatmap.png", optimize=True)


def pages() -> dict[Path, str]:
    """Every generated page with what it should hold."""
    contents_of = {
        DOCS / "api.md": api_reference(),
        DOCS / "cli.md": cli_reference(),
        IN_PYTHON.with_name("first_case.ipynb"): notebook(IN_PYTHON.read_text(encoding="utf-8")),
        DOCS / "benchmarks.md": benchmarks_page(),
        DOCS / "faults.md": faults_page(),
        DOCS / "licences.md": licences_page(),
        DOCS / "requirements.md": requirements_page(),
        SBOM: sbom(),
        README: readme(README.read_text(encoding="utf-8")),
    }
    for name, contents in tables().items():
        page = (DOCS / name).read_text(encoding="utf-8")
        for marker, content in contents.items():
            page = _between(page, marker, content.rstrip())
        contents_of[DOCS / name] = page
    return contents_of


def main() -> None:
    """Writes every generated page."""
    if "--demo" in sys.argv:
        keep_demo()
    for name in ("build", "lengths", "without", "paper", "controlled"):  # the README reads their tables
        importlib.import_module(f"docs.validation.{name}").build()
    build_method_figures()
    for path, content in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()

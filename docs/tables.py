"""Tables of what the code holds, in Markdown for the documentation."""

from collections.abc import Collection, Iterable
from dataclasses import is_dataclass

from idiograph.casework.findings import CATALOGUE
from idiograph.evidence.constants import measured
from idiograph.evidence.llr import Scale, scale_rows
from idiograph.evidence.methods import METHODS
from idiograph.settings import REQUIRED, settings_of
from idiograph.studies.attack import IMITATIONS


def settings_table(kind: type, *, brief: Collection[type] = ()) -> str:
    """Every key with its meaning and default; nested settings too, but those of the types in `brief` in one row."""
    return "\n".join(["| key | meaning | default |", "|---|---|---|", *_setting_rows(kind, "", brief)]) + "\n"


def _setting_rows(kind: type, table: str, brief: Collection[type]) -> Iterable[str]:
    for setting in settings_of(kind):
        if setting.nested is not None and setting.nested not in brief:
            name = f"[{setting.key}]" if is_dataclass(setting.kind) else f"[[{setting.key}]]"
            yield from _setting_rows(setting.nested, f"{table} {name}".strip(), brief)
            continue
        inside = f"`[{setting.table}]` " if setting.table else f"`{table}` " if table else ""
        meaning = " ".join(f"{setting.help} ({setting.limits})".split() if setting.limits else setting.help.split())
        usual = "required" if setting.default is REQUIRED else f"`{setting.usual}`" if setting.usual else ""
        yield f"| {inside}`{setting.key}` | {meaning.replace('|', chr(92) + '|')} | {usual} |"


def method_table() -> str:
    """Every method: its formula and unit, what it needs, and where it is used."""
    rows = []
    for method in METHODS.values():
        name = method.name[0].upper() + method.name[1:]
        unit = f"{method.unit} (inferred)" if method.unit_inferred else method.unit
        needs = ", ".join(sorted(method.needs)) or "only λG and counts of Q"
        if method.in_case:
            where = "yes"
        elif method.second_opinion:
            where = "as a second opinion"
        else:
            where = "beside the value" if method.beside else "in studies only"
        rows.append(f"| `{method.key}` | {name} | {method.formula} | {unit} | {needs} | {where} | {method.source} |")
    header = ["| key | name | formula | unit | needs | in a case | source |", "|---|---|---|---|---|---|---|"]
    return "\n".join([*header, *rows]) + "\n"


def findings_table() -> str:
    """Every finding of the audit."""
    rows = ["| finding | severity | made when | why | what to do |", "|---|---|---|---|---|"]
    for code, kind in CATALOGUE.items():
        rows.append(f"| `{code}` | {', '.join(kind.severities)} | {kind.when} | {kind.why} | {kind.remedy} |")
    return "\n".join(rows) + "\n"


def scale_table(chosen: Scale) -> str:
    """A verbal scale from its lowest band."""
    rows = [f"| {edges} | {support} |" for edges, support in scale_rows(chosen)]
    return "\n".join(["| LR (1/LR for Hd) | support |", "|---|---|", *rows]) + "\n"


def cost_table() -> str:
    """Mean Cllr (and the worst) with and without the constants, by the number of reference authors."""
    lines = [
        "| about how many reference authors | conditions | with constants | without | fit that nothing holds |",
        "|---:|---:|---:|---:|---:|",
    ]
    for row in measured():
        pairs = ((row.cllr_with, row.worst_with), (row.cllr_without, row.worst_without))
        cells = [f"{mean:.3f} ({worst:.2f})" for mean, worst in (*pairs, (row.cllr_unheld, row.worst_unheld))]
        lines.append(f"| {row.n_authors} | {row.n_conditions} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def imitator_table() -> str:
    """What each imitator puts into Q."""
    rows = [f"| `{name}` | {words} |" for name, words in IMITATIONS.items()]
    return "\n".join(["| imitator | puts into Q |", "|---|---|", *rows]) + "\n"

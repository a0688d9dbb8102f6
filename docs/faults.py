"""docs/faults.md, made from the register of faults that comes with the program."""

from textwrap import fill

from idiograph.laboratory.faults import Fault, register

_KINDS = {("case", "study"): "cases and studies", ("case",): "cases", ("study",): "studies", (): "calls of the library"}


def faults_page() -> str:
    """Every entry of the register, the newest last."""
    entries = register()
    numbers = sum(fault.moves == "number" for fault in entries)
    lines = [
        "# Register of faults",
        "",
        fill(
            "Made by `make docs` from `faults.toml`, which comes with the program. Every known fault of a released "
            "version that could have moved a reported number, or a sentence of a finding, is here, also where it is "
            "mended: from the changes of every version and from what was found by trying 0.3.0 as an expert, the other "
            f"side and an attacker would. There are {len(entries)} entries; {numbers} can move a number. `idiograph "
            "affected FOLDER` says which of them concern filed cases and studies ([how](laboratory.md)).",
            120,
            break_on_hyphens=False,
        ),
        "",
        "| | fault | versions | moves | concerns |",
        "|---|---|---|---|---|",
        *(f"| {fault.id} | {fault.title} | {_versions(fault)} | {fault.moves} | {_KINDS[fault.kinds]} |"
          for fault in entries),
    ]  # fmt: skip
    for fault in entries:
        lines += ["", f"## {fault.id} {fault.title}", ""]
        lines += [f"- **Versions:** {_versions(fault)}", f"- **What:** {fault.what}", f"- **Size:** {fault.size}"]
        lines += [f"- **How to tell:** {_how_to_tell(fault)}", f"- **What to do:** {fault.todo}"]
    return "\n".join(lines) + "\n"


def _versions(fault: Fault) -> str:
    return f"{fault.versions[0]} to {fault.versions[-1]}" if len(fault.versions) > 1 else fault.versions[0]


def _how_to_tell(fault: Fault) -> str:
    """The conditions of an entry in words."""
    if not fault.kinds:
        return "nothing that is filed can be concerned; it is a matter of programs that call the library, or of checks."
    conditions = [f"a {' or '.join(fault.kinds)} of one of these versions"]
    for condition in fault.when:
        match condition:
            case {"unknown": why}:
                conditions.append(f"perhaps, because {why}")
            case {"masked": False}:
                conditions.append("texts that came unmasked")
            case {"texts": kind}:
                conditions.append(f"a text that has this ({kind}), found where it lay or by `--inputs`")
            case {"told": what}:
                conditions.append(f"{what}, by what was filed")
            case {"at": path, "is": values}:
                conditions.append(f"`{path}` is {' or '.join(f'`{value}`' for value in values)}")
            case {"at": path, "below": limit}:
                conditions.append(f"`{path}` is below {limit}")
            case {"at": path}:
                conditions.append(f"`{path}` is there")
    return "; ".join(conditions) + "."

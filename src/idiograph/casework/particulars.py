"""Who reports, on what and for whom, and who reviewed it: tables of `case.toml` that fill the report and no digit."""

from dataclasses import dataclass

from idiograph.settings.reading import check_settings
from idiograph.settings.setting import setting


@dataclass(frozen=True, kw_only=True)
class Expert:
    """Who signs the report."""

    name: str = setting("", help="The expert who signs the report.")
    qualifications: str = setting("", help="The expert's degrees, training and experience.")
    laboratory: str = setting("", help="The laboratory or firm.")
    address: str = setting("", help="Its address.")
    contact: str = setting("", help="Telephone or e-mail.")

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
    exhibits: tuple[str, ...] = setting((), help="The exhibits, each with its number, such as “AB/1: letter”.")
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

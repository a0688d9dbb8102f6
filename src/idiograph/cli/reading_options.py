"""The options for reading files, the same in every command that reads any."""

import sys
from typing import TYPE_CHECKING

from idiograph.cli.options import options
from idiograph.printing import print
from idiograph.texts.reading.options import ReadingOptions

if TYPE_CHECKING:
    from idiograph.texts.reading.reading_report import ReadingReport

# Gives a command the reading options; it receives them as one argument `reading: ReadingOptions`.
reads = options(ReadingOptions, argument="reading", panel="Reading")


def say(report: "ReadingReport") -> None:
    """Prints how a reading went on standard error."""
    for line in report.lines():
        print(line, file=sys.stderr)

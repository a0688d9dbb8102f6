"""The options for reading files, the same in every command that reads any."""

import sys

from idiograph.cli.options import options
from idiograph.cli.printing import print
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.reading_report import ReadingReport

# Gives a command the reading options; it receives them as one argument `reading: ReadingOptions`.
reads = options(ReadingOptions, argument="reading", panel="Reading")


def say(report: ReadingReport) -> None:
    """Prints how a reading went on standard error."""
    for line in report.lines():
        print(line, file=sys.stderr)

"""The one way onto the terminal: nothing from a file or its name acts there."""

import builtins
import sys
from typing import TextIO

from idiograph.errors import visible


def print(text: object = "", *, file: TextIO | None = None, end: str = "\n") -> None:
    """Prints text with every character that would act written as its code; JSON is printed in ASCII and not changed."""
    builtins.print(visible(str(text)), file=file or sys.stdout, end=end)

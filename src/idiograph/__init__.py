"""How strongly does the language of a questioned text support that this person, rather than someone else, wrote it?"""

from idiograph.texts.masking import mask
from idiograph.texts.reading.corpus import read
from idiograph.texts.reading.options import ReadingOptions

__all__ = ["ReadingOptions", "mask", "read"]

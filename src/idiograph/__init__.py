"""How strongly does the language of a questioned text support that this person, rather than someone else, wrote it?"""

from idiograph.texts.masking import mask

__all__ = ["mask"]

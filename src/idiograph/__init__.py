"""How strongly does the language of a questioned text support that this person, rather than someone else, wrote it?"""

__all__: list[str] = []

"""What is compared: texts as they are found, read, prepared and masked. Knows nothing of models or scores.

In reading order:

    text       Text, MaskedText, Corpus
    problem    Problem, the gatekeeper: a Q, a K and a reference that may be compared
    edits      a text with edits, and where each character came from
    words      words and scripts
    characters  what has no visible form, and what looks alike
    language   the languages known, and whether a text is in one
    repeats    text that occurs twice
    quoting    quoted lines and signatures
    works      which files are parts of one work, by their names and dates
    reading    from files to texts
    preparing  texts cleaned, every change on record
    masking    what a text is about hidden
"""

"""Cleaning steps, duplicates, length filters: what each changed is on record and can be undone.

In reading order:

    steps    what a step does to a text or a corpus
    recipes  steps put in order
    record   what was changed, and the folder it is kept in
    prepare  `idiograph.prepare`
"""

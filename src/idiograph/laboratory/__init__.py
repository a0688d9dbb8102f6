"""WHAT A LABORATORY FILES BEFORE IT MAY USE THIS: does this installation do what was validated, what went wrong before.

It computes no number of its own; it runs cases and studies as users do and compares. In reading order:

    installation   the installed files against their RECORD, versions against the lock; needs nothing else of Idiograph
    slow           λG, the corrections, the cosine and Cllr written down plainly, to compare the engine with
    disk           does a folder keep what is written there, whoever is killed
    selftest       all of it, and the cases that come with the program with their results, in one page to file
    acceptance     a laboratory's own validation, by criteria that are fixed before the study is run
    faults         the register of faults, and which of them concern a filed case or study
"""

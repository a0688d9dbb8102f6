"""Cleaning steps, duplicates, length filters, Q and K: what each changed is on record and can be undone.

steps, corpus_steps and duplicates do the work; recipes put them in order; prepare runs them; record remembers.
"""

"""Masking: what a text is about is hidden, how it is written is kept. The only layer that knows a tagger."""

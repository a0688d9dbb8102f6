"""Masking: what a text is about is hidden, how it is written is kept. The only layer that knows a tagger.

In reading order:

    models       taggers and word lists, found and hashed
    fast         English by compiled kernels, the same tokens sooner
    tagger       tokens and tags
    rules        which token becomes what
    batches      many texts: batches, workers, cache
    corpus_file  the masked corpus on disk
    mask         `idiograph.mask`
"""

"""English tagged as spaCy tags it, with the same weights, by compiled kernels: the same tokens several times faster.

    token: NORM, PREFIX, SUFFIX, SHAPE, blank behind it, white space           once for each type of token
        each hashed to 4 rows of a table, added up                             6 × 96 numbers
        maxout of 3 pieces, layer norm                                         96
    4 times: x[i] + norm(maxout(W·[x[i−1], x[i], x[i+1]] + b))                 96, lines set apart by 4 empty rows
        tag:    W·x + b, the largest                                           50 tags
        parser: W·x + b                                                        64
                W·x for each of 8 places that a token can have in a state      8 × 128
                per state: added up, + b, larger of 2, W·h + b                 106 moves, the best valid one is taken
    heads and labels → sentence starts; tag, word and label → part of speech   the attribute ruler as a table

Its door is `KernelTagger.tag` (lines → words, parts of speech, sentence starts, spans), which `masking.tagger` opens
where `ways` allows it. In reading order:

    layers       products, maxout, layer norm and windows, in a fixed order of addition
    transitions  the parser's states, heads, sentences; tags and parts of speech
    weights      the model's own files as the kernels read them
    tag          lines cut into tokens, every piece once, and all of it together
    ways         whether this way may be taken here, and the page that tries it
"""

"""The layout of an index in memory: a sentence in one piece, each event followed by the numbers of its n-grams.

An event is a token or a sentence's end. Its first word holds the token and how many numbers follow; they are those of
the 2-gram, the 3-gram … that end there, as far as each occurs twice in the corpus:

    token << WIDTH_BITS | width, number of its 2-gram, of its 3-gram … of its (width + 1)-gram

A sentence is preceded by <BOS>, and an n-gram has one at most: more would tell nothing apart.
"""

END = 0  # the token number of <EOS>; tokens are numbered from 1
WIDTH_BITS = 7
WIDTH_MASK = (1 << WIDTH_BITS) - 1
MAX_TYPES = (1 << (31 - WIDTH_BITS)) - 1
MAX_WORDS = 1 << 32

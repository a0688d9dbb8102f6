"""How expected it is: n-grams numbered once, Kneser-Ney models, λG. Knows sentences, not where they come from.

In reading order:

    settings         N, r, D and the seed
    vocabulary       tokens and sentences as numbers
    stream           how a sentence lies in memory
    numbering        n-grams as numbers
    index            Index and Part
    index_file       an index on disk
    sides            Q, K and the reference in one index, none of which may hold what another holds
    reference_draws  which reference sentences a seed draws
    kneser_ney       the model
    lambdag          `score`, `score_many`, Score
    model            a model to look at; longest matches
"""

"""What a score is worth: likelihood ratios, with and without training data, and how good they are.

Knows sentences and scores, not where they come from.
"""

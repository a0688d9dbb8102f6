"""How expected it is: n-grams numbered once, Kneser-Ney models, λG. Knows sentences of tokens, not where they come from."""

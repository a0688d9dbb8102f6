"""How expected it is: n-grams numbered once, Kneser-Ney models, λG. Knows sentences, not where they come from."""

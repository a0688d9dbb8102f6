"""The same results for eyes: figures, heat maps, reports. Computes no number of its own."""

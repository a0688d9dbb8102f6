"""The same results for readers: figures, heat maps, reports, pages of studies, the filed case. Computes no number."""

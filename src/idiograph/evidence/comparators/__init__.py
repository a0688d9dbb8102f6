"""What the field's other methods say of the same Q and K, given as strings: scores, not likelihood ratios."""

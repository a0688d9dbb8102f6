"""The case a user brings: planned, audited, validated under its own conditions, scored, explained and sealed."""

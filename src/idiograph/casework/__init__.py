"""The case a user brings: audited, validated under its own conditions, scored and explained."""

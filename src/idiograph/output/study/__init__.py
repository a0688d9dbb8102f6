"""The page of a study: its tables and figures."""

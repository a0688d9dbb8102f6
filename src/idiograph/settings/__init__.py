"""Settings: frozen dataclasses whose fields say what they mean, what they may hold and where they stand in a file."""

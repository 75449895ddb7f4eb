"""Measures Quoth through `quoth.open`, as a user would."""

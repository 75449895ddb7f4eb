"""The doors: they translate and never decide."""

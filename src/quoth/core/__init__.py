"""The vocabulary and the rules; no I/O, no clock."""

"""Text comes in."""

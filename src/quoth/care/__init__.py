"""What is kept, over time: corrected, forgotten, erased, decided."""

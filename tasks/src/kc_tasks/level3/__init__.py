"""Level 3: end-to-end blocks."""

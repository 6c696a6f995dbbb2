"""Level 1: primitives, one operator each."""

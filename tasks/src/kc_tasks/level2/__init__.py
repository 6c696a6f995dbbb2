"""Level 2: composites of a few operators, and the sampling step of a diffusion language model."""

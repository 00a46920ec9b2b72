"""Maps: every point of a grid of parameters, evaluated once and for all."""

"""Studies of the snake alone: the figures and tables of its paper."""

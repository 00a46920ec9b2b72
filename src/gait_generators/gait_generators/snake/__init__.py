"""The gaits of the snake's paper."""

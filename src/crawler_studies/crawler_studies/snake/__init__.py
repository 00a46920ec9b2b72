"""Studies the snake: the figures and tables of its paper.

Not here: its equations (crawler_models.snake).
Imported by: none.
"""

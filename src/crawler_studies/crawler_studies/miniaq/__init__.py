"""Studies MinIAQ: the search for gaits and bodies that its paper leaves to the future, and its figures.

Not here: its equations (crawler_models.miniaq).
Imported by: none.
"""

"""Implements the feedback law (19) of the three-link crawler, with the observer of its contacts.

Not here: its simulation in continuous time (crawler_models.three_link).
Imported by: none.
"""

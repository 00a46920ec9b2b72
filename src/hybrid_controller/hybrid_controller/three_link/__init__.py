"""Feedback of the contacts' states for the three-link crawler, (19) of its paper, and the observer that it can use."""

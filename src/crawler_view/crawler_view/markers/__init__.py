"""Publishes the feet, their forces and the path of the base as markers for RViz.

Not here: the state that is shown (crawler_view.scene), RViz configurations (crawler_description).
Imported by: none.
"""

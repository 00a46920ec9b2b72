"""Event-driven simulation of the three-link robot with prescribed joints, and its steady crawl.

Not here: feedback (crawler_models.three_link.feedback), many gaits at once (crawler_models.three_link.compiled).
Imported by: crawler_models.three_link, crawler_studies.
"""

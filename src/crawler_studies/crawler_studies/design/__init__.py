"""Defines the interface of a design search, and the evolution strategy that searches use.

Not here: the searches (crawler_studies.bolt.design, crawler_studies.miniaq.design).
Imported by: crawler_studies.bolt.design, crawler_studies.miniaq.design, crawler_studies.three_link.shape_design,
crawler_cli.
"""

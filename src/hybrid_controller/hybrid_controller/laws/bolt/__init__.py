"""Implements the running law of BOLT.

Not here: its equations and its prediction (crawler_models.bolt).
Imported by: none.
"""

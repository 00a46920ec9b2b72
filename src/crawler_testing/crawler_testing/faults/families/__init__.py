"""Kinds of fault, one module per family.

Not here: injection and checks (crawler_testing.faults).
Imported by: crawler_testing.faults.
"""

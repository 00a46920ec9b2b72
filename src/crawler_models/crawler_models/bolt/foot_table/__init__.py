"""The table from crank angle to foot (section 2.2), also in whole numbers and as a C header.

Not here: the linkage that it tabulates (crawler_models.bolt.equations).
Imported by: none.
"""

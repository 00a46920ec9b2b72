"""BOLT's equations compiled: plain functions of floats and small arrays, without classes of Python.

Not here: the same equations for reading (crawler_models.bolt.equations).
Imported by: crawler_models.bolt, crawler_testing.
"""

from crawler_models.compilation import keep_compiled_code

keep_compiled_code()  # before anything is compiled

"""MinIAQ's equations compiled: plain functions of floats and small arrays, without classes of Python.

Not here: the same equations for reading (crawler_models.miniaq.equations).
Imported by: crawler_models.miniaq, crawler_testing.
"""

from crawler_models.compilation import keep_compiled_code

keep_compiled_code()  # before anything is compiled

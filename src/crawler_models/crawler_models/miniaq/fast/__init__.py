"""MinIAQ's equations compiled: plain functions of floats and small arrays, without classes of Python."""

from crawler_models.compilation import keep_compiled_code

keep_compiled_code()  # before anything is compiled

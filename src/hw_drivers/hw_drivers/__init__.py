"""Drives real and emulated motors behind the backend contract.

Not here: limits of joints (crawler_core.safety), the boards' firmware in C++ (the folder firmware of this package).
Imported by: crawler_cli, crawler_testing.
"""

"""Tests of the contract of a backend, for any package to run against its own.

Not here: the contract (crawler_core.loop.backend), tests of single backends (in their packages).
Imported by: none.
"""

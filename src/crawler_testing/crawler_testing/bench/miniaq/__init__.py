"""Benchmarks of MinIAQ's equations."""

"""Benchmarks of the three-link equations."""

"""Benchmarks of BOLT's equations."""

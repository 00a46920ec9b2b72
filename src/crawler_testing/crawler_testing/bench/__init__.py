"""Benchmarks of the ring, each beside the bare thing that bounds it, in one run on one machine."""

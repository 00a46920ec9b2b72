"""Tuning: the gait that crawls best, found in few evaluations."""

"""Gaits as pure functions of time, and the node that streams them."""

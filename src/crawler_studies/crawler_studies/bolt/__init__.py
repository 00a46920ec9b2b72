"""Studies of BOLT: the search for its mechanism, and the figures of its paper."""

"""Studies of the three-link robot alone: the figures of its paper, and the search for shapes of its gaits."""

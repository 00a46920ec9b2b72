"""Messages, requests and parameters without sense, by a seed, for every node of a ring, and what the ring does then."""

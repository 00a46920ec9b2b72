"""A storm of faults on a running ring: what is injected, what must follow, and what was seen to follow."""

"""What is studied of BOLT alone: its mechanism, and the figures of its paper."""

"""The state machine and the control law (20) of the running leg."""

"""The search over phases, pace and body for a gait that does what it means to, is fast, or is cheap."""

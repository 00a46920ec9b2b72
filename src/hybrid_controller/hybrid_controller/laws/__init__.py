"""The control laws: pure functions of what is measured and what is wanted."""

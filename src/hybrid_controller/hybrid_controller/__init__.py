"""Control laws as pure functions, and the node that runs them."""

"""What every package shares: types, robot files, the Backend contract, the safety supervisor, the node."""

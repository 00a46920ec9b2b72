"""What every node shares: the backend node, messages, parameters from ROS, spinning, time, diagnostics."""

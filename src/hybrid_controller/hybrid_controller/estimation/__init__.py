"""What the feet do, from the joints and odometry alone."""

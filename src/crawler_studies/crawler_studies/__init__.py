"""Many runs of one robot: sweeps, tuning, figures."""

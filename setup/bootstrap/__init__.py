"""Sets up what a machine lacks to run the crawler stack. Standard library only: it runs before all else."""
